"""Every projection there is."""

from projections.engine.projection import Projection
from projections.mail.projector import mail

ALL: tuple[Projection, ...] = (mail,)
