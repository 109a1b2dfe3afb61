"""`contracts.provider.MailSource` over IMAP."""

import ssl
from array import array
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import structs

from contracts.provider import (
    Batch,
    KnownMessages,
    Listed,
    MailboxDelta,
    MailboxStatus,
    Quota,
    RemoteMailbox,
    Seen,
)
from services.mail.budget import Places
from services.mail.endpoint import Endpoint, Entrance
from services.mail.imap import fetch
from services.mail.imap.connection import Account, Connection
from services.mail.imap.idle import REISSUE_SECONDS, idle
from services.mail.imap.list import list_mailboxes
from services.mail.imap.listing import held, listed
from services.mail.imap.poll import poll
from services.mail.imap.quota import quota
from services.mail.imap.search import search
from services.mail.imap.select import ensure, examine
from services.mail.imap.session import Session
from services.mail.imap.verify import try_account
from services.mail.imap.wire import Limits
from services.reach import ANYWHERE, Reach

PLANNED_BATCHES = 4  # whose sizes are asked for at once
FIRST = 50  # messages at the most in the first batch of a backfill: what is done with them need not wait for more


class ImapProvider:
    """`spool` is a folder for messages above `stream_above` bytes; the owner empties it at start.

    `budget` gives its connection a place at the host. `trust` replaces the system's certificate authorities,
    `reach` says which addresses it may connect to. A call that is cancelled ends its connection.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        entrance: Entrance,
        *,
        known: KnownMessages,
        spool: Path,
        stream_above: int = 8 * 2**20,
        limits: Limits | None = None,
        idle_reissue: float = REISSUE_SECONDS,
        budget: Places | None = None,
        trust: ssl.SSLContext | None = None,
        reach: Reach = ANYWHERE,
    ) -> None:
        self._known = known
        self._spool = spool
        self._stream_above = stream_above
        self._idle_reissue = idle_reissue
        self._account = Account(endpoint, entrance, limits, trust, reach)
        self._connection = Connection(self._account, budget)

    @property
    def labelled(self) -> bool:
        return self._account.labelled

    async def verify(self) -> None:
        await try_account(self._account)

    async def list_mailboxes(self) -> Sequence[RemoteMailbox]:
        async with self._working() as session:
            return await list_mailboxes(session)

    async def quota(self) -> Quota | None:
        async with self._working() as session:
            return await quota(session)

    async def status(self, mailbox: str) -> MailboxStatus:
        async with self._working() as session:
            return await examine(session, mailbox)

    async def backfill(
        self, mailbox: str, *, uidvalidity: int, below: int | None = None, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        async with self._working() as session:
            await ensure(session, mailbox, uidvalidity, anew=True)
            found = await search(session, b"ALL" if below is None else b"UID 1:%d" % max(1, below - 1))
        uids = array("I", (uid for uid in reversed(found) if below is None or uid < below))
        if not uids:
            yield Batch(uidvalidity=uidvalidity, floor=1, messages=())
        for part in (uids[:FIRST], uids[FIRST:]):
            async for batch in self._batches(mailbox, part, uidvalidity, batch_size):
                yield structs.replace(batch, floor=1) if batch.floor == uids[-1] else batch

    async def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        async for batch in self._batches(mailbox, array("I", sorted(set(uids))), uidvalidity, batch_size):
            yield batch

    async def listing(
        self, mailbox: str, *, uidvalidity: int, batch_size: int = 1000
    ) -> AsyncIterator[Sequence[Listed]]:
        async with self._working() as session:
            await ensure(session, mailbox, uidvalidity, anew=True)
            uids = await search(session, b"ALL")
        for start in range(0, len(uids), batch_size):
            async with self._working() as session:
                status = await ensure(session, mailbox, uidvalidity)
                found = await listed(session, status, uids[start : start + batch_size])
            yield found

    async def uids(self, mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        async with self._working() as session:
            return await held(session, mailbox, uidvalidity)

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        async with self._working() as session:
            return await poll(session, mailbox, seen, self._known)

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        async with self._connection.used() as session:
            await idle(session, mailbox, status, reissue=self._idle_reissue)

    async def close(self) -> None:
        await self._connection.close()

    @asynccontextmanager
    async def _working(self) -> AsyncIterator[Session]:
        """For all but waiting: among the answers may be news, which the server tells once."""
        async with self._connection.used() as session:
            session.waited = ""
            yield session

    async def _batches(
        self, mailbox: str, uids: "array[int]", uidvalidity: int, batch_size: int
    ) -> AsyncIterator[Batch]:
        """In the order given. The connection is free for others between two batches."""
        planned = batch_size * PLANNED_BATCHES if batch_size > 1 else 1  # one alone is asked for nothing beside it
        for start in range(0, len(uids), planned):
            window = uids[start : start + planned]
            async with self._working() as session:
                await ensure(session, mailbox, uidvalidity)
                size = await fetch.sizes(session, window)
            for group in fetch.groups(window, size, batch_size, self._stream_above):
                async with self._working() as session:
                    status = await ensure(session, mailbox, uidvalidity)
                    if size.get(group[0], 0) > self._stream_above:
                        got = await fetch.streamed(session, status, group[0], self._spool)
                    else:
                        got = await fetch.whole(session, status, group, self._spool)
                yield Batch(
                    uidvalidity=uidvalidity,
                    floor=min(group),
                    messages=got.messages,
                    missing=got.missing,
                    unreadable=got.unreadable,
                )
