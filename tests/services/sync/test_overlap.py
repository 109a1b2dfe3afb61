"""Batches are fetched, prepared and written beside each other, and told in order whatever takes long."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from contracts.provider import Batch, ProviderConnectError
from services.sync.overlap import AT_ONCE, overlap


class Stages:
    """Batches named by their floor. Each is prepared and written when it is let; `fetched` and `begun` count."""

    def __init__(self, count: int, *, trouble: bool = False, most: int = 100) -> None:
        self.count = count
        self.trouble = trouble
        self.most = most
        self.fetched = 0
        self.begun = 0
        self.written: list[list[int]] = []
        self.prepared = [asyncio.Event() for _ in range(count)]
        self.free = asyncio.Event()

    async def batches(self) -> AsyncIterator[Batch]:
        for n in range(self.count):
            self.fetched += 1
            yield Batch(uidvalidity=1, floor=n, messages=())
        if self.trouble:
            raise ProviderConnectError("connection_lost", "in the middle")

    async def prepare(self, batch: Batch) -> list[int]:
        self.begun += 1
        await self.prepared[batch.floor].wait()
        return [batch.floor]

    def join(self, one: list[int], other: list[int]) -> list[int] | None:
        return one + other if len(one) + len(other) <= self.most else None

    async def write(self, told: list[int]) -> None:
        self.written.append(told)
        await self.free.wait()

    def run(self) -> "asyncio.Task[None]":
        return asyncio.create_task(overlap(self.batches(), self.prepare, self.join, self.write))


async def settle() -> None:
    """Until nobody can go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_few_are_prepared_at_once_and_one_more_is_fetched() -> None:
    stages = Stages(20)
    work = stages.run()
    await settle()
    assert (stages.begun, stages.fetched, stages.written) == (AT_ONCE, AT_ONCE + 1, [])
    work.cancel()
    await asyncio.wait({work})


async def test_what_is_ready_when_the_one_before_is_written_is_written_together_and_in_order() -> None:
    stages = Stages(4)
    work = stages.run()
    for n in (3, 1, 0):
        stages.prepared[n].set()
        await settle()
    assert stages.written == [[0, 1]]
    stages.prepared[2].set()
    stages.free.set()
    await work
    assert stages.written == [[0, 1], [2, 3]]


async def test_no_more_is_joined_than_the_log_takes() -> None:
    stages = Stages(5, most=2)
    for one in stages.prepared:
        one.set()
    stages.free.set()
    await stages.run()
    assert [n for told in stages.written for n in told] == list(range(5))
    assert max(map(len, stages.written)) <= 2


async def test_what_was_fetched_before_trouble_is_written_before_it_is_raised() -> None:
    stages = Stages(3, trouble=True)
    for one in stages.prepared:
        one.set()
    stages.free.set()
    with pytest.raises(ProviderConnectError):
        await stages.run()
    assert [n for told in stages.written for n in told] == [0, 1, 2]
