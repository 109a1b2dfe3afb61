"""What is asked of sends, and what is shown of them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec

from services.gateway.messages.structs import Addr

State = Literal["queued", "attempted", "delivered", "failed", "unconfirmed", "cancelled"]
Due = Annotated[datetime, msgspec.Meta(tz=True)]


class SendWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A draft as it was at this revision. `due`: null for as soon as it can no longer be taken back."""

    draft_id: UUID
    revision: int
    due: Due | None = None


class SendChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another time for what waits; null: now."""

    due: Due | None


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """`undo_until`: until then it can certainly be taken back. `position`: what is read from there on shows it."""

    outbox_id: UUID
    undo_until: datetime
    due: datetime
    position: int


class Undone(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing was sent; the draft can be edited."""

    draft_id: UUID
    position: int


class RefusedRecipient(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the server did not take, with its reply code (RFC 5321 §4.2) and its words."""

    email: str
    code: int
    text: str


class Send(msgspec.Struct, frozen=True, kw_only=True):
    """One mail on its way out, or gone. `to`: everybody that it goes to. `scheduled`: it waits for longer than it can be undone.

    `code`: why it failed; `reason`: what that means and what to do; `said`: the server's own words. `filed`: it is in Sent,
    where there is one. `thread_id`: of what it answers.
    """

    id: UUID
    draft_id: UUID
    account_id: UUID
    state: State
    due: datetime
    undo_until: datetime
    scheduled: bool
    subject: str
    to: list[Addr]
    code: str | None
    reason: str
    said: str
    refused: list[RefusedRecipient]
    attempts: int
    queued_at: datetime
    settled_at: datetime | None
    filed: bool
    thread_id: UUID | None


class SendList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first; `next_cursor`: null after the last page."""

    sends: list[Send]
    next_cursor: str | None
    position: int
