"""Seeing to jobs, of whomever: each piece is asked for once, a few at a time, and its outcome is noted.

A piece that has begun is asked for, whatever comes; before that a cancelled job ends. Whether it is in the log already is known by
its name: the history is waited for until it has folded all that the account was asked, and the append expects that nothing was
asked since. So it can't be asked twice, by however many processes and after however long.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec
import structlog

from contracts.subjects import AccountSubjects
from projections.history import reader as history
from projections.history.rows import RequestRow
from projections.sql import Connection
from services import owner
from services.gateway.actions.requests import Fact
from services.gateway.deps import Gateway, as_user
from services.gateway.errors import AWAY
from services.log import api
from services.log.append import append
from services.log.errors import Conflict, LogError
from services.state import accounts, bulk
from services.state.bulk import Chunk

LEASE = timedelta(seconds=5)
PAUSE = 0.5
MOST = 8
"""Jobs that one process sees to at a time."""

PASSING = (*AWAY, LogError, asyncpg.PostgresError)

AHEAD = 2
"""Pieces of one account without an outcome: more would only wait there, before what the user asks for in between."""

GONE = "gone"
"""The code of a piece whose mail is elsewhere by now, which says nothing about the next one."""

log = structlog.get_logger()

_fact: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(Fact)


class Ask(NamedTuple):
    """A piece to be put into the log, if the account's last request still is the one at `expected`."""

    n: int
    fact: Fact
    expected: int


async def keep_working(parts: Gateway) -> None:
    """Until cancelled. What fails is tried again."""
    worker = owner.this_process()
    while True:
        moved = False
        try:
            jobs = await bulk.claim(parts.db, worker, LEASE, MOST)
            moved = any(await asyncio.gather(*(_seen_to(parts, *job) for job in jobs)))
        except PASSING as error:
            log.warning("jobs not looked at", error=type(error).__name__)
        if not moved:
            await asyncio.sleep(PAUSE)


async def _seen_to(parts: Gateway, user_id: UUID, job_id: UUID) -> bool:
    try:
        return await step(parts, user_id, job_id)
    except PASSING as error:
        log.warning("job not advanced", job=str(job_id), error=type(error).__name__)
        return False


async def step(parts: Gateway, user_id: UUID, job_id: UUID) -> bool:
    """Note outcomes, ask for what may be asked now; whether there was anything to do. Raises LogError."""
    async with as_user(parts.db, user_id) as db:
        chunks = await bulk.open_chunks(db, user_id, job_id)
    heads = await _heads(parts, user_id, chunks)
    current = await parts.positions.wait(user_id, ("history",), max(heads.values(), default=0))
    async with as_user(parts.db, user_id) as db:
        cancelled = await bulk.lock(db, user_id, job_id)
        if cancelled is None:
            return False
        settled = await _note(db, user_id, job_id)
        asks = await _next(db, user_id, job_id, heads, cancelled=cancelled) if current else []
        await bulk.settle_job(db, user_id, job_id)
    for ask in asks:
        await _ask(parts, job_id, ask)
    return bool(settled or asks)


async def _heads(parts: Gateway, user_id: UUID, chunks: Sequence[Chunk]) -> dict[UUID, int]:
    """The last request of each account that may be asked for more."""
    wanted = {one.account_id for one in chunks if one.position is None}
    found = {}
    for account_id in sorted(wanted):
        subjects = AccountSubjects(parts.partition(user_id), user_id, account_id)
        last = await api.last(parts.log, subjects.partition, subjects.request)
        found[account_id] = last.sequence if last else 0
    return found


async def _note(db: Connection, user_id: UUID, job_id: UUID) -> int:
    """Write down what the history knows by now; how many have ended."""
    active = {one.id for one in await accounts.active(db, user_id)}
    chunks = await bulk.open_chunks(db, user_id, job_id)
    known = await _known(db, user_id, chunks)
    ended = 0
    for one in chunks:
        row = known.get(one.request_id)
        if row is None:
            continue
        await bulk.asked(db, user_id, job_id, one.n, row.sequence)
        if row.state == "pending":
            continue
        code = "expired" if row.state == "expired" else row.code
        await bulk.settle(db, user_id, job_id, one.n, done=row.done, code=code)
        if code not in ("", GONE):
            await bulk.give_up(db, user_id, job_id, one.account_id, code)
        ended += 1
    for removed in {one.account_id for one in chunks} - active:
        await bulk.give_up(db, user_id, job_id, removed, "account_removed", begun=True)
    return ended


async def _known(db: Connection, user_id: UUID, chunks: Sequence[Chunk]) -> Mapping[UUID, RequestRow]:
    begun = [one.request_id for one in chunks if one.begun_at is not None]
    return {row.id: row for row in await history.requests(db, user_id, begun)} if begun else {}


async def _next(
    db: Connection, user_id: UUID, job_id: UUID, heads: Mapping[UUID, int], *, cancelled: bool
) -> list[Ask]:
    """At most one of each account: the next is asked for on top of it. What was begun and is not in the log goes first."""
    waiting: Counter[UUID] = Counter()
    candidates: defaultdict[UUID, list[Chunk]] = defaultdict(list)
    for one in await bulk.open_chunks(db, user_id, job_id):
        if one.position is not None:
            waiting[one.account_id] += 1
        elif one.begun_at is not None or not cancelled:
            candidates[one.account_id].append(one)
    asks = []
    for account_id, found in candidates.items():
        chosen = min(found, key=lambda one: (one.begun_at is None, one.n))
        if waiting[account_id] >= AHEAD or account_id not in heads:
            continue
        request, begun_at = await bulk.begin(db, user_id, job_id, chosen.n)
        fact = msgspec.structs.replace(_fact.decode(request), at=begun_at)
        asks.append(Ask(chosen.n, fact, heads[account_id]))
    return asks


async def _ask(parts: Gateway, job_id: UUID, ask: Ask) -> None:
    """Where somebody has asked for something else meanwhile, it is looked at again. Raises LogError."""
    fact = ask.fact
    subjects = AccountSubjects(parts.partition(fact.user_id), fact.user_id, fact.account_id)
    try:
        position = await append(parts.log, subjects.request, fact, key=str(fact.request_id), expected=ask.expected)
    except Conflict:
        return
    async with as_user(parts.db, fact.user_id) as db:
        await bulk.asked(db, fact.user_id, job_id, ask.n, position)
