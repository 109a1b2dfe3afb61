"""An account's two connections: one to work on, open while it is used, and one to wait for news on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from contracts.provider import MailboxStatus, MailSource
from services.mail.budget import HostBudget, Places, Purpose

LINGER = 15.0
"""Seconds for which an unused connection is kept: mail seldom comes alone, and logging in is dear. Nobody else waits for
it meanwhile: a spare connection is the first to go when its host is full.
"""


class Connect(Protocol):
    """How a source is made whose connections take their places there."""

    def __call__(self, places: Places) -> MailSource: ...


class Working:
    """Used by several at once, who take turns by themselves."""

    def __init__(self, connect: Connect, budget: HostBudget) -> None:
        self._share = budget.share(Purpose.SPARE, self._wanted)
        self._source = connect(self._share)
        self._users: list[Purpose] = []
        self._yield = False
        self._closing: asyncio.TimerHandle | None = None
        self._ended: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def used(self, purpose: Purpose) -> AsyncIterator[MailSource]:
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


class Watching:
    """Waits for news, until it is wanted elsewhere or told to stop."""

    def __init__(self, connect: Connect, budget: HostBudget) -> None:
        self._stop = asyncio.Event()
        self._source = connect(budget.share(Purpose.WATCH, self.stop))
        self.open = False

    async def idle(self, mailbox: str, status: MailboxStatus) -> bool:
        """Whether there may be news; False when it was told to stop, and is closed. Raises ProviderError."""
        self._stop.clear()
        self.open = True
        waiting = asyncio.create_task(self._source.idle(mailbox, status))
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                await waiting
                return True
            return False
        finally:
            stopping.cancel()
            waiting.cancel()
            await asyncio.wait({waiting, stopping})
            if waiting.cancelled() or waiting.exception() is not None:
                await self.close()

    def stop(self) -> None:
        self._stop.set()

    async def close(self) -> None:
        self.open = False
        await self._source.close()
