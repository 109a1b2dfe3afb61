"""`contracts.provider.MailSource` over IMAP: one connection to work with and one to wait on."""

import asyncio
import ssl
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import structs

from contracts.provider import (
    Batch,
    KnownMessages,
    Listed,
    MailboxDelta,
    MailboxError,
    MailboxStatus,
    ProviderError,
    ProviderNotSupported,
    RemoteMailbox,
    Seen,
)
from services.mail.budget import HostBudget
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import fetch
from services.mail.imap.idle import REISSUE_SECONDS, idle
from services.mail.imap.list import list_mailboxes
from services.mail.imap.listing import held, listed
from services.mail.imap.poll import poll
from services.mail.imap.search import search
from services.mail.imap.select import ensure, examine
from services.mail.imap.session import Session
from services.mail.imap.verify import verify
from services.mail.imap.wire import Limits

PLANNED_BATCHES = 4  # whose sizes are asked for at once


class ImapProvider:
    """`spool` is a folder for messages above `stream_above` bytes; the owner empties it at start.

    `budget` is the process's, over all accounts. `trust` replaces the system's certificate authorities. A call that is
    cancelled ends its connection.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: Credentials,
        *,
        known: KnownMessages,
        spool: Path,
        stream_above: int = 8 * 2**20,
        limits: Limits | None = None,
        idle_reissue: float = REISSUE_SECONDS,
        budget: HostBudget | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._known = known
        self._spool = spool
        self._stream_above = stream_above
        self._limits = limits or Limits()
        self._idle_reissue = idle_reissue
        self._budget = budget
        self._trust = trust
        self._labelled = False
        self._work = _Connection(self._connect)
        self._watch = _Connection(self._connect)

    @property
    def labelled(self) -> bool:
        return self._labelled

    async def verify(self) -> None:
        await verify(self._endpoint, self._credentials, self._limits, self._trust)

    async def list_mailboxes(self) -> Sequence[RemoteMailbox]:
        async with self._work.used() as session:
            return await list_mailboxes(session)

    async def status(self, mailbox: str) -> MailboxStatus:
        async with self._work.used() as session:
            return await examine(session, mailbox)

    async def backfill(
        self, mailbox: str, *, uidvalidity: int, below: int | None = None, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        async with self._work.used() as session:
            await ensure(session, mailbox, uidvalidity, anew=True)
            found = await search(session, b"ALL" if below is None else b"UID 1:%d" % max(1, below - 1))
        uids = array("I", (uid for uid in reversed(found) if below is None or uid < below))
        if not uids:
            yield Batch(uidvalidity=uidvalidity, floor=1, messages=())
        async for batch in self._batches(mailbox, uids, uidvalidity, batch_size):
            yield structs.replace(batch, floor=1) if batch.floor == uids[-1] else batch

    async def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        async for batch in self._batches(mailbox, array("I", sorted(set(uids))), uidvalidity, batch_size):
            yield batch

    async def listing(
        self, mailbox: str, *, uidvalidity: int, batch_size: int = 1000
    ) -> AsyncIterator[Sequence[Listed]]:
        async with self._work.used() as session:
            await ensure(session, mailbox, uidvalidity, anew=True)
            uids = await search(session, b"ALL")
        for start in range(0, len(uids), batch_size):
            async with self._work.used() as session:
                status = await ensure(session, mailbox, uidvalidity)
                found = await listed(session, status, uids[start : start + batch_size])
            yield found

    async def uids(self, mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        async with self._work.used() as session:
            return await held(session, mailbox, uidvalidity)

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        async with self._work.used() as session:
            return await poll(session, mailbox, seen, self._known)

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        async with self._watch.used() as session:
            await idle(session, mailbox, status, reissue=self._idle_reissue)

    async def close(self) -> None:
        await self._work.close()
        await self._watch.close()

    async def _connect(self) -> Session:
        if self._budget is None:
            session = Session(self._endpoint, self._limits)
        else:
            give_back = await self._budget.take(self._endpoint.host, self._limits.connect)
            session = Session(self._endpoint, self._limits, give_back)
        await session.open(self._credentials, self._trust)
        self._labelled = session.labelled
        return session

    async def _batches(
        self, mailbox: str, uids: "array[int]", uidvalidity: int, batch_size: int
    ) -> AsyncIterator[Batch]:
        """In the order given. The connection is free for others between two batches."""
        planned = batch_size * PLANNED_BATCHES
        for start in range(0, len(uids), planned):
            window = uids[start : start + planned]
            async with self._work.used() as session:
                await ensure(session, mailbox, uidvalidity)
                size = await fetch.sizes(session, window)
            for group in fetch.groups(window, size, batch_size, self._stream_above):
                async with self._work.used() as session:
                    status = await ensure(session, mailbox, uidvalidity)
                    if size.get(group[0], 0) > self._stream_above:
                        got = await fetch.streamed(session, status, group[0], self._spool)
                    else:
                        got = await fetch.whole(session, status, group)
                yield Batch(
                    uidvalidity=uidvalidity,
                    floor=min(group),
                    messages=got.messages,
                    missing=got.missing,
                    unreadable=got.unreadable,
                )


class _Connection:
    """A session made when it is needed, used by one caller at a time, and made anew after it failed."""

    def __init__(self, connect: Callable[[], Awaitable[Session]]) -> None:
        self._connect = connect
        self._session: Session | None = None
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def used(self) -> AsyncIterator[Session]:
        async with self._lock:
            if self._session is None or self._session.closed:
                self._session = await self._connect()
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
