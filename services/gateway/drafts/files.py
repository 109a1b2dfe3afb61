"""Files of a draft: they come in pieces of a megabyte, so that a broken upload is gone on with, and are blobs when whole."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

from projections.mail.rows import AttachmentRow
from projections.sql import Connection
from services.gateway.attachments.kinds import OTHER
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import kinds
from services.gateway.drafts.carrying import MEGABYTE
from services.gateway.drafts.errors import MisplacedError
from services.gateway.drafts.saving import check_changeable
from services.gateway.drafts.shown import upload
from services.gateway.drafts.structs import FILES_LIMIT, NewUpload, Upload
from services.gateway.drafts.telling import tell
from services.gateway.errors import Refused, not_found
from services.gateway.lines import one_line
from services.state import drafts, uploads


async def begin(parts: Gateway, user_id: UUID, draft_id: UUID, wish: NewUpload) -> Upload:
    """Raises Refused when it is too large, or there are too many."""
    async with as_user(parts.db, user_id) as db:
        await check_changeable(db, user_id, draft_id)
        _check_limits(parts, wish, await uploads.of_draft(db, user_id, draft_id))
        content_id = (wish.content_id or f"{uuid4().hex}@inline") if wish.inline else None
        filename = one_line(wish.filename) or "attachment"
        charset = kinds.charset_of(wish.mime)
        said = f"{OTHER}; charset={charset}" if charset else OTHER
        begun = await uploads.begin(
            db,
            user_id,
            draft_id,
            filename=filename,
            mime=said,
            size=wish.size,
            inline=wish.inline,
            content_id=content_id,
        )
    return upload(begun if begun.size else await _complete(parts, user_id, begun))


async def receive(
    parts: Gateway, user_id: UUID, draft_id: UUID, upload_id: UUID, *, offset: int, piece: bytes
) -> Upload:
    """Raises Misplaced for a piece that does not follow what is here. The last one makes it whole."""
    async with as_user(parts.db, user_id) as db:
        await check_changeable(db, user_id, draft_id)
        found = await _found(db, user_id, draft_id, upload_id)
        if offset != found.received:
            raise MisplacedError(upload(found))
        if found.received + len(piece) > found.size:
            raise Refused(413, "too_large", "This is more than the size that was announced.")
        if piece:
            found = await uploads.receive(db, user_id, found, piece)
    if found.received == found.size and found.blob is None:
        found = await _complete(parts, user_id, found)
    return upload(found)


async def whole(parts: Gateway, user_id: UUID, draft_id: UUID, upload_id: UUID) -> AttachmentRow:
    """To be served like a part of a message. Raises Refused while it is not complete."""
    async with as_user(parts.db, user_id) as db:
        draft = await drafts.find(db, user_id, draft_id)
        found = await _found(db, user_id, draft_id, upload_id)
    if draft is None or found.blob is None:
        raise not_found("attachment")
    return AttachmentRow(
        id=found.id, message_id=draft_id, account_id=draft.account_id, blob=found.blob, index=0, filename=found.filename,
        mime=found.mime.partition(";")[0], size=found.size, inline=found.inline, content_id=found.content_id, start=0, length=found.size,
        encoding="binary", charset=kinds.charset_of(found.mime) or None,
    )  # fmt: skip


async def remove(parts: Gateway, user_id: UUID, draft_id: UUID, upload_id: UUID) -> None:
    """Its blob is left to the eraser. Raises Refused."""
    async with as_user(parts.db, user_id) as db:
        await check_changeable(db, user_id, draft_id)
        if not await uploads.remove(db, user_id, draft_id, upload_id):
            raise not_found("attachment")
        await drafts.touch(db, user_id, draft_id)
    await _tell(parts, user_id, draft_id)


async def _found(db: Connection, user_id: UUID, draft_id: UUID, upload_id: UUID) -> uploads.Upload:
    found = await uploads.find(db, user_id, draft_id, upload_id)
    if found is None:
        raise not_found("attachment")
    return found


async def _complete(parts: Gateway, user_id: UUID, received: uploads.Upload) -> uploads.Upload:
    """Whoever is second finds it done."""
    spooled = parts.blobs.spool / f"upload-{uuid4().hex}"
    async with as_user(parts.db, user_id) as db:
        await uploads.hold(db, user_id)
        await check_changeable(db, user_id, received.draft_id)
        found = await _found(db, user_id, received.draft_id, received.id)
        if found.blob is not None:
            return found
        try:
            await asyncio.to_thread(spooled.touch)
            async for piece in uploads.pieces(db, user_id, found.id):
                await asyncio.to_thread(_append, spooled, piece)
            kind = kinds.sent_as(
                found.filename, await asyncio.to_thread(kinds.head, spooled), kinds.charset_of(found.mime)
            )
            (sha,) = await parts.blobs.put(user_id, [spooled])
        finally:
            spooled.unlink(missing_ok=True)
        found = await uploads.complete(db, user_id, found.id, blob=sha, mime=kind)
        await drafts.touch(db, user_id, found.draft_id)
    await _tell(parts, user_id, found.draft_id)
    return found


async def _tell(parts: Gateway, user_id: UUID, draft_id: UUID) -> None:
    async with as_user(parts.db, user_id) as db:
        draft = await drafts.find(db, user_id, draft_id)
    if draft is not None:
        await tell(parts, user_id, draft)


def _check_limits(parts: Gateway, wish: NewUpload, others: list[uploads.Upload]) -> None:
    most, together = parts.settings.attachment_max, parts.settings.message_max
    if wish.size > most * MEGABYTE:
        raise Refused(413, "too_large", f"A file may have {most} MB. Send it in another way, or a link to it.")
    if wish.size + sum(one.size for one in others) > together * MEGABYTE:
        raise Refused(413, "too_large", f"All files of a message may have {together} MB together.")
    if len(others) >= FILES_LIMIT:
        raise Refused(413, "too_many_files", f"A message may have {FILES_LIMIT} files.")


def _append(path: Path, piece: bytes) -> None:
    with path.open("ab") as file:
        file.write(piece)
