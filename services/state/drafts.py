"""Drafts: one id and one Message-ID for life, saved by compare-and-set on their revision."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from projections.sql import Connection, Pool, Statements
from services.mail.compose import Conversation

query = Statements("services.state", "drafts.sql")

Kind = Literal["new", "reply", "reply_all", "forward"]
Quote = Literal["full", "none"]
State = Literal["queued", "attempted", "delivered", "failed", "unconfirmed", "cancelled"]


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """As the user wrote it; no address yet until it is sent."""

    name: str
    email: str


class Recipients(msgspec.Struct, frozen=True, kw_only=True):
    """Whom it is to."""

    to: list[Person] = []
    cc: list[Person] = []
    bcc: list[Person] = []


class Content(NamedTuple):
    """What a save replaces. `html`: cleaned; inline images are `cid:`."""

    identity_id: UUID
    recipients: Recipients
    subject: str
    html: str
    plain: bool
    quote: Quote


class Mirror(NamedTuple):
    """Where the copy of the draft is in a Drafts mailbox of the server."""

    account_id: UUID
    mailbox_id: UUID
    uidvalidity: int
    uid: int


class Draft(NamedTuple):
    """`source_message_id`: what it answers, where that was here.

    `edition`: counts saves, and files that came or went. `mirrored`: which of them the copy is; without a copy, 0.

    `state`: of its send; None without one, and until the read model knows it.
    """

    id: UUID
    account_id: UUID
    content: Content
    message_id_header: str
    kind: Kind
    source_message_id: UUID | None
    conversation: Conversation
    continued_id: UUID | None
    revision: int
    edition: int
    mirrored: int
    mirror: Mirror | None
    outbox_id: UUID | None
    state: State | None
    updated_at: datetime


class Known(NamedTuple):
    """By what its copies on the server are told."""

    message_id_header: str
    continued_id: UUID | None


class New(NamedTuple):
    """A draft as it begins. `continued_id`, `mirror`, `copies`: the message of a Drafts mailbox that it goes on from, its place,
    and the SHA-256 of its bytes.
    """

    account_id: UUID
    content: Content
    message_id_header: str
    kind: Kind
    source_message_id: UUID | None = None
    conversation: Conversation = Conversation([], [])
    continued_id: UUID | None = None
    mirror: Mirror | None = None
    copies: Sequence[str] = ()


async def begin(db: Connection, user_id: UUID, new: New) -> UUID | None:
    """A draft that nobody has saved yet; None when the user has one of that Message-ID, or that goes on from that message."""
    mirror = new.mirror or (None, None, None, None)
    draft_id: UUID | None = await db.fetchval(
        query.begin,
        *(user_id, new.account_id, new.content.identity_id, new.message_id_header, new.kind, new.source_message_id),
        *(new.continued_id, _recipients(new.content), new.content.subject, new.content.html, new.content.plain),
        *(new.content.quote, *mirror, *new.conversation, new.copies),
    )
    return draft_id


async def find(db: Connection, user_id: UUID, draft_id: UUID) -> Draft | None:
    """Of an account that is there, and not deleted."""
    return _draft(await db.fetchrow(query.draft, user_id, draft_id))


async def continuing(db: Connection, user_id: UUID, message_id: UUID, header: str | None) -> Draft | None:
    """The draft that goes on from this message of a Drafts mailbox, or whose copy it is."""
    return _draft(await db.fetchrow(query.continuing, user_id, message_id, header))


async def newest(db: Connection, user_id: UUID, limit: int) -> list[Draft]:
    """Those in which somebody wrote, and that are not sent."""
    return [draft for row in await db.fetch(query.newest, user_id, limit) if (draft := _draft(row))]


async def known(db: Connection, user_id: UUID) -> list[Known]:
    """All drafts, also those that are deleted and whose copy outbound still has to remove."""
    return [Known(*row) for row in await db.fetch(query.known, user_id)]


async def changeable(db: Connection, user_id: UUID, draft_id: UUID) -> bool:
    """Whether it is there and nothing of it is being sent; nobody else changes it until this transaction ends."""
    return await db.fetchval(query.changeable, user_id, draft_id) is not None


async def save(db: Connection, user_id: UUID, draft_id: UUID, revision: int, content: Content) -> bool:
    """The next revision of what is changeable; False when this is not the last one, or nobody's identity is named."""
    saved = await db.fetchval(
        query.save,
        *(user_id, draft_id, revision, content.identity_id, _recipients(content), content.subject, content.html),
        *(content.plain, content.quote),
    )
    return saved is not None


async def take_over(
    db: Connection, user_id: UUID, draft_id: UUID, message_id: UUID, *, place: Mirror, blob: str
) -> None:
    """What was just saved is this message of a Drafts mailbox: the copy from here on. Its whole files make way for that one's."""
    await db.execute(query.take_over, user_id, draft_id, message_id, *place, blob)
    await db.execute(query.delete_whole_files, user_id, draft_id)


async def touch(db: Connection, user_id: UUID, draft_id: UUID) -> None:
    """A file came or went."""
    await db.execute(query.touch, user_id, draft_id)


async def delete(db: Connection, user_id: UUID, draft_id: UUID) -> None:
    """What is changeable is shown no more, its files are gone; outbound removes the server's copy and then the row."""
    await db.execute(query.delete, user_id, draft_id)
    await db.execute(query.delete_files, user_id, draft_id)


async def forget(db: Connection, user_id: UUID, draft_id: UUID) -> None:
    """What is changeable is gone with its files; what the server has stays as it is."""
    await db.execute(query.forget, user_id, draft_id)


async def send(db: Connection, user_id: UUID, draft_id: UUID, outbox_id: UUID) -> None:
    """What is changeable is being sent from here on."""
    await db.execute(query.send, user_id, draft_id, outbox_id)


async def release(db: Connection, user_id: UUID, outbox_id: UUID) -> None:
    """Its draft waits for this send no more."""
    await db.execute(query.release, user_id, outbox_id)


async def being_sent(db: Connection, user_id: UUID) -> list[UUID]:
    """The sends that drafts wait for, also those that came to nothing."""
    return [row["outbox_id"] for row in await db.fetch(query.being_sent, user_id)]


async def forget_abandoned(db: Connection | Pool, older_than: timedelta) -> None:
    """Of all users: drafts in which nobody wrote anything, and uploads that never became complete."""
    await db.execute(query.forget_abandoned, older_than)


def _recipients(content: Content) -> str:
    return msgspec.json.encode(content.recipients).decode()


_decoder = msgspec.json.Decoder(Recipients)


def _draft(row: asyncpg.Record | None) -> Draft | None:
    if row is None:
        return None
    content = Content(
        row["identity_id"],
        _decoder.decode(row["recipients"]),
        row["subject"],
        row["html"],
        row["plain"],
        row["quote"],
    )
    mirror = (row["mirror_account_id"], row["mirror_mailbox_id"], row["mirror_uidvalidity"], row["mirror_uid"])
    return Draft(
        id=row["id"],
        account_id=row["account_id"],
        content=content,
        message_id_header=row["message_id_header"],
        kind=row["kind"],
        source_message_id=row["source_message_id"],
        conversation=Conversation(row["in_reply_to"], row["reference_ids"]),
        continued_id=row["continued_id"],
        revision=row["revision"],
        edition=row["edition"],
        mirrored=row["mirrored_edition"],
        mirror=Mirror(*mirror) if row["mirror_uid"] is not None else None,
        outbox_id=row["outbox_id"],
        state=row["state"],
        updated_at=row["updated_at"],
    )
