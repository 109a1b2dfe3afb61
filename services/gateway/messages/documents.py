"""The documents of messages: from the memo, or parsed again by a child when this version's parser has not been there yet."""

import asyncio
from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

import structlog

from projections.documents import memo
from projections.documents.document import VERSION, Document, unreadable
from projections.documents.memo import Encoded
from projections.sql import Connection, Statements
from services.blobs import BlobMissing
from services.gateway.deps import Gateway

query = Statements("services.gateway.messages", "read.sql")
log = structlog.get_logger()


class Read(NamedTuple):
    """A document without its HTML, and whether it has any."""

    document: Document
    has_html: bool


async def read(
    parts: Gateway, db: Connection, user_id: UUID, blobs: Collection[str], texts: Collection[str]
) -> dict[str, Read]:
    """Every blob's document; those in `texts` with their text."""
    rows = await db.fetch(query.documents, user_id, VERSION, list(blobs), list(texts))
    found = {
        row["blob"]: Read(Encoded(row["envelope"], row["body_text"], None).document, row["has_html"]) for row in rows
    }
    missing = set(blobs) - found.keys()
    parsed = await asyncio.gather(*(_parse(parts, user_id, blob) for blob in missing))
    return found | {
        blob: Read(document, document.html is not None) for blob, document in zip(missing, parsed, strict=True)
    }


async def whole(parts: Gateway, db: Connection, user_id: UUID, blob: str) -> Document:
    """A document with its HTML."""
    found = await memo.whole(db, user_id, [blob])
    return found[blob] if blob in found else await _parse(parts, user_id, blob)


async def _parse(parts: Gateway, user_id: UUID, blob: str) -> Document:
    """A lost blob must not hide the rest of a conversation: it is shown as a message that says so."""
    try:
        async with parts.blobs.file(user_id, blob) as path:
            parsed = await parts.parser.parse([path])
    except BlobMissing:
        log.exception("blob missing", user_id=str(user_id), blob=blob)
        return unreadable("its source is missing from the store", 0)
    return parsed[0].encoded.document
