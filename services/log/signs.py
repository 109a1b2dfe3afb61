"""Publishes under a filter, heard by a reader that has read everything: signs that there is soon more."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from services.log.api import Stored
from services.log.connection import Connection

MOST = 500
"""Signs of one subscription: a reader that is behind is sent no more facts twice, and one that is left ends by itself."""

DEAF = 0.5
"""Seconds after which a reader that waits notices that its subscription has ended without a word."""

STORED = 2.0
"""Seconds within which a publish is stored, if it ever is."""


class Signs:
    """A publish is heard before it is stored, and may be refused; what is published before a subscription is not heard."""

    def __init__(self, nc: Connection, under: str) -> None:
        self._nc = nc
        self._under = under
        self._subscription: Subscription | None = None
        self._reconnects = 0
        self._owed: dict[int, float] = {}  # when each was heard, the oldest first
        self._lapsed = False
        self._heard = asyncio.Event()

    @property
    def listening(self) -> bool:
        """Since `listen`, without a gap."""
        return self._nc.hears(self._subscription) and self._reconnects == self._nc.stats["reconnects"]

    @property
    def owed(self) -> int:
        """Messages that are still to be stored, or never will be."""
        while self._owed and next(iter(self._owed.values())) < time.monotonic() - STORED:
            del self._owed[next(iter(self._owed))]
            self._lapsed = True
        return len(self._owed)

    @property
    def lapsed(self) -> bool:
        """Whether a sign grew too old to be waited for while its reader was busy: what it was of may be stored and not read."""
        return self._lapsed

    async def listen(self) -> None:
        """For a while something may be on its way that was published before. Raises what is in `NO_ANSWER`, Forbidden, Closed."""
        self._reconnects = self._nc.stats["reconnects"]
        if self._nc.hears(self._subscription):
            await self._nc.flush()  # the connection itself has subscribed again
        else:
            self._subscription = await self._nc.subscribe(self._under, cb=self._hear)
            await self._subscription.unsubscribe(limit=MOST)
        self._owe(0)

    async def another(self, within: float) -> None:
        """Return at the next sign, after so many seconds, or when none would be heard any more."""
        self._heard.clear()
        end = time.monotonic() + within
        while not self._heard.is_set() and self.listening and (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, DEAF)):
                    await self._heard.wait()

    def read(self, messages: Sequence[Stored]) -> None:
        """These are no longer owed; with none read there was nothing more."""
        self._lapsed = self._lapsed and bool(messages)
        for message in messages:
            self._owed.pop(hash((message.subject, message.data)), None)

    async def _hear(self, message: Msg) -> None:
        self._owe(hash((message.subject, message.data)))
        self._heard.set()

    def _owe(self, message: int) -> None:
        self._owed.pop(message, None)
        self._owed[message] = time.monotonic()
