"""Files of drafts: they come in pieces and are blobs once they are whole."""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple
from uuid import UUID

from projections.sql import Connection, Statements

query = Statements("services.state", "uploads.sql")


class Upload(NamedTuple):
    """`received` of `size` bytes are here; complete once `blob`, the SHA-256 of the bytes, is known."""

    id: UUID
    draft_id: UUID
    filename: str
    mime: str
    size: int
    received: int
    inline: bool
    content_id: str | None
    blob: str | None


class Carried(NamedTuple):
    """A whole file, whose bytes are in the store."""

    filename: str
    mime: str
    size: int
    inline: bool
    content_id: str | None
    blob: str


async def hold(db: Connection, user_id: UUID) -> None:
    """Until this transaction ends the eraser decides nothing about the user's blobs: what is put after this is in the store
    when the row that names it is committed.
    """
    await db.execute(query.hold, user_id)


async def of_draft(db: Connection, user_id: UUID, draft_id: UUID) -> list[Upload]:
    """In the order in which they came."""
    return [Upload(*row) for row in await db.fetch(query.uploads, user_id, draft_id)]


async def find(db: Connection, user_id: UUID, draft_id: UUID, upload_id: UUID) -> Upload | None:
    """Nobody else changes it until this transaction ends."""
    row = await db.fetchrow(query.upload, user_id, draft_id, upload_id)
    return Upload(*row) if row else None


async def begin(
    db: Connection,
    user_id: UUID,
    draft_id: UUID,
    *,
    filename: str,
    mime: str,
    size: int,
    inline: bool,
    content_id: str | None,
) -> Upload:
    row = await db.fetchrow(query.begin, user_id, draft_id, filename, mime, size, inline, content_id)
    assert row is not None  # noqa: S101 - an INSERT without conditions returns its row
    return Upload(*row)


async def carry(db: Connection, user_id: UUID, draft_id: UUID, files: Sequence[Carried]) -> None:
    """Whole files, in this order."""
    await db.executemany(query.carry, [(user_id, draft_id, number, *file) for number, file in enumerate(files)])


async def receive(db: Connection, user_id: UUID, upload: Upload, piece: bytes) -> Upload:
    """The next piece of it; in the transaction in which it was found."""
    await db.execute(query.keep_piece, user_id, upload.id, upload.received, piece)
    row = await db.fetchrow(query.receive, user_id, upload.id, len(piece))
    assert row is not None  # noqa: S101 - `find` holds the row
    return Upload(*row)


async def pieces(db: Connection, user_id: UUID, upload_id: UUID) -> AsyncIterator[bytes]:
    """One after the other, from the first byte to the last."""
    start = 0
    while piece := await db.fetchval(query.piece, user_id, upload_id, start):
        yield piece
        start += len(piece)


async def complete(db: Connection, user_id: UUID, upload_id: UUID, *, blob: str, mime: str) -> Upload:
    """The bytes are in the store; the pieces are not needed any more."""
    await db.execute(query.forget_pieces, user_id, upload_id)
    row = await db.fetchrow(query.complete, user_id, upload_id, blob, mime)
    assert row is not None  # noqa: S101 - `find` holds the row
    return Upload(*row)


async def remove(db: Connection, user_id: UUID, draft_id: UUID, upload_id: UUID) -> bool:
    return await db.fetchval(query.remove, user_id, draft_id, upload_id) is not None
