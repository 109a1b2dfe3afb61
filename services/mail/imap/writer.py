"""`contracts.provider.MailWriter` over IMAP: one connection to change mail with, and one for what may take long."""

import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from contracts.provider import FlagsPushed, MailboxStatus, Placed
from services.mail.budget import Places
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.append import append
from services.mail.imap.connection import Account, Connection
from services.mail.imap.create import create
from services.mail.imap.expunge import delete
from services.mail.imap.find import find
from services.mail.imap.labels import push_labels
from services.mail.imap.move import move
from services.mail.imap.select import ensure, select
from services.mail.imap.session import Session
from services.mail.imap.store import push_flags
from services.mail.imap.wire import Limits
from services.reach import ANYWHERE, Reach


class ImapWriter:
    """`budget` gives its connections their places at the host; `trust` replaces the system's certificate authorities, `reach`
    says which addresses it may connect to.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: Credentials,
        *,
        limits: Limits | None = None,
        budget: Places | None = None,
        trust: ssl.SSLContext | None = None,
        reach: Reach = ANYWHERE,
    ) -> None:
        account = Account(endpoint, credentials, limits, trust, reach)
        self._changes = Connection(account, budget)
        self._uploads = Connection(account, budget)

    async def push_flags(
        self, mailbox: str, uids: Sequence[int], *, uidvalidity: int, add: frozenset[str], remove: frozenset[str]
    ) -> Mapping[int, FlagsPushed]:
        async with self._opened(mailbox, uidvalidity) as (session, status):
            return await push_flags(session, status, uids, add, remove)

    async def push_labels(
        self, mailbox: str, uids: Sequence[int], *, uidvalidity: int, add: frozenset[str], remove: frozenset[str]
    ) -> Sequence[int]:
        async with self._opened(mailbox, uidvalidity) as (session, _):
            return await push_labels(session, uids, add, remove)

    async def move(self, uids: Sequence[int], *, uidvalidity: int, source: str, target: str) -> Mapping[int, Placed]:
        async with self._opened(source, uidvalidity) as (session, _):
            return await move(session, uids, uidvalidity=uidvalidity, source=source, target=target)

    async def delete(self, mailbox: str, uids: Sequence[int], *, uidvalidity: int) -> Sequence[int]:
        async with self._opened(mailbox, uidvalidity) as (session, _):
            return await delete(session, uids)

    async def append(self, mailbox: str, raw: bytes, *, flags: frozenset[str], date: datetime) -> Placed:
        async with self._uploads.used() as session:
            return await append(session, mailbox, raw, flags, date)

    async def find(self, mailbox: str, message_id: str) -> tuple[MailboxStatus, Sequence[int]]:
        async with self._uploads.used() as session:
            return await find(session, mailbox, message_id)

    async def create(self, mailbox: str) -> MailboxStatus:
        async with self._changes.used() as session:
            return await create(session, mailbox)

    async def close(self) -> None:
        await self._changes.close()
        await self._uploads.close()

    @asynccontextmanager
    async def _opened(self, mailbox: str, uidvalidity: int) -> AsyncIterator[tuple[Session, MailboxStatus]]:
        """Opened anew: a mailbox opened a while ago may not know the messages that are meant."""
        async with self._changes.used() as session:
            yield session, await ensure(session, mailbox, uidvalidity, anew=True, opening=select)
