"""Publishes under a filter, heard by a reader that has read everything: signs that there is soon more."""

import asyncio
import time
from collections import deque
from contextlib import suppress

from nats.aio.msg import Msg

from services.log.connection import Connection

MOST = 250
"""Signs of one subscription: a reader that is behind is sent no more facts twice, and one that is left ends by itself."""

STORED = 2.0
"""Seconds within which a publish is stored, if it ever is."""


class Signs:
    """A publish is heard before it is stored, and may be refused; what is published before a subscription is not heard."""

    def __init__(self, nc: Connection, under: str) -> None:
        self._nc = nc
        self._under = under
        self._left = 0
        self._reconnects = 0
        self._owed: deque[float] = deque()
        self._lapsed = False
        self._heard = asyncio.Event()

    @property
    def listening(self) -> bool:
        """Since `listen`, without a gap."""
        return self._left > 0 and self._reconnects == self._nc.stats["reconnects"]

    @property
    def owed(self) -> int:
        """Messages that are still to be stored, or never will be."""
        while self._owed and self._owed[0] < time.monotonic() - STORED:
            self._owed.popleft()
            self._lapsed = True
        return len(self._owed)

    @property
    def lapsed(self) -> bool:
        """Whether a sign grew too old to be waited for while its reader was busy: what it was of may be stored and not read."""
        return self._lapsed

    async def listen(self) -> None:
        """What was published just before counts as a sign. Raises what is in `NO_ANSWER`, Forbidden, Closed."""
        self._reconnects = self._nc.stats["reconnects"]
        if self._left > 0:
            await self._nc.flush()  # the connection itself has subscribed again
        else:
            subscription = await self._nc.subscribe(self._under, cb=self._hear)
            self._left = MOST
            await subscription.unsubscribe(limit=MOST)
        self._owed.append(time.monotonic())

    async def another(self, within: float) -> None:
        """Return at the next sign, or after so many seconds."""
        self._heard.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._heard.wait()

    def read(self, messages: int) -> None:
        """So many are no longer owed; with none read there was nothing more."""
        self._lapsed = self._lapsed and messages > 0
        for _ in range(min(messages, len(self._owed))):
            self._owed.popleft()

    async def _hear(self, _: Msg) -> None:
        self._left -= 1
        self._owed.append(time.monotonic())
        self._heard.set()
