"""The documents of messages: from the memo, or from their bytes when this version's parser has not been there yet.

The memo has no HTML: whoever opens a message that has any is given it cleaned from the bytes.
"""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress
from uuid import UUID

import msgspec
import structlog

from projections.documents.document import VERSION, Document, unreadable
from projections.documents.memo import Encoded
from projections.sql import Connection, Statements
from services.blobs import BlobMissing
from services.gateway.deps import Gateway, as_user

query = Statements("services.gateway.messages", "read.sql")
log = structlog.get_logger()


async def read(
    parts: Gateway, db: Connection, user_id: UUID, blobs: Collection[str], opened: Collection[str]
) -> Mapping[str, Document]:
    """Every blob's document; of those that are not in `opened` only what is said about them, without their bodies."""
    found = await _known(db, user_id, blobs, opened)
    wanted = [blob for blob in blobs if blob not in found or (blob in opened and found[blob].has_html)]
    return found | dict(
        zip(
            wanted,
            await asyncio.gather(*(_open(parts, user_id, blob, found.get(blob)) for blob in wanted)),
            strict=True,
        )
    )


async def whole(parts: Gateway, user_id: UUID, blob: str) -> Document:
    """A document with its bodies. Takes a while, in which no connection to the database is held."""
    with suppress(BlobMissing):
        document = await parts.opener.document(user_id, blob)
        if _is_read(document):
            return document
    async with as_user(parts.db, user_id) as db:
        known = await _known(db, user_id, [blob], [blob])
    return await _open(parts, user_id, blob, known.get(blob))


async def _known(db: Connection, user_id: UUID, blobs: Collection[str], opened: Collection[str]) -> dict[str, Document]:
    """Those that the memo has; those in `opened` with their text."""
    rows = await db.fetch(query.documents, user_id, VERSION, list(blobs), list(opened))
    return {row["blob"]: Encoded(row["envelope"], row["body_text"]).document for row in rows}


async def _open(parts: Gateway, user_id: UUID, blob: str, known: Document | None) -> Document:
    """One that is lost, or kills its parser with its HTML, is shown with the text that is kept of it, and says so."""
    try:
        document = await parts.opener.document(user_id, blob)
    except BlobMissing:
        log.error("blob missing", user_id=str(user_id), blob=blob)  # noqa: TRY400 - its trace tells nothing more
        document = unreadable("its source is missing from the store", 0)
    if known is None or _is_read(document):
        return document
    return msgspec.structs.replace(known, has_html=False, warnings=[*known.warnings, *document.warnings])


def _is_read(document: Document) -> bool:
    return bool(document.synthetic_id)
