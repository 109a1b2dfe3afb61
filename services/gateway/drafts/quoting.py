"""The original below an answer: made once, so that the draft's copy on the server and the mail that is sent have the same."""

import asyncio
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from projections.mail import reader as mail
from projections.mail.rows import MessageRow
from services.gateway.deps import Gateway, as_user
from services.gateway.messages import documents
from services.mail import compose
from services.state import quotes
from services.state.drafts import Kind
from services.state.quotes import Below
from services.state.sessions import Session


async def keep(parts: Gateway, user: Session, draft_id: UUID, *, kind: Kind, source: UUID | None) -> None:
    """In the user's language and time zone of now; what is kept already, or gone, stays so.

    Takes a while, in which no connection to the database is held.
    """
    if source is None or kind == "new":
        return
    async with as_user(parts.db, user.user_id) as db:
        kept = await quotes.is_kept(db, user.user_id, draft_id)
        original = None if kept else await mail.message(db, user.user_id, source)
    if original is not None:
        below = Below(original.blob, await _quote(parts, user, kind, original))
        async with as_user(parts.db, user.user_id) as db:
            await quotes.keep(db, user.user_id, draft_id, original.account_id, below)


async def _quote(parts: Gateway, user: Session, kind: compose.Kind, original: MessageRow) -> compose.Quote:
    """What is forwarded keeps its remote images, which whoever reads it loads or not."""
    document = await documents.whole(parts, user.user_id, original.blob)
    if kind == "forward" and document.blocked:
        html = await parts.cleaner.quoted(parts.blobs, user.user_id, original.blob)
        document = msgspec.structs.replace(document, html=html or document.html)
    language, zone = user.settings.language, ZoneInfo(user.settings.tz)
    return await asyncio.to_thread(compose.quote, document, kind, language, zone, original.sent_at)
