"""What readers of the mail read model get."""

from datetime import datetime
from uuid import UUID

import msgspec


class Person(msgspec.Struct, frozen=True, array_like=True):
    name: str
    email: str


class ThreadRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a list. `last_message_at` is of the thread's messages in that list; the counts are of the whole thread.

    Messages in Trash and Junk count only in threads that have no others.
    """

    id: UUID
    subject: str
    snippet: str
    participants: list[Person]
    account_ids: list[UUID]
    mailbox_ids: list[UUID]
    message_count: int
    unread_count: int
    starred: bool
    has_attachments: bool
    last_message_at: datetime


class ThreadPage(msgspec.Struct, frozen=True, kw_only=True):
    """`total`: threads of the list, exact. `next_cursor`: None after the last page."""

    threads: list[ThreadRow]
    total: int
    next_cursor: str | None


class AttachmentRow(msgspec.Struct, frozen=True, kw_only=True):
    """`start` and `length`: its encoded slice of the raw message `blob`."""

    id: UUID
    message_id: UUID
    account_id: UUID
    blob: str
    index: int
    filename: str
    mime: str
    size: int
    inline: bool
    content_id: str | None
    start: int
    length: int
    encoding: str
    charset: str | None


class MessageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A message that is shown; its header and body are in the document of `blob`.

    `flags` are those of all its placements; it is unread when no placement is read.
    """

    id: UUID
    thread_id: UUID
    account_id: UUID
    mailbox_ids: list[UUID]
    blob: str
    size: int
    message_id: str | None
    subject: str
    snippet: str
    sender: Person
    sent_at: datetime
    internal_date: datetime
    unread: bool
    flags: list[str]
    attachments: list[AttachmentRow]


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    subject: str
    messages: list[MessageRow]


class MailboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """`unread` and `total` count threads."""

    id: UUID
    account_id: UUID
    path: str
    name: str
    delimiter: str | None
    special_use: str | None
    selectable: bool
    unread: int
    total: int
