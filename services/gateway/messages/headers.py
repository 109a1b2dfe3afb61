"""The header of a message, read of its source: for what its document does not keep."""

import asyncio
from pathlib import Path
from uuid import UUID

from projections.documents import headers
from services.gateway.deps import Gateway

_MOST = 1 << 20
"""Bytes in which a header ends."""


def head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST)


async def read(parts: Gateway, user_id: UUID, blob: str) -> list[tuple[str, str]]:
    """Every field as a person reads it, in order. Raises BlobMissing."""
    async with parts.blobs.file(user_id, blob) as path:
        return await asyncio.to_thread(lambda: headers(head(path)))
