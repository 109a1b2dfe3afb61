"""Where an account's new mail is told of as it comes: waited at while somebody is there to see it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import structlog

from contracts.provider import MailboxError, MailboxStatus, ProviderConnectError, ProviderNotSupported
from services.mail.budget import Full
from services.sync.account import Account
from services.sync.cursor import Cursor

STEADY = 60.0
"""What lasted so many seconds was no trouble."""

CROWDED = 900.0
"""Seconds without waiting for news where the server lets the account have one connection only."""

RETRY_MOST = 900.0
"""Seconds before what failed again and again is tried once more."""

WOLF = 10.0
"""Seconds of disbelief for a server that tells of mail that is not there, at most."""

log = structlog.get_logger()


class Watch:
    """Of one account. `poll`: seconds between two looks where nothing can be waited for. `peace`: returns when its host may be asked.

    `ask` is called when the account should be looked at.
    """

    def __init__(self, poll: float, *, peace: Callable[[Account], Awaitable[None]], ask: Callable[[], None]) -> None:
        self._poll = poll
        self._peace = peace
        self._ask = ask
        self._account: Account | None = None
        self._hot = asyncio.Event()
        self._looked = asyncio.Event()
        self._crowded_until = float("-inf")

    def heed(self, *, hot: bool) -> None:
        """Wait for news from here on, or not."""
        if hot and time.monotonic() >= self._crowded_until:
            self._hot.set()
        else:
            self._rest()

    def looked(self) -> None:
        """Perhaps there is a place now from which news can be waited for."""
        self._looked.set()

    def gave_room(self) -> bool:
        """Whether there was a second connection, which makes way now."""
        waits = self._hot.is_set()
        if waits:
            self._give_room()
        return waits

    async def run(self, account: Account) -> None:
        """Until cancelled. Where the server can't tell, the rounds are all there is."""
        self._account = account
        quiet, pause = 0, 1.0
        while True:
            one, seen = await self._place(account)
            began = time.monotonic()
            try:
                told = await account.watching.idle(one.mailbox.path, seen)
                if told:
                    quiet = 0 if await account.news(one) else quiet + 1
            except (Full, ProviderNotSupported, MailboxError):
                await asyncio.sleep(self._poll)
                continue
            except ProviderConnectError as error:
                if error.code == "too_many_connections":
                    log.info("account has one connection", account=str(account.subjects.account_id))
                    self._give_room()
                pause = 1.0 if time.monotonic() - began > STEADY else min(pause * 2, RETRY_MOST)
                self._ask()  # is it this connection, or the server?
                await asyncio.sleep(pause)
                continue
            if not told:
                await asyncio.sleep(pause)  # another has its turn
            elif quiet:  # a server may cry wolf, and is then believed less and less
                await asyncio.sleep(min(0.05 * 2**quiet, WOLF))

    async def _place(self, account: Account) -> tuple[Cursor, MailboxStatus]:
        """What to wait for, and how it was at the last look, as soon as the account is hot."""
        while True:
            if not self._hot.is_set():
                await account.watching.close()
                await self._hot.wait()
            one = account.mailboxes.watched
            if one is None or one.seen is None:
                self._looked.clear()
                await self._looked.wait()
                continue
            await self._peace(account)
            if self._hot.is_set():
                return one, one.seen

    def _give_room(self) -> None:
        """One connection is enough to read mail."""
        self._crowded_until = time.monotonic() + CROWDED
        self._rest()

    def _rest(self) -> None:
        self._hot.clear()
        if self._account is not None:
            self._account.watching.stop()
