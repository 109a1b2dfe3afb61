"""Drafts that somebody deleted with another program: whose copy, which was the draft as it is, lies nowhere any more or in Trash.

Nothing is guessed. Sync has looked past the copy's number in a listing that is whole; nothing took its place for as long as a
look at every mailbox takes; and all that is forgotten here was in the copy. What was written here since is copied anew instead.
"""

import asyncio
from uuid import UUID

import structlog

from contracts import codec, ids
from contracts.facts import MailboxMarked
from contracts.subjects import AccountSubjects
from projections.sql import Connection
from services.database import UNAVAILABLE
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts.missed import Absent
from services.gateway.drafts.noticing import SETTLED
from services.gateway.drafts.shown import header, query
from services.gateway.drafts.telling import tell_of_end
from services.log import api
from services.log.errors import LogError
from services.state import drafts

SCHEMAS = ("mail",)

LOOK = 15.0
"""Seconds that a look at an account's mailboxes takes, at most as a rule; one begins every `POLL_WARM` while its user is there."""

EVERY = 5.0
"""Seconds between two looks for what is due."""

AWAY: tuple[type[Exception], ...] = (LogError, *UNAVAILABLE)

log = structlog.get_logger()


async def miss(parts: Gateway, user_id: UUID) -> None:
    """Remember which copies are absent now."""
    async with as_user(parts.db, user_id) as db:
        parts.missed.note(user_id, await _absent(db, user_id))


async def keep_ending(parts: Gateway) -> None:
    """What could not be judged is noticed again by the next look at the list."""
    while True:
        for user_id, absent in parts.missed.due(parts.settings.poll_warm + LOOK):
            try:
                await end(parts, user_id, absent)
            except AWAY as error:
                log.warning("draft not judged", draft=str(absent.draft_id), error=type(error).__name__)
        await asyncio.sleep(EVERY)


async def end(parts: Gateway, user_id: UUID, absent: Absent) -> None:
    """Forget the draft, if it is still so and its copy is certain to have been deleted. Its copy in Trash stays there."""
    if not await _looked_past(parts, user_id, absent):
        return
    async with as_user(parts.db, user_id) as db:
        if not await drafts.changeable(db, user_id, absent.draft_id):
            return
        draft = await drafts.find(db, user_id, absent.draft_id)
        if draft is None or not await _deleted(db, user_id, absent, header(draft)):
            return
        await drafts.forget(db, user_id, draft.id)
    log.info("draft deleted elsewhere", draft=str(draft.id))
    await tell_of_end(parts, user_id, draft)


async def _absent(db: Connection, user_id: UUID, draft_id: UUID | None = None) -> list[Absent]:
    """Of one draft, or of all."""
    return [Absent(*row) for row in await db.fetch(query.absent, user_id, draft_id)]


async def _looked_past(parts: Gateway, user_id: UUID, absent: Absent) -> bool:
    """Whether sync has told all of this listing up to the copy's number, and the read model knows it."""
    account = AccountSubjects(parts.partition(user_id), user_id, absent.account_id)
    last = await api.last(parts.log, account.partition, account.mark(absent.mailbox_id))
    mark = codec.decode_at(last.subject, last.data) if last else None
    if last is None or not isinstance(mark, MailboxMarked) or not mark.done or mark.high_uid < absent.uid:
        return False
    same = (mark.generation, mark.uidvalidity) == (absent.generation, absent.uidvalidity)
    return same and await parts.positions.wait(user_id, SCHEMAS, last.sequence)


async def _deleted(db: Connection, user_id: UUID, absent: Absent, message_id: str | None) -> bool:
    """Whether all is as it was when the copy was missed, it was not moved elsewhere, and no other program made anything of it.

    `message_id`: the draft's, as documents have it.
    """
    if absent not in await _absent(db, user_id, absent.draft_id):
        return False
    if await db.fetch(query.strangers, user_id, absent.draft_id, SETTLED):
        return False
    copy = [ids.message_id(absent.account_id, absent.blob), absent.continued_id]
    ref = ids.thread_ref(user_id, message_id) if message_id else None
    thrown_away: bool = await db.fetchval(query.thrown_away, user_id, absent.draft_id, copy, ref)
    return thrown_away
