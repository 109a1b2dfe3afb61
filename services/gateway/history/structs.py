"""What the history shows."""

from datetime import datetime
from uuid import UUID

import msgspec

from projections.history.rows import Kind, State


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A mailbox; `path`: null when it is gone."""

    id: UUID
    path: str | None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A request. `by`: user, `rule:<id>`, `plugin:<name>`, or `undo:<request>`. `asked`, `done`: messages.

    `source`: null where it was wherever the mail was shown. `code`, `reason`: why it was refused. `undoable`: whether it can be
    taken back, else `why_not`. `undone_by`: the request that takes it back. `thread_id`, `subject`: of its newest message.
    """

    id: UUID
    account_id: UUID
    at: datetime
    by: str
    kind: Kind
    add: list[str]
    remove: list[str]
    source: Place | None
    target: Place | None
    asked: int
    done: int
    state: State
    code: str | None
    reason: str
    settled_at: datetime | None
    undoable: bool
    why_not: str
    undone_by: UUID | None
    thread_id: UUID | None
    subject: str | None


class HistoryPage(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first; `next_cursor`: null after the last page. `position`: everything up to here is in this answer."""

    entries: list[Entry]
    next_cursor: str | None
    position: int
