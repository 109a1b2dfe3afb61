"""Three stages beside each other, each in order: while one batch is written, others are prepared and one more is fetched."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

from contracts.provider import Batch, ProviderError
from services.sync.errors import SyncError, first

AT_ONCE = 4
"""Batches that are prepared beside each other: most of the time they wait for the disk."""

T = TypeVar("T")
Join = Callable[[T, T], T | None]


async def overlap(
    batches: AsyncIterator[Batch],
    prepare: Callable[[Batch], Awaitable[T]],
    join: Join[T],
    write: Callable[[T], Awaitable[None]],
) -> None:
    """What is ready once the one before is written is joined, as far as `join` likes, and written at once.

    What was fetched before trouble with the server is written before it is raised.
    """
    trouble: list[Exception] = []
    line: _Line[T] = _Line(join)

    async def prepared(batch: Batch) -> T:
        return await prepare(batch)

    async def fetch() -> None:
        try:
            async for batch in batches:
                await line.room()
                line.put(group.create_task(prepared(batch)))
        except (ProviderError, SyncError) as error:
            trouble.append(error)
        finally:
            if isinstance(batches, AsyncGenerator):
                await batches.aclose()  # its connection is free again, also when this is cancelled
        line.put(None)

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fetch())
            while (done := await line.next()) is not None:
                await write(done)
    except ExceptionGroup as several:
        raise first(several) from several
    if trouble:
        raise trouble[0]


class _Line(Generic[T]):
    """What is being prepared, in order; None ends it."""

    def __init__(self, join: Join[T]) -> None:
        self._join = join
        self._tasks: deque[asyncio.Task[T] | None] = deque()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._more = asyncio.Event()

    async def room(self) -> None:
        """Return when one more may be put."""
        await self._room.acquire()

    def put(self, task: asyncio.Task[T] | None) -> None:
        self._tasks.append(task)
        self._more.set()

    async def next(self) -> T | None:
        """The first, as soon as it is ready, with those behind it that are by then."""
        while not self._tasks:
            self._more.clear()
            await self._more.wait()
        task = self._tasks[0]
        if task is None:
            return None
        done = await task
        self._left()
        while self._tasks and (task := self._tasks[0]) is not None and task.done():
            both = self._join(done, task.result())
            if both is None:
                break
            done = both
            self._left()
        return done

    def _left(self) -> None:
        self._tasks.popleft()
        self._room.release()
