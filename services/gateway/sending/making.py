"""From a draft to the message that goes out: what was written, the original below it, and the files of both."""

import asyncio
import mmap
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from projections.documents import Address, Document, addresses, payload
from projections.mail import reader as mail
from projections.mail.rows import MessageRow
from projections.sql import Connection
from services.gateway.deps import Gateway
from services.gateway.drafts import beginning
from services.gateway.drafts.carrying import MEGABYTE
from services.gateway.errors import Refused
from services.gateway.messages import documents
from services.mail import compose
from services.state import identities, uploads
from services.state.drafts import Draft, Person
from services.state.sessions import Session
from services.state.uploads import Upload


class Made(NamedTuple):
    """`to`: everybody that it goes to, once each, as their addresses are on the wire."""

    raw: bytes
    envelope_from: str
    to: list[Person]


class Below(NamedTuple):
    """What stands below an answer, and the ids that keep it in its conversation."""

    quoted: compose.Quoted | None = None
    images: Sequence[compose.File] = ()
    in_reply_to: str | None = None
    references: Sequence[str] = ()


async def make(parts: Gateway, db: Connection, user: Session, draft: Draft) -> Made:
    """Raises Refused, with what is wrong and where."""
    recipients = draft.content.recipients
    if not (recipients.to or recipients.cc or recipients.bcc):
        raise Refused(400, "no_recipients", "Say whom it is for.")
    mine = await identities.of_user(db, user.user_id)
    identity = next(one for one in mine if one.id == draft.content.identity_id)
    async with AsyncExitStack() as stack:
        rows = await uploads.of_draft(db, user.user_id, draft.id)
        files = [await _file(parts, user.user_id, one, stack) for one in rows]
        room = parts.settings.message_max * MEGABYTE - sum(one.size for one in rows)
        below = await _below(parts, db, user, draft, room)
        letter = compose.Letter(
            from_=Address(name=identity.name, email=identity.email),
            reply_to=addresses.parse(identity.reply_to.encode(), ""),
            to=_people(recipients.to),
            cc=_people(recipients.cc),
            bcc=_people(recipients.bcc),
            subject=draft.content.subject,
            html=draft.content.html,
            plain=draft.content.plain,
            date=datetime.now(UTC),
            message_id=draft.message_id_header,
            in_reply_to=below.in_reply_to,
            references=[*below.references],
            attachments=[*files, *below.images],
            quoted=below.quoted,
        )
        try:
            envelope = compose.envelope(letter)
            raw = await asyncio.to_thread(compose.build, letter)
        except compose.BadAddress as bad:
            message = f"“{bad.address}” is no e-mail address. Correct it, or take it out."
            raise Refused(400, "bad_address", message) from None
    names = {compose.check(one.email): one.name for one in reversed([*letter.to, *letter.cc, *letter.bcc])}
    to = [Person(name=names[email], email=email) for email in envelope.recipients]
    return Made(raw, envelope.mail_from, to)


async def _file(parts: Gateway, user_id: UUID, one: Upload, stack: AsyncExitStack) -> compose.File:
    """Readable for as long as the stack is open."""
    if one.blob is None:
        message = f"“{one.filename}” is not here yet. Wait until it is, or take it out."
        raise Refused(409, "incomplete_upload", message)
    content = await stack.enter_async_context(parts.blobs.file(user_id, one.blob))
    return compose.File(name=one.filename, mime=one.mime, content=content, inline=one.inline, content_id=one.content_id)


async def _below(parts: Gateway, db: Connection, user: Session, draft: Draft, room: int) -> Below:
    """Nothing where the original is gone by now: then nobody saw it below the draft either. `room`: bytes for its images."""
    row = await mail.message(db, user.user_id, draft.source_message_id) if draft.source_message_id else None
    if row is None or draft.kind == "new":
        return Below()
    answered = await beginning.original(parts, db, user.user_id, row)
    below = Below()
    if draft.kind != "forward":
        in_reply_to = compose.in_reply_to(draft.kind, answered)
        below = Below(in_reply_to=in_reply_to, references=compose.references(answered))
    if draft.content.quote == "none":
        return below
    document = await _quotable(parts, db, user.user_id, row, whole=draft.kind == "forward")
    zone = ZoneInfo(user.settings.tz)
    quote = await asyncio.to_thread(compose.quote, document, draft.kind, user.settings.language, zone, row.sent_at)
    images: list[compose.File] = []
    if quote.images and not draft.content.plain:
        if sum(one.attachment.size for one in quote.images) > room:
            message = "The images of what you quote are too large to go with it. Leave the quoted text out."
            raise Refused(413, "too_large", message)
        async with parts.blobs.file(user.user_id, row.blob) as path:
            images = await asyncio.to_thread(_images, path, quote.images)
    return below._replace(quoted=compose.Quoted(html=quote.html, text=quote.text), images=images)


async def _quotable(parts: Gateway, db: Connection, user_id: UUID, row: MessageRow, *, whole: bool) -> Document:
    """`whole`: with remote images, which whoever reads it loads or not."""
    document = await documents.whole(parts, db, user_id, row.blob)
    html = await parts.cleaner.quoted(parts.blobs, user_id, row.blob) if whole and document.blocked else None
    return msgspec.structs.replace(document, html=html) if html else document


def _images(path: Path, shown: Sequence[compose.QuotedImage]) -> list[compose.File]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        return [
            compose.File(
                name=one.attachment.filename,
                mime=one.attachment.mime,
                content=payload(raw, one.attachment),
                inline=True,
                content_id=one.content_id,
            )
            for one in shown
        ]


def _people(found: Sequence[Person]) -> list[Address]:
    return [Address(name=one.name, email=one.email) for one in found]
