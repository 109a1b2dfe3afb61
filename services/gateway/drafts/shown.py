"""Drafts as the API shows them: the row, its files, and the original that it answers."""

from collections.abc import Sequence
from uuid import UUID

from projections.documents import ids
from projections.mail import reader as mail
from projections.mail.rows import MessageRow
from projections.sql import Connection, Statements
from services.gateway.deps import Gateway
from services.gateway.drafts.structs import Draft, Quoted, Upload
from services.gateway.messages import documents
from services.gateway.messages.structs import Addr
from services.state import drafts, uploads

query = Statements("services.gateway.drafts", "read.sql")


async def shown(
    parts: Gateway, db: Connection, user_id: UUID, draft: drafts.Draft, warnings: Sequence[str] = ()
) -> Draft:
    source = await mail.message(db, user_id, draft.source_message_id) if draft.source_message_id else None
    content = draft.content
    return Draft(
        id=draft.id,
        revision=draft.revision,
        account_id=draft.account_id,
        identity_id=content.identity_id,
        kind=draft.kind,
        source_message_id=draft.source_message_id,
        thread_id=source.thread_id if source else await _thread_of_copy(db, user_id, draft),
        to=people(content.recipients.to),
        cc=people(content.recipients.cc),
        bcc=people(content.recipients.bcc),
        subject=content.subject,
        html=content.html,
        plain=content.plain,
        quote=content.quote,
        quoted=await _quoted(parts, db, user_id, source) if source else None,
        attachments=[upload(one) for one in await uploads.of_draft(db, user_id, draft.id)],
        updated_at=draft.updated_at,
        outbox_id=outbox(draft),
        saved_on_server=_is_mirrored(draft),
        warnings=list(warnings),
    )


def upload(row: uploads.Upload) -> Upload:
    return Upload(
        id=row.id,
        filename=row.filename,
        mime=row.mime,
        size=row.size,
        received=row.received,
        inline=row.inline,
        content_id=row.content_id,
        complete=row.blob is not None,
    )


async def _quoted(parts: Gateway, db: Connection, user_id: UUID, source: MessageRow) -> Quoted:
    document = (await documents.read(parts, db, user_id, {source.blob}, ()))[source.blob]
    sender = Addr(name=source.sender.name, email=source.sender.email) if source.sender.email else None
    return Quoted(message_id=source.id, from_=sender, date=source.sent_at, has_html=document.has_html)


async def _thread_of_copy(db: Connection, user_id: UUID, draft: drafts.Draft) -> UUID | None:
    if draft.mirror is None:
        return None
    thread: UUID | None = await db.fetchval(query.thread_of_copy, user_id, header(draft))
    return thread


def header(draft: drafts.Draft | drafts.Known) -> str | None:
    """Its Message-ID as documents have it."""
    return ids.normalise(draft.message_id_header.strip("<>"))


def people(found: Sequence[drafts.Person]) -> list[Addr]:
    return [Addr(name=one.name, email=one.email) for one in found]


def outbox(draft: drafts.Draft) -> UUID | None:
    """What was taken back is done with."""
    return None if draft.state == "cancelled" else draft.outbox_id


def _is_mirrored(draft: drafts.Draft) -> bool:
    mirror = draft.mirror
    return mirror is not None and mirror.account_id == draft.account_id and draft.mirrored == draft.edition
