"""What lists and conversations show."""

from datetime import datetime
from uuid import UUID

import msgspec

from services.gateway.messages.structs import Addr, Message


class ThreadSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a list. `last_message_at`: of its messages in that list."""

    id: UUID
    subject: str
    snippet: str
    participants: list[Addr]
    account_ids: list[UUID]
    message_count: int
    unread_count: int
    starred: bool
    has_attachments: bool
    last_message_at: datetime
    mailbox_ids: list[UUID]


class ThreadPage(msgspec.Struct, frozen=True, kw_only=True):
    """`next_cursor`: null after the last page. `total_exact`: false where `total` is a lower bound, as for a search.

    `position`: everything up to here in the log is in this answer.
    """

    threads: list[ThreadSummary]
    total: int
    total_exact: bool
    next_cursor: str | None
    position: int


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation across all accounts."""

    id: UUID
    subject: str
    messages: list[Message]
    position: int
