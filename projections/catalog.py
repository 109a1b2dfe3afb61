"""Every projection there is."""

from projections.accounts_state.projector import accounts_state
from projections.engine.projection import Projection
from projections.mail.projector import mail

ALL: tuple[Projection, ...] = (mail, accounts_state)
