"""Files of a message that become files of a draft."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

from projections.mail.rows import AttachmentRow, MessageRow
from services.gateway.attachments import serving
from services.gateway.deps import Gateway
from services.gateway.drafts import kinds
from services.gateway.lines import one_line
from services.mail import compose
from services.state.uploads import Carried

MEGABYTE = 1 << 20


class Files(NamedTuple):
    """What is carried, and a word for each that is not."""

    carried: list[Carried]
    warnings: list[str]


async def files(parts: Gateway, user_id: UUID, attachments: Sequence[AttachmentRow]) -> Files:
    """Decoded, each a blob; while `uploads.hold` is held."""
    room = parts.settings.message_max * MEGABYTE
    found = Files([], [])
    for one in attachments:
        if one.size > room:
            found.warnings.append(f"{one.filename or 'A file'} is too large to be carried over.")
            continue
        carried = await _decoded(parts, user_id, one)
        room -= carried.size
        found.carried.append(carried)
    return found


async def whole(parts: Gateway, user_id: UUID, message: MessageRow) -> Files:
    """The message itself, whose blob it shares unless that tells who was told in secret; while `uploads.hold` is held."""
    async with parts.blobs.file(user_id, message.blob) as path:
        size = (await asyncio.to_thread(path.stat)).st_size
    name = f"{one_line(message.subject)[:80] or 'message'}.eml"
    if size > parts.settings.message_max * MEGABYTE:
        return Files([], [f"{name} is too large to be carried over."])
    blob, raw = message.blob, await parts.blobs.get(user_id, message.blob)
    shown = compose.without_bcc(raw)
    if len(shown) < size:
        (blob,), size = await parts.blobs.put(user_id, [shown]), len(shown)
    return Files([Carried(name, "message/rfc822", size, inline=False, content_id=None, blob=blob)], [])


async def _decoded(parts: Gateway, user_id: UUID, one: AttachmentRow) -> Carried:
    spooled = parts.blobs.spool / f"carried-{uuid4().hex}"
    try:
        async with parts.blobs.file(user_id, one.blob) as path:
            size = await asyncio.to_thread(_write, path, one, spooled)
        mime = kinds.completed(one.mime, await asyncio.to_thread(kinds.head, spooled), one.charset or "")
        (sha,) = await parts.blobs.put(user_id, [spooled])
    finally:
        spooled.unlink(missing_ok=True)
    name = one_line(one.filename) or "attachment"
    return Carried(name, mime, size, inline=one.inline, content_id=one.content_id, blob=sha)


def _write(path: Path, one: AttachmentRow, spooled: Path) -> int:
    with spooled.open("wb") as file:
        return sum(file.write(piece) for piece in serving.pieces(path, one))
