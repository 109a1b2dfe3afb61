"""Every projection there is."""

from projections.accounts_state.projector import accounts_state
from projections.engine.projection import Projection
from projections.history.projector import history
from projections.mail.projector import mail
from projections.recipients.projector import recipients
from projections.search.projector import search
from projections.sending.projector import sending

ALL: tuple[Projection, ...] = (mail, search, recipients, accounts_state, history, sending)
