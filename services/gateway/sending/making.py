"""From a draft to the message that goes out: what was written, the original below it, and the files of both."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from projections.documents import Address, addresses
from projections.sql import Connection
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import quoting
from services.gateway.drafts.carrying import MEGABYTE
from services.gateway.errors import Refused
from services.mail import compose
from services.state import identities, quotes, uploads
from services.state.drafts import Draft, Person
from services.state.quotes import Below
from services.state.sessions import Session
from services.state.uploads import Upload


class Ready(NamedTuple):
    """All that was written, and what else belongs to it."""

    letter: compose.Letter
    files: Sequence[Upload]
    draft: Draft


class Made(NamedTuple):
    """`to`: everybody that it goes to, once each, as their addresses are on the wire."""

    raw: bytes
    envelope_from: str
    to: list[Person]


async def prepare(db: Connection, user_id: UUID, draft: Draft) -> Ready:
    """Raises Refused, with what is wrong and where."""
    content = draft.content
    if not (content.recipients.to or content.recipients.cc or content.recipients.bcc):
        raise Refused(400, "no_recipients", "Say whom it is for.")
    files = await uploads.of_draft(db, user_id, draft.id)
    for one in files:
        if one.blob is None:
            message = f"“{one.filename}” is not here yet. Wait until it is, or take it out."
            raise Refused(409, "incomplete_upload", message)
    identity = next(one for one in await identities.of_user(db, user_id) if one.id == content.identity_id)
    letter = compose.Letter(
        from_=Address(name=identity.name, email=identity.email),
        reply_to=addresses.parse(identity.reply_to.encode(), ""),
        to=_people(content.recipients.to),
        cc=_people(content.recipients.cc),
        bcc=_people(content.recipients.bcc),
        subject=content.subject,
        html=content.html,
        plain=content.plain,
        date=datetime.now(UTC),
        message_id=draft.message_id_header,
        in_reply_to=draft.conversation.in_reply_to,
        references=draft.conversation.references,
    )
    try:
        compose.envelope(letter)
        for person in letter.reply_to:
            compose.check(person.email)
    except compose.BadAddress as bad:
        message = f"“{bad.address}” is no e-mail address. Correct it, or take it out."
        raise Refused(400, "bad_address", message) from None
    return Ready(letter, files, draft)


async def make(parts: Gateway, user: Session, ready: Ready) -> Made:
    """Raises Refused when it is too large."""
    room = parts.settings.message_max * MEGABYTE - sum(one.size for one in ready.files)
    async with AsyncExitStack() as stack:
        attachments = [await _file(parts, user.user_id, one, stack) for one in ready.files]
        quoted = None
        below = await _below(parts, user, ready.draft)
        if below is not None:
            quoted = compose.Quoted(html=below.quote.html, text=below.quote.text)
            if not ready.letter.plain:
                attachments += await _images(parts, user.user_id, below, room)
        letter = msgspec.structs.replace(ready.letter, attachments=attachments, quoted=quoted)
        raw = await asyncio.to_thread(compose.build, letter)
    envelope = compose.envelope(letter)
    names = {compose.check(one.email): one.name for one in reversed([*letter.to, *letter.cc, *letter.bcc])}
    return Made(raw, envelope.mail_from, [Person(name=names[one], email=one) for one in envelope.recipients])


async def _file(parts: Gateway, user_id: UUID, one: Upload, stack: AsyncExitStack) -> compose.File:
    """Readable for as long as the stack is open."""
    content = await stack.enter_async_context(parts.blobs.file(user_id, one.blob or ""))
    return compose.File(name=one.filename, mime=one.mime, content=content, inline=one.inline, content_id=one.content_id)


async def _below(parts: Gateway, user: Session, draft: Draft) -> Below | None:
    """The original that goes out below what was written."""
    if draft.content.quote == "none":
        return None
    await quoting.keep(parts, user, draft.id, kind=draft.kind, source=draft.source_message_id)
    async with as_user(parts.db, user.user_id) as db:
        return await quotes.of_draft(db, user.user_id, draft.id)


async def _images(parts: Gateway, user_id: UUID, below: Below, room: int) -> list[compose.File]:
    """Raises Refused when there is no room for them."""
    shown = below.quote.images
    if sum(one.attachment.size for one in shown) > room:
        message = "The images of what you quote are too large to go with it. Leave the quoted text out."
        raise Refused(413, "too_large", message)
    async with parts.blobs.file(user_id, below.blob) as path:
        return await asyncio.to_thread(compose.images, path, shown)


def _people(found: Sequence[Person]) -> list[Address]:
    return [Address(name=one.name, email=one.email) for one in found]
