"""What is meant by everything: the messages of a moment, as the requests that will be made of them."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from contracts import ids
from projections.history import reader as history
from projections.mail import placements
from projections.mail.placements import Shown
from projections.search import reader as search
from projections.sql import Connection
from services.gateway.actions.deciding import decide, mailboxes_for, scope_of
from services.gateway.actions.requests import Facts, Origin, made_of
from services.gateway.actions.structs import ActionWish
from services.gateway.bulk.structs import EverythingWish
from services.gateway.errors import Refused
from services.gateway.history import undo

MOST = 100_000
"""Conversations, and messages, of one job."""

PIECE = 2_000
"""Conversations that are asked about at once: between two such questions others have their turn."""


async def of_list(db: Connection, user_id: UUID, job_id: UUID, wish: EverythingWish, *, exact: bool) -> Facts:
    """Raises Refused, NoMailbox."""
    if wish.action == "delete" and not wish.confirmed:
        raise Refused(409, "not_confirmed", "This deletes for ever all that is found. Confirm it.")
    scope = scope_of(user_id, wish.view)
    threads = await _threads(db, user_id, scope, wish.q)
    shown: list[Shown] = []
    for start in range(0, len(threads), PIECE):
        shown += await placements.of_threads(db, user_id, threads[start : start + PIECE], scope_id=scope)
        if len(shown) > MOST:
            raise _too_many()
    if wish.action == "delete":  # what stands in another list too is not meant
        shown = [one for one in shown if one.listed] or shown
    plain = ActionWish(
        action=wish.action, add=wish.add, remove=wish.remove, mailbox_id=wish.mailbox_id, confirmed=wish.confirmed
    )
    mailboxes = await mailboxes_for(db, user_id, plain)

    def facts() -> Facts:
        return made_of(user_id, decide(plain, [], shown, mailboxes, exact=exact), named(job_id))

    return await asyncio.to_thread(facts)


async def taken_back(db: Connection, user_id: UUID, request_ids: Sequence[UUID]) -> Facts:
    """What takes requests back, newest first; those that can't be are left out. Raises Refused when none can."""
    facts: Facts = []
    refused = Refused(409, "not_undoable", undo.NOT_DONE)
    for row in await history.requests(db, user_id, list(request_ids)):
        try:
            wishes = await undo.plan(db, user_id, row)
        except Refused as why:
            refused = why
            continue
        facts += made_of(user_id, wishes, await undo.origin(db, user_id, row))
    if not facts:
        raise refused
    return facts


def named(job_id: UUID) -> Origin:
    """Requests whose names anybody can compute again from the job's."""
    return Origin(name=lambda n: ids.named(job_id, f"chunk:{n}"))


async def _threads(db: Connection, user_id: UUID, scope: UUID | None, q: str) -> list[UUID]:
    if scope is None:
        threads = await search.everything(db, user_id, q)
    else:
        threads = await placements.threads_in(db, user_id, scope, most=MOST + 1)
    if len(threads) > MOST:
        raise _too_many()
    return threads


def _too_many() -> Refused:
    return Refused(409, "too_many", f"This is more than {MOST:,} at once. Choose fewer, with a search for example.")
