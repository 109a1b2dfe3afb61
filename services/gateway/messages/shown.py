"""Messages as the API shows them: the row, its document, and what this user allows."""

from asyncio import gather
from collections.abc import Collection, Sequence
from uuid import UUID

from projections.documents.addresses import Address
from projections.documents.document import SANITIZER_VERSION, Document
from projections.mail.rows import AttachmentRow, MessageRow
from projections.sql import Connection
from services.gateway.attachments.kinds import PREVIEWABLE
from services.gateway.deps import Gateway
from services.gateway.messages import documents, unsubscribing
from services.gateway.messages.structs import Addr, Attachment, Message, RemoteImages, Unsubscribe
from services.state import images


async def messages(
    parts: Gateway, db: Connection, user_id: UUID, rows: Sequence[MessageRow], expanded: Collection[UUID]
) -> list[Message]:
    """In the order of `rows`; those in `expanded` with their text."""
    texts = {row.blob for row in rows if row.id in expanded}
    read = await documents.read(parts, db, user_id, {row.blob for row in rows}, texts)
    allowed = await images.allowed(db, user_id, {row.id: row.sender.email for row in rows})
    opened = [row for row in rows if row.id in expanded]
    found = await gather(*(unsubscribing.way(parts, user_id, row.blob, read[row.blob]) for row in opened))
    ways = {row.id: way for row, way in zip(opened, found, strict=True)}
    return [
        _message(row, read[row.blob], ways.get(row.id), expanded=row.id in expanded, allowed=row.id in allowed)
        for row in rows
    ]


def _message(row: MessageRow, document: Document, way: Unsubscribe | None, *, expanded: bool, allowed: bool) -> Message:
    flags = {flag.lower() for flag in row.flags}
    return Message(
        id=row.id,
        thread_id=row.thread_id,
        account_id=row.account_id,
        mailbox_ids=row.mailbox_ids,
        from_=_people(document.from_),
        sender=_people(document.sender),
        reply_to=_people(document.reply_to),
        to=_people(document.to),
        cc=_people(document.cc),
        bcc=_people(document.bcc),
        subject=row.subject,
        date=row.sent_at,
        internal_date=row.internal_date,
        unread=row.unread,
        starred="\\flagged" in flags,
        answered="\\answered" in flags,
        draft="\\draft" in flags,
        forwarded="$forwarded" in flags,
        flags=row.flags,
        size=row.size,
        snippet=row.snippet,
        expanded=expanded,
        text=document.text if expanded else None,
        has_html=document.has_html,
        designed=document.designed,
        remote_images=RemoteImages(blocked=document.blocked, allowed=allowed),
        attachments=[_attachment(attachment) for attachment in row.attachments],
        warnings=document.warnings,
        message_id=row.message_id,
        list_unsubscribe=way,
        sanitizer_version=SANITIZER_VERSION,
    )


def _people(found: Sequence[Address]) -> list[Addr]:
    return [Addr(name=one.name, email=one.email) for one in found]


def _attachment(row: AttachmentRow) -> Attachment:
    return Attachment(
        id=row.id,
        filename=row.filename,
        mime=row.mime,
        size=row.size,
        inline=row.inline,
        content_id=row.content_id,
        previewable=row.mime in PREVIEWABLE,
    )
