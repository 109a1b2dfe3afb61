"""All files of a message as one ZIP, written while it is sent: no larger than the message, and in memory a piece at a time."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from io import RawIOBase
from itertools import count
from pathlib import Path
from typing import Any
from unicodedata import normalize
from uuid import UUID
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from litestar import Response
from litestar.response import Stream

from projections.mail.rows import AttachmentRow, MessageRow
from services.blobs import Blobs
from services.gateway.attachments import serving

_EARLIEST, _LATEST = 1980, 2107
"""The years that the format has."""

_DEVICES = re.compile(r"(?i:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)")
"""What Windows opens as something else than a file."""

_PLAIN_FILE = 0o100644 << 16


def zipped(blobs: Blobs, user_id: UUID, message: MessageRow, attachments: Sequence[AttachmentRow]) -> Response[Any]:
    """To be saved under the message's subject."""
    name = f"{message.subject[:80] or 'attachments'}.zip"
    headers = {**serving.HEADERS, "Content-Disposition": serving.disposition(name, inline=False)}
    stream = _sent(blobs, user_id, message, attachments)
    return Stream(stream, media_type="application/zip", headers=headers)


def unique_names(filenames: Sequence[str]) -> list[str]:
    """Safe ones, of which no two are the same file on any system."""
    taken: set[str] = set()
    return [_untaken(serving.safe_name(filename), taken) for filename in filenames]


async def _sent(
    blobs: Blobs, user_id: UUID, message: MessageRow, attachments: Sequence[AttachmentRow]
) -> AsyncIterator[bytes]:
    async with blobs.file(user_id, message.blob) as path:
        found = _pieces(path, attachments, message.internal_date)
        while (piece := await asyncio.to_thread(next, found, None)) is not None:
            yield piece


def _pieces(path: Path, attachments: Sequence[AttachmentRow], at: datetime) -> Iterator[bytes]:
    """Stored as they are: most files are compressed already."""
    out = _Out()
    names = unique_names([one.filename for one in attachments])
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, one in zip(names, attachments, strict=True):
            entry = ZipInfo(name, _dated(at))
            entry.external_attr = _PLAIN_FILE
            with archive.open(entry, "w", force_zip64=True) as file:
                for piece in serving.pieces(path, one):
                    file.write(piece)
                    yield out.taken()
    yield out.taken()


class _Out(RawIOBase):
    """Takes what is written until it is sent; can't go back, so the sizes stand behind each file."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def taken(self) -> bytes:
        found = bytes(self._written)
        self._written.clear()
        return found


def _untaken(name: str, taken: set[str]) -> str:
    if _DEVICES.match(name):
        name = f"_{name}"
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    numbered = (name if n == 1 else f"{stem} ({n}){dot}{extension}" for n in count(1))
    found = next(one for one in numbered if _same(one) not in taken)
    taken.add(_same(found))
    return found


def _same(name: str) -> str:
    return normalize("NFKC", name).casefold()


def _dated(at: datetime) -> tuple[int, int, int, int, int, int]:
    if not _EARLIEST <= at.year <= _LATEST:
        return (_EARLIEST, 1, 1, 0, 0, 0)
    return (at.year, at.month, at.day, at.hour, at.minute, at.second)
