"""Going on with a draft that was made elsewhere: a message of a Drafts mailbox becomes a draft of ours, once."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from contracts.facts import SpecialUse
from projections.documents import Document, ids
from projections.mail import placements
from projections.mail import reader as mail
from projections.mail.rows import MessageRow
from projections.sql import Connection
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import beginning, carrying
from services.gateway.drafts.carrying import Files
from services.gateway.drafts.shown import shown
from services.gateway.drafts.structs import Draft
from services.gateway.errors import Refused, not_found
from services.gateway.lines import one_line
from services.gateway.messages import documents
from services.mail import compose
from services.state import drafts, uploads
from services.state.drafts import Content, Mirror, New, Recipients
from services.state.identities import Identity


class Read(NamedTuple):
    """`written`: what the content does not keep."""

    written: compose.Original
    content: Content


class Continued(NamedTuple):
    """`made`: whether nobody went on with it before."""

    draft: Draft
    made: bool


async def go_on(parts: Gateway, user_id: UUID, message_id: UUID) -> Continued:
    """The same draft for all who ask. Raises Refused."""
    async with as_user(parts.db, user_id) as db:
        row = await mail.message(db, user_id, message_id)
        if row is None:
            raise not_found("message")
        mirror = await _place(db, user_id, row)
        if (known := await drafts.continuing(db, user_id, row.id, row.message_id)) is not None:
            return Continued(await shown(parts, db, user_id, known), made=False)
        await uploads.hold(db, user_id)
        new = await _adopted(parts, db, user_id, row, mirror)
        files = await files_of(parts, user_id, row)
        draft_id = await drafts.begin(db, user_id, new)
        if draft_id is not None:
            await uploads.carry(db, user_id, draft_id, files.carried)
        header = new.message_id_header.strip("<>")
        draft = await drafts.continuing(db, user_id, row.id, header)
        if draft is None:
            raise not_found("draft")  # it was just deleted, and its copy is still to go
        warnings = files.warnings if draft_id is not None else []
        return Continued(await shown(parts, db, user_id, draft, warnings), made=draft_id is not None)


async def read(parts: Gateway, db: Connection, user_id: UUID, row: MessageRow, mine: Sequence[Identity]) -> Read:
    """A message as the content of a draft. Raises Refused, and BlobMissing."""
    written = await beginning.original(parts, db, user_id, row)
    document = await documents.whole(parts, user_id, row.blob)
    content = Content(
        beginning.addressed(mine, row.account_id, written).id,
        Recipients(to=beginning.typed(document.to), cc=beginning.typed(document.cc), bcc=beginning.typed(document.bcc)),
        one_line(document.subject),
        await _html(parts, user_id, row, document),
        plain=not document.has_html,
        quote="none",  # whoever wrote it there has it in the text
    )
    return Read(written, content)


async def files_of(parts: Gateway, user_id: UUID, row: MessageRow) -> Files:
    """While `uploads.hold` is held."""
    return await carrying.files(parts, user_id, [one for one in row.attachments if one.content_id or not one.inline])


async def _place(db: Connection, user_id: UUID, row: MessageRow) -> Mirror | None:
    """Where its copy is, if its server has numbered it. Raises Refused for what is no draft."""
    places = await placements.uids(db, user_id, row.account_id, [row.id])
    found = [
        one
        for one in places
        if one.special_use is SpecialUse.DRAFTS or "\\draft" in {flag.lower() for flag in one.flags}
    ]
    if not found:
        raise Refused(409, "no_draft", "This message is no draft. Answer or forward it instead.")
    return next((Mirror(row.account_id, one.mailbox_id, one.uidvalidity, one.uid) for one in found if one.uid), None)


async def _adopted(parts: Gateway, db: Connection, user_id: UUID, row: MessageRow, mirror: Mirror | None) -> New:
    mine = await beginning.own_identities(db, user_id)
    written, content = await read(parts, db, user_id, row, mine)
    identity = next(one for one in mine if one.id == content.identity_id)
    header = f"<{written.message_id}>" if written.message_id else beginning.message_id(parts, identity.email)
    source = await _source(db, user_id, row, written)
    return New(
        row.account_id,
        content,
        header,
        "new" if source is None else "reply",
        source,
        compose.own_conversation(written),
        continued_id=row.id,
        mirror=mirror,
        copies=[row.blob],
    )


async def _html(parts: Gateway, user_id: UUID, row: MessageRow, document: Document) -> str:
    if not document.has_html:
        return compose.html_of(document.text)
    return await parts.cleaner.edited(parts.blobs, user_id, row.blob)


async def _source(db: Connection, user_id: UUID, row: MessageRow, written: compose.Original) -> UUID | None:
    """What it answers, when that is here as well, so that it stays in its conversation."""
    parents = {ids.normalise(one) for one in written.in_reply_to}
    conversation = await mail.conversation(db, user_id, row.thread_id) if parents else None
    if conversation is None:
        return None
    return next((one.id for one in conversation.messages if one.message_id in parents), None)
