"""The documents of messages: from the memo, or from their bytes when this version's parser has not been there yet.

The memo has no HTML: whoever opens a message that has any is given it cleaned from the bytes.
"""

import asyncio
from collections.abc import Collection, Mapping
from uuid import UUID

import msgspec
import structlog

from projections.documents.document import VERSION, Document, unreadable
from projections.documents.memo import Encoded
from projections.sql import Connection, Statements
from services.blobs import BlobMissing
from services.gateway.deps import Gateway

query = Statements("services.gateway.messages", "read.sql")
log = structlog.get_logger()


async def read(
    parts: Gateway, db: Connection, user_id: UUID, blobs: Collection[str], opened: Collection[str]
) -> Mapping[str, Document]:
    """Every blob's document; of those that are not in `opened` only what is said about them, without their bodies."""
    rows = await db.fetch(query.documents, user_id, VERSION, list(blobs), list(opened))
    found = {row["blob"]: Encoded(row["envelope"], row["body_text"]).document for row in rows}
    wanted = [blob for blob in blobs if blob not in found or (blob in opened and found[blob].has_html)]
    return found | dict(
        zip(
            wanted,
            await asyncio.gather(*(_open(parts, user_id, blob, found.get(blob)) for blob in wanted)),
            strict=True,
        )
    )


async def whole(parts: Gateway, db: Connection, user_id: UUID, blob: str) -> Document:
    """A document with its bodies."""
    return (await read(parts, db, user_id, {blob}, {blob}))[blob]


async def _open(parts: Gateway, user_id: UUID, blob: str, kept: Document | None) -> Document:
    """A lost blob must not hide the rest of a conversation: its text is shown where it is kept, or a message that says so."""
    try:
        return await parts.opener.document(user_id, blob)
    except BlobMissing:
        log.exception("blob missing", user_id=str(user_id), blob=blob)
        if kept is not None:
            return msgspec.structs.replace(kept, has_html=False)
        return unreadable("its source is missing from the store", 0)
