"""What readers of the outbox get."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

State = Literal["queued", "attempted", "delivered", "failed", "unconfirmed", "cancelled"]


class OutboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """A send. `refused` counts recipients; `code` says why it failed; `filed`: all that follows a delivery is done.

    `sequence`: of its last fact, which the next one expects.
    """

    id: UUID
    account_id: UUID
    draft_id: UUID
    revision: int
    due: datetime
    state: State
    attempts: int
    refused: int
    code: str
    filed: bool
    queued_at: datetime
    settled_at: datetime | None
    sequence: int
