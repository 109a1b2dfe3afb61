"""The originals below drafts, as they were made when these were begun: for the mail that is sent, and for the copy on the server."""

from typing import NamedTuple
from uuid import UUID

import msgspec

from projections.sql import Connection, Statements
from services.mail.compose import Quote, QuotedImage

query = Statements("services.state", "quotes.sql")

_images = msgspec.json.Decoder(list[QuotedImage])


class Below(NamedTuple):
    """`blob`: the original's bytes, of which the quote's images are parts."""

    blob: str
    quote: Quote


async def keep(db: Connection, user_id: UUID, draft_id: UUID, account_id: UUID, below: Below) -> None:
    """`account_id`: of the original, with which this goes. Whoever is second changes nothing."""
    quote, images = below.quote, msgspec.json.encode(below.quote.images).decode()
    await db.execute(query.keep, user_id, draft_id, account_id, below.blob, quote.html, quote.text, images)


async def is_kept(db: Connection, user_id: UUID, draft_id: UUID) -> bool:
    kept: bool = await db.fetchval(query.is_kept, user_id, draft_id)
    return kept


async def of_draft(db: Connection, user_id: UUID, draft_id: UUID) -> Below | None:
    """What goes out below it; None when that is not wished, or the original is gone."""
    row = await db.fetchrow(query.of_draft, user_id, draft_id)
    if row is None:
        return None
    return Below(row["blob"], Quote(html=row["html"], text=row["text"], images=_images.decode(row["images"])))
