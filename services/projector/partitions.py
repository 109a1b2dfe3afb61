"""One partition, owned by lease: every projection follows it, and what was committed is announced."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from projections.engine.announce import PAGE, announce
from projections.engine.errors import Overtaken
from projections.engine.follow import Folder, follow
from projections.engine.log import Tail
from projections.engine.passing import Passes
from projections.engine.prefetch import Documents
from projections.engine.projection import Projection
from projections.sql import Pool
from services.database import UNAVAILABLE
from services.log.connection import Connection
from services.log.errors import LeaseLost, LogError
from services.log.leases import take
from services.log.publish import Message, publish
from services.log.reader import PartitionLog
from services.owner import has_died
from services.projector.shared_documents import SharedDocuments
from services.projector.shared_log import SharedLog

LEASE = 10
"""Seconds (design §6)."""

PAUSE = 1.0
"""Seconds before a partition that another has, or that failed for a passing reason, is tried again."""

ALARM = 30.0
"""Seconds before a partition that can't go on is looked at again: an operator may have put the blob back."""

UNANNOUNCED = 5.0
"""Seconds after which the outbox is looked at without a commit: the last owner may have left something."""

log = structlog.get_logger()

_PASSING: tuple[type[Exception], ...] = (*UNAVAILABLE, LogError)
_INTERRUPTED: tuple[type[Exception], ...] = (*_PASSING, Overtaken)


@dataclass(frozen=True)
class Parts:
    """What the partitions of a process share."""

    nc: Connection
    db: Pool
    documents: Documents
    projections: Sequence[Projection]
    worker: str


async def own(parts: Parts, partition: int) -> None:
    """Have the partition whenever nobody else has it, until cancelled."""
    while True:
        try:
            lease = await take(parts.nc, f"partition.{partition}", parts.worker, LEASE, abandoned=has_died)
            if lease is not None:
                async with lease.hold():
                    log.info("partition owned", partition=partition)
                    await _work(parts, partition)
        except (LeaseLost, LogError) as error:
            log.warning("partition given up", partition=partition, error=type(error).__name__)
        await asyncio.sleep(PAUSE)


async def _work(parts: Parts, partition: int) -> None:
    committed = asyncio.Event()
    facts = PartitionLog(parts.nc, partition)
    tail = SharedLog(facts)
    documents = SharedDocuments(parts.documents)
    passes = Passes(parts.db, partition)
    async with asyncio.TaskGroup() as group:
        for projection in parts.projections:
            folder = Folder(projection, facts, parts.db, documents, passes=passes)
            group.create_task(_fold(folder, partition, tail, committed))
        group.create_task(_announce(parts, partition, committed))


async def _fold(folder: Folder, partition: int, tail: Tail, committed: asyncio.Event) -> None:
    """What stops one projection in one partition stops nothing else."""
    place = {"partition": partition, "projection": folder.schema}
    while True:
        try:
            await follow(folder, tail, committed.set)
        except _INTERRUPTED as error:
            log.warning("fold interrupted", **place, error=type(error).__name__)
            await asyncio.sleep(PAUSE)
        except Exception:  # a missing blob, an unknown fact, a fault of the fold: its position is safe
            log.exception("partition stopped", **place, alarm=True)
            await asyncio.sleep(ALARM)


async def _announce(parts: Parts, partition: int, committed: asyncio.Event) -> None:
    async def send(events: Sequence[tuple[str, bytes, str]]) -> None:
        await publish(parts.nc, [Message(*event) for event in events])

    while True:
        committed.clear()
        try:
            while await announce(parts.db, partition, send) == PAGE:
                continue
        except _PASSING as error:
            log.warning("events not announced", partition=partition, error=type(error).__name__)
            await asyncio.sleep(PAUSE)
        try:
            async with asyncio.timeout(UNANNOUNCED):
                await committed.wait()
        except TimeoutError:
            continue
