"""Questions to the mail read model. Times are UTC; ids of other users are unknown ids."""

import base64
import binascii
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import msgspec

from projections import sql
from projections.mail.errors import BadCursor
from projections.mail.rows import AttachmentRow, Conversation, MailboxRow, MessageRow, Person, ThreadPage, ThreadRow
from projections.sql import Connection

query = sql.Statements("projections.mail", "read.sql")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_participants = msgspec.json.Decoder(list[Person])


async def newest(
    db: Connection, user_id: UUID, scope_id: UUID, *, limit: int, cursor: str | None = None, offset: int = 0
) -> ThreadPage:
    """A page of the list `scopes.view` names, newest first: after a cursor, or else at an offset. Raises BadCursor."""
    total = await db.fetchval(query.total, user_id, scope_id) or 0
    if cursor is not None:
        rows = await db.fetch(query.older, user_id, scope_id, limit + 1, *decode(cursor))
    elif offset == 0:
        rows = await db.fetch(query.newest, user_id, scope_id, limit + 1)
    elif offset < total / 2:
        rows = await db.fetch(query.deep, user_id, scope_id, limit + 1, offset)
    else:
        wanted = max(0, min(limit + 1, total - offset))
        rows = await db.fetch(query.deep_from_the_end, user_id, scope_id, wanted, max(0, total - offset - wanted))
    page = [thread(row) for row in rows[:limit]]
    return ThreadPage(threads=page, total=total, next_cursor=encode(page[-1]) if len(rows) > limit else None)


async def threads(db: Connection, user_id: UUID, thread_ids: Sequence[UUID]) -> dict[UUID, ThreadRow]:
    """Those of these threads that are shown."""
    return {row["id"]: thread(row) for row in await db.fetch(query.threads, user_id, thread_ids)}


async def conversation(
    db: Connection, user_id: UUID, thread_id: UUID, *, scope_id: UUID | None = None, newest_first: bool = False
) -> Conversation | None:
    """A thread with what is shown of it; `scope_id` is the list that it was opened from, if it was from one."""
    subject = await db.fetchval(query.subject, user_id, thread_id)
    if subject is None:
        return None
    rows = await db.fetch(query.conversation, user_id, thread_id, scope_id)
    messages = await _messages(db, user_id, rows[::-1] if newest_first else rows)
    return Conversation(id=thread_id, subject=subject, messages=messages)


async def message(db: Connection, user_id: UUID, message_id: UUID) -> MessageRow | None:
    """A message that is shown somewhere."""
    found = await _messages(db, user_id, await db.fetch(query.message, user_id, message_id))
    return found[0] if found else None


async def attachment(db: Connection, user_id: UUID, attachment_id: UUID) -> AttachmentRow | None:
    """An attachment of a message that is shown somewhere."""
    row = await db.fetchrow(query.attachment, user_id, attachment_id)
    return AttachmentRow(**row) if row else None


async def mailboxes(db: Connection, user_id: UUID) -> list[MailboxRow]:
    """Every mailbox of the user's accounts, by account and path."""
    rows = await db.fetch(query.mailboxes, user_id)
    return [MailboxRow(**row, name=_name(row["path"], row["delimiter"])) for row in rows]


def thread(row: asyncpg.Record) -> ThreadRow:
    return ThreadRow(**{**row, "participants": _participants.decode(row["participants"])})


def encode(last: ThreadRow) -> str:
    """The cursor of the page after this thread."""
    return keyset(last.last_message_at, last.id)


def keyset(at: datetime, thread_id: UUID) -> str:
    micros = (at - EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(micros.to_bytes(8, "big", signed=True) + thread_id.bytes).decode()


def decode(cursor: str) -> tuple[datetime, UUID]:
    """What `keyset` made a cursor of. Raises BadCursor."""
    try:
        raw = base64.b64decode(cursor, altchars=b"-_", validate=True)
        micros = int.from_bytes(raw[:8], "big", signed=True)
        return EPOCH + timedelta(microseconds=micros), UUID(bytes=raw[8:])
    except (binascii.Error, ValueError, OverflowError):
        raise BadCursor("the cursor is not one that a page gave out") from None


async def _messages(db: Connection, user_id: UUID, rows: Sequence[asyncpg.Record]) -> list[MessageRow]:
    attached = await _attachments(db, user_id, [row["id"] for row in rows])
    return [_message(row, attached.get(row["id"], [])) for row in rows]


def _message(row: asyncpg.Record, attachments: list[AttachmentRow]) -> MessageRow:
    fields = dict(row)
    sender = Person(fields.pop("from_name"), fields.pop("from_email"))
    return MessageRow(**{**fields, "flags": row["flags"] or []}, sender=sender, attachments=attachments)


async def _attachments(db: Connection, user_id: UUID, messages: Iterable[UUID]) -> dict[UUID, list[AttachmentRow]]:
    found: dict[UUID, list[AttachmentRow]] = {}
    for row in await db.fetch(query.attachments, user_id, list(messages)):
        found.setdefault(row["message_id"], []).append(AttachmentRow(**row))
    return found


def _name(path: str, delimiter: str | None) -> str:
    """The last part of a mailbox's path."""
    return path.rsplit(delimiter, 1)[-1] if delimiter else path
