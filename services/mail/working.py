"""A connection to work on, open while it is used and a little longer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

from services.mail.budget import HostBudget, Places, Purpose

LINGER = 15.0
"""Seconds for which an unused connection is kept: mail seldom comes alone, and logging in is dear. Nobody else waits for
it meanwhile: a spare connection is the first to go when its host is full.
"""


class Closable(Protocol):
    """What connects by itself when it is used, again after it was closed."""

    async def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


class Working(Generic[C]):
    """Used by several at once, who take turns by themselves."""

    def __init__(self, connect: Callable[[Places], C], budget: HostBudget) -> None:
        self._share = budget.share(Purpose.SPARE, self._wanted)
        self._source = connect(self._share)
        self._users: list[Purpose] = []
        self._yield = False
        self._closing: asyncio.TimerHandle | None = None
        self._ended: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def used(self, purpose: Purpose) -> AsyncIterator[C]:
        """Connects when it must. What the source raises is the user's."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        self._users.append(purpose)
        self._share.use(min(self._users))
        try:
            yield self._source
        finally:
            self._users.remove(purpose)
            self._share.use(min(self._users, default=Purpose.SPARE))
            if not self._users:
                self._closing = asyncio.get_running_loop().call_later(LINGER, self._end)

    async def give_way(self) -> None:
        """Between two pieces of long work: others have their turn when they need it more."""
        if self._yield and self._users == [Purpose.BULK]:
            await self.close()
        self._yield = False

    async def close(self) -> None:
        """Whoever uses it is told that the connection is lost, or connects anew."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        await self._source.close()

    def _wanted(self) -> None:
        if self._users:
            self._yield = True
        else:
            self._end()

    def _end(self) -> None:
        task = asyncio.get_running_loop().create_task(self._close_unused())
        self._ended.add(task)
        task.add_done_callback(self._ended.discard)

    async def _close_unused(self) -> None:
        if not self._users:
            await self.close()
