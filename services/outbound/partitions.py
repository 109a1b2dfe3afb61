"""One partition, owned by lease: every request without an outcome is handed to its account, old ones first.

The log is read without a consumer: what waits is what has been asked for and not answered, from a low-water mark on.
"""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import structlog

from contracts import subjects
from contracts.facts import (
    DeleteRequested,
    Fact,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
)
from contracts.subjects import AccountSubjects
from projections.engine.log import Recorded
from services.database import UNAVAILABLE
from services.log.errors import LogError
from services.log.leases import take
from services.log.reader import BATCH, PartitionLog
from services.outbound.account import Account, Parts
from services.outbound.drafts import Drafts
from services.outbound.places import query
from services.outbound.sends import PartitionSends
from services.owner import has_died

LEASE = 10
"""Seconds (design §6)."""

PAUSE = 1.0
"""Seconds before a partition that another has, or that failed for a passing reason, is tried again."""

MARKED = 5.0
"""Seconds between two low-water marks: so much is read again after a start."""

log = structlog.get_logger()

_PASSING: tuple[type[Exception], ...] = (LogError, *UNAVAILABLE)
_OUTCOMES = (RequestApplied, RequestRefused, RequestExpired)


async def own(parts: Parts, partition: int) -> None:
    """Have the partition whenever nobody else has it, until cancelled. One that failed for whatever reason begins anew."""
    while True:
        try:
            lease = await take(parts.nc, f"outbound.{partition}", parts.worker, LEASE, abandoned=has_died)
            if lease is not None:
                async with lease.hold():
                    log.info("partition owned", partition=partition)
                    async with asyncio.TaskGroup() as group:
                        for one in (Partition, PartitionSends, Drafts):
                            group.create_task(one(parts, partition).work())
        except* _PASSING as errors:
            log.warning("partition given up", partition=partition, error=type(errors.exceptions[0]).__name__)
        await asyncio.sleep(PAUSE)


class Partition:
    """Its requests, for as long as the lease is held."""

    def __init__(self, parts: Parts, partition: int) -> None:
        self._parts = parts
        self._partition = partition
        self._requests = PartitionLog(parts.nc, partition, only=subjects.requests(partition))
        self._accounts: dict[UUID, Account] = {}
        self._mark = self._after = 0

    async def work(self) -> None:
        """Until cancelled. Raises LogError, and what Postgres raises while it is away."""
        self._mark = await self._parts.db.fetchval(query.mark, self._partition) or 0
        asked = await _all(self._requests, self._mark)
        done = await _all(
            PartitionLog(self._parts.nc, self._partition, only=subjects.outcomes(self._partition)), self._mark
        )
        settled = {fact.request_id for _, fact in done if isinstance(fact, _OUTCOMES)}
        self._after = asked[-1].sequence if asked else self._mark
        async with asyncio.TaskGroup() as group:
            self._hand_out([one for one in asked if _id(one.fact) not in settled], group)
            group.create_task(self._keep_marking())
            while True:
                fresh = await self._requests.coming(self._after, BATCH)
                self._hand_out(fresh, group)
                self._after = fresh[-1].sequence if fresh else self._after

    def _hand_out(self, facts: Sequence[Recorded[Fact]], group: asyncio.TaskGroup) -> None:
        for sequence, fact in facts:
            if not isinstance(fact, FlagsRequested | MoveRequested | DeleteRequested):
                continue
            account = self._accounts.get(fact.account_id)
            if account is None:
                place = AccountSubjects(self._partition, fact.user_id, fact.account_id)
                account = self._accounts[fact.account_id] = Account(self._parts, place, self._mark)
                group.create_task(self._run(fact.account_id, account))
            account.put(Recorded(sequence, fact))

    async def _run(self, account_id: UUID, account: Account) -> None:
        """Until it has nothing to do; what was put in at that very moment is done too."""
        await account.run()
        while account.waiting:
            await account.run()
        del self._accounts[account_id]

    async def _keep_marking(self) -> None:
        while True:
            await asyncio.sleep(MARKED)
            waiting = [account.waiting[0].sequence for account in self._accounts.values() if account.waiting]
            mark = min(waiting, default=self._after + 1) - 1
            if mark > self._mark:
                await self._parts.db.execute(query.put, self._partition, mark)
                self._mark = mark


async def _all(log: PartitionLog, after: int) -> list[Recorded[Fact]]:
    """Everything after a sequence, up to the head."""
    found: list[Recorded[Fact]] = []
    while facts := await log.read(after, BATCH):
        found += facts
        after = facts[-1].sequence
    return found


def _id(fact: Fact) -> UUID | None:
    return getattr(fact, "request_id", None)
