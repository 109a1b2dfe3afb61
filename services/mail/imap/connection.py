"""An account's connections: made when one is needed, used by one caller at a time, made anew after they failed."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from contracts.provider import MailboxError, ProviderError, ProviderNotSupported
from services.mail.budget import Places
from services.mail.endpoint import Credentials, Endpoint, Entrance
from services.mail.imap.session import Session
from services.mail.imap.wire import Limits
from services.reach import ANYWHERE, Reach


class Account:
    """Where and as whom to log in. `broken` is what the server announced and was seen not to have."""

    def __init__(
        self,
        endpoint: Endpoint,
        entrance: Entrance,
        limits: Limits | None,
        trust: ssl.SSLContext | None,
        reach: Reach = ANYWHERE,
    ) -> None:
        self._endpoint = endpoint
        self._entrance = entrance
        self._limits = limits or Limits()
        self._trust = trust
        self._reach = reach
        self._broken: set[str] = set()
        self.labelled = False

    async def log_in(self, budget: Places | None = None) -> Session:
        """A new session, within the budget."""
        entrance = self._entrance
        credentials = entrance if isinstance(entrance, Credentials) else await entrance()
        give_back = None if budget is None else await budget.take(self._endpoint.host, self._limits.connect)
        session = Session(self._endpoint, self._limits, give_back, self._broken, self._reach)
        await session.open(credentials, self._trust)
        self.labelled = session.labelled
        return session


class Connection:
    def __init__(self, account: Account, budget: Places | None) -> None:
        self._account = account
        self._budget = budget
        self._session: Session | None = None
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def used(self) -> AsyncIterator[Session]:
        async with self._lock:
            if self._session is None or self._session.closed:
                self._session = await self._account.log_in(self._budget)
            session = self._session
            try:
                yield session
            except (MailboxError, ProviderNotSupported):
                raise  # the server is well and so is the connection
            except ProviderError:
                session.wire.abort()
                raise

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        if self._lock.locked():
            session.wire.abort()  # whoever uses it is told at once
        else:
            await session.logout()
