"""Parts of mail and whole mails as downloads, or shown where that is safe; large ones in pieces from the blob."""

import asyncio
import mmap
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

from litestar import Response
from litestar.response import Stream

from projections.documents import transfer
from projections.mail.rows import AttachmentRow, MessageRow
from services.blobs import Blobs
from services.gateway.attachments import kinds

_CHUNK = 1 << 20
_NAME_LIMIT = 150
_CHARSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,39}")
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]+')

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'self'; sandbox",
    "Cache-Control": "private, max-age=86400, immutable",
    "Cross-Origin-Resource-Policy": "same-origin",
}


async def part(blobs: Blobs, user_id: UUID, attachment: AttachmentRow, *, inline: bool) -> Response[Any]:
    """One attachment, decoded. `inline` counts only for kinds that are safe to show."""
    async with blobs.file(user_id, attachment.blob) as path:
        head = await asyncio.to_thread(_head, path, attachment)
    kind = kinds.served(attachment.mime, head)
    headers = {
        **HEADERS,
        "Content-Length": str(attachment.size),
        "Content-Disposition": disposition(attachment.filename, inline=inline and kind != kinds.OTHER),
    }
    if len(head) == attachment.size:
        return Response(head, media_type=kind, encoding=_charset(attachment), headers=headers)
    stream = _decoded(blobs, user_id, attachment)
    return Stream(stream, media_type=kind, encoding=_charset(attachment), headers=headers)


async def whole(blobs: Blobs, user_id: UUID, message: MessageRow, *, inline: bool) -> Response[Any]:
    """The message, byte for byte, to be saved; `inline`: to be read as text."""
    async with blobs.file(user_id, message.blob) as path:
        size = (await asyncio.to_thread(path.stat)).st_size
    headers = {
        **HEADERS,
        "Content-Length": str(size),
        "Content-Disposition": disposition(f"{message.subject[:80] or 'message'}.eml", inline=inline),
    }
    kind = "text/plain" if inline else "message/rfc822"
    return Stream(_raw(blobs, user_id, message.blob), media_type=kind, headers=headers)


def disposition(filename: str, *, inline: bool) -> str:
    """RFC 6266 §4.3: an ASCII name for the old, the true one for the rest; neither leads out of a folder."""
    name = safe_name(filename)
    plain = "".join(letter if " " <= letter <= "~" and letter != "%" else "_" for letter in name)
    how = "inline" if inline else "attachment"
    return f"{how}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def safe_name(filename: str) -> str:
    """Of one folder, with its extension, and not too long."""
    name = _NOT_IN_NAMES.sub("_", filename).strip(". ")
    stem, dot, extension = name.rpartition(".")
    if len(name) > _NAME_LIMIT:
        name = f"{stem[: _NAME_LIMIT - 20]}{dot}{extension[:19]}" if stem else name[:_NAME_LIMIT]
    return name or "attachment"


async def _decoded(blobs: Blobs, user_id: UUID, attachment: AttachmentRow) -> AsyncIterator[bytes]:
    async with blobs.file(user_id, attachment.blob) as path:
        found = pieces(path, attachment)
        while (piece := await asyncio.to_thread(next, found, None)) is not None:
            yield piece


async def _raw(blobs: Blobs, user_id: UUID, blob: str) -> AsyncIterator[bytes]:
    async with blobs.file(user_id, blob) as path:
        file = await asyncio.to_thread(path.open, "rb")
        try:
            while piece := await asyncio.to_thread(file.read, _CHUNK):
                yield piece
        finally:
            file.close()


def _head(path: Path, attachment: AttachmentRow) -> bytes:
    return next(pieces(path, attachment), b"")


def pieces(path: Path, attachment: AttachmentRow) -> Iterator[bytes]:
    """The blob is mapped, not read: an attachment costs one piece of memory whatever its size."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            yield from transfer.chunks(raw, attachment.start, attachment.length, attachment.encoding)


def _charset(attachment: AttachmentRow) -> str:
    given = attachment.charset or ""
    return given if _CHARSET.fullmatch(given) else "utf-8"
