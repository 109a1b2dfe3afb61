"""Projections that follow closely read the log once, and are told exactly what it holds."""

import asyncio
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from contracts.facts import AccountRemoved, Fact
from projections.engine.log import Recorded
from services.projector import shared_log
from services.projector.shared_log import SharedLog
from tests.support.memory_log import MemoryLog


class Counting(MemoryLog):
    """Says how often it was asked, and says so when there is nothing."""

    reads = 0

    async def read(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        self.reads += 1
        return await super().read(after, limit)

    async def coming(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        return await self.read(after, limit)


def facts(count: int) -> list[Fact]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return [AccountRemoved(user_id=uuid4(), account_id=uuid4(), at=at) for _ in range(count)]


async def test_three_readers_cost_as_many_reads_as_one() -> None:
    log = Counting(facts(100))
    shared = SharedLog(log)
    positions = [0, 0, 0]
    for _ in range(10):
        for reader, position in enumerate(positions):
            positions[reader] = (await shared.coming(position, 10))[-1].sequence
    assert positions == [100, 100, 100]
    assert log.reads == 10


async def test_whatever_the_order_of_reading_everyone_is_told_what_the_log_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = Counting(facts(400))
    log.facts = [recorded for recorded in log.facts if recorded.sequence % 7]  # an erasure leaves holes
    monkeypatch.setattr(shared_log, "REMEMBERED", 50)
    shared = SharedLog(log)
    chance = random.Random(5)
    for _ in range(500):
        after, limit = chance.randrange(0, 410), chance.randrange(1, 40)
        told = list(await shared.coming(after, limit))
        truth = list(await MemoryLog.read(log, after, limit))
        assert told == truth[: len(told)]
        assert bool(told) == bool(truth)


async def test_what_is_appended_is_read_and_at_the_head_there_is_nothing() -> None:
    log = Counting(facts(3))
    shared = SharedLog(log)
    assert len(await shared.coming(0, 10)) == 3
    assert await shared.coming(3, 10) == []
    log.append(facts(1)[0])
    assert [recorded.sequence for recorded in await shared.coming(3, 10)] == [4]
    assert [recorded.sequence for recorded in await shared.coming(0, 10)] == [1, 2, 3, 4]


async def test_an_erased_end_is_waited_for_with_the_others() -> None:
    log = MemoryLog(facts(6))
    shared = SharedLog(log)
    assert len(await shared.coming(3, 10)) == 3
    log.facts = log.facts[:1]  # all that two others would have read
    waiting = [asyncio.create_task(shared.coming(after, 10)) for after in (2, 6)]
    await asyncio.sleep(0)
    log.append(facts(1)[0])
    assert [[recorded.sequence for recorded in one] for one in await asyncio.gather(*waiting)] == [[7], [7]]


class Listening(MemoryLog):
    """Counts who listens, and tells of the third fact when it is told to."""

    def __init__(self) -> None:
        super().__init__(facts(3))
        self.listened = self.listening = 0
        self.more = asyncio.Event()

    async def coming(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        self.listened += 1
        self.listening += 1
        try:
            await self.more.wait()
        finally:
            self.listening -= 1
        return await self.read(after, limit)


async def test_those_who_wait_at_one_place_listen_once_and_are_all_told() -> None:
    log = Listening()
    shared = SharedLog(log)
    waiting = [asyncio.create_task(shared.coming(2, limit)) for limit in (10, 10, 10, 1)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.wait(waiting[:1])
    assert (log.listened, log.listening) == (1, 1)
    log.more.set()
    assert [[one.sequence for one in told] for told in await asyncio.gather(*waiting[1:])] == [[3], [3], [3]]


async def test_when_nobody_waits_any_more_nobody_listens() -> None:
    log = Listening()
    shared = SharedLog(log)
    waiting = [asyncio.create_task(shared.coming(2, 10)) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert log.listening == 1
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    await asyncio.sleep(0)
    assert log.listening == 0


async def test_who_begins_to_wait_as_the_last_one_leaves_waits_for_itself() -> None:
    log = Listening()
    shared = SharedLog(log)

    async def leave_and_come_again() -> None:
        try:
            await shared.coming(2, 10)
        except asyncio.CancelledError:
            log.more.set()
            await shared.coming(2, 10)

    waiting = asyncio.create_task(leave_and_come_again())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    await waiting
    assert log.listened == 2
