"""Saving a draft: the whole of it, only over the revision that it was made of."""

from uuid import UUID

from projections.sql import Connection
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import quoting
from services.gateway.drafts.beginning import typed
from services.gateway.drafts.errors import StaleError, being_sent, no_such_sender
from services.gateway.drafts.shown import shown
from services.gateway.drafts.structs import Draft, SaveDraft
from services.gateway.drafts.telling import tell
from services.gateway.errors import not_found
from services.gateway.lines import one_line
from services.state import drafts, identities
from services.state.drafts import Content, Recipients
from services.state.sessions import Session


async def save(parts: Gateway, user: Session, draft_id: UUID, wish: SaveDraft) -> Draft:
    """As it is kept, which may be cleaner. Raises Refused, Stale."""
    user_id = user.user_id
    async with as_user(parts.db, user_id) as db:
        before = await drafts.find(db, user_id, draft_id)
        if before is None:
            raise not_found("draft")
        if wish.identity_id not in {one.id for one in await identities.of_user(db, user_id)}:
            raise no_such_sender()
    if wish.quote == "full":
        await quoting.keep(parts, user, draft_id, kind=before.kind, source=before.source_message_id)
    html = wish.html if wish.html == before.content.html else await parts.cleaner.written(wish.html)
    content = Content(
        wish.identity_id,
        Recipients(to=typed(wish.to), cc=typed(wish.cc), bcc=typed(wish.bcc)),
        one_line(wish.subject),
        html,
        wish.plain,
        wish.quote,
    )
    async with as_user(parts.db, user_id) as db:
        await check_changeable(db, user_id, draft_id)
        saved = await drafts.save(db, user_id, draft_id, wish.revision, content)
        now = await drafts.find(db, user_id, draft_id)
        if now is None:
            raise not_found("draft")
        answer = await shown(parts, db, user_id, now)
    if not saved and not _same(now, wish.revision, content):
        raise StaleError(answer)
    await tell(parts, user_id, now)
    return answer


async def check_changeable(db: Connection, user_id: UUID, draft_id: UUID) -> None:
    """Nobody else changes it until this transaction ends. Raises Refused."""
    if not await drafts.changeable(db, user_id, draft_id):
        raise not_found("draft") if await drafts.find(db, user_id, draft_id) is None else being_sent()


def _same(now: drafts.Draft, revision: int, content: Content) -> bool:
    """The same save again, whose answer was lost."""
    return now.revision == revision + 1 and now.content == content
