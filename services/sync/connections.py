"""An account's connection to wait for news on, and to look at them with, beside the one that it works on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from contracts.provider import MailboxStatus, MailSource
from services.mail.budget import HostBudget, Places, Purpose


class Connect(Protocol):
    """How a source is made whose connections take their places there."""

    def __call__(self, places: Places) -> MailSource: ...


class Watching:
    """Waits for news, until it is wanted elsewhere or told to stop."""

    def __init__(self, connect: Connect, budget: HostBudget) -> None:
        self._stop = asyncio.Event()
        self._share = budget.share(Purpose.WATCH, self.stop)
        self._source = connect(self._share)
        self.open = False

    async def idle(self, mailbox: str, status: MailboxStatus) -> bool:
        """Whether there may be news; False when it was told to stop, and is closed. Raises ProviderError."""
        if not self.open:
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

    @asynccontextmanager
    async def used(self) -> AsyncIterator[MailSource]:
        """The connection that was told, to look with; nobody but who needs it more is given its place meanwhile."""
        self._share.use(Purpose.POLL)
        try:
            yield self._source
        finally:
            self._share.use(Purpose.WATCH)

    def stop(self) -> None:
        """Soon: what is looked at is looked at to the end."""
        self._stop.set()

    async def close(self) -> None:
        self.open = False
        await self._source.close()
