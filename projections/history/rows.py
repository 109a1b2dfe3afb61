"""What readers of the history get."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

Kind = Literal["flags", "move", "delete"]
State = Literal["pending", "applied", "refused", "expired"]


class RequestRow(msgspec.Struct, frozen=True, kw_only=True):
    """A request and its outcome. `asked` and `done` count messages; `code` says why it was refused.

    `undoes`: the request that it takes back; `undone_by`: the one that takes it back. `thread_id` and `subject` are those of
    the newest of its messages. Paths are those of today, None for a mailbox that is gone.
    """

    id: UUID
    account_id: UUID
    sequence: int
    at: datetime
    by: str
    undoes: UUID | None
    kind: Kind
    add: list[str]
    remove: list[str]
    source: UUID | None
    target: UUID | None
    source_path: str | None
    target_path: str | None
    asked: int
    done: int
    state: State
    code: str
    settled_at: datetime | None
    undone_by: UUID | None
    thread_id: UUID | None
    subject: str | None


class Touched(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a request, and the mailboxes that a move takes it out of."""

    message_id: UUID
    sources: list[UUID]
    done: bool
