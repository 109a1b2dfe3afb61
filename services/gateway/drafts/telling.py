"""Telling the user's other tabs that a draft has changed, or is no more: `draft.saved` only says that they should ask again."""

from uuid import UUID

import structlog

from contracts import events, subjects
from contracts.codec import encode
from contracts.events import DraftSaved
from services.gateway.deps import Gateway
from services.log.errors import LogError
from services.log.publish import Message, publish
from services.state.drafts import Draft

log = structlog.get_logger()


async def tell(parts: Gateway, user_id: UUID, draft: Draft) -> None:
    """After the commit. What nobody hears of is found by the next save, which is refused."""
    await _publish(parts, user_id, draft, f"draft:{draft.id}:{draft.edition}")


async def tell_of_end(parts: Gateway, user_id: UUID, draft: Draft) -> None:
    """After the commit that deleted it, with its last revision: whoever asks for it again gets 404, and the list is without it."""
    await _publish(parts, user_id, draft, f"draft:{draft.id}:end")


async def _publish(parts: Gateway, user_id: UUID, draft: Draft, key: str) -> None:
    event = DraftSaved(user_id=user_id, draft_id=draft.id, revision=draft.revision)
    message = Message(subjects.event(user_id, events.name(DraftSaved)), encode(event), key)
    try:
        await publish(parts.log, [message])
    except LogError as error:
        log.warning("draft not told of", draft_id=str(draft.id), error=type(error).__name__)
