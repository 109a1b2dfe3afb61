"""One account at work: its mailboxes, its two connections, its state, and what is done to one mailbox at a time."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from contracts.facts import AccountState
from contracts.provider import MailboxError, MailSource, ProviderConnectError, RemoteMailbox
from contracts.subjects import AccountSubjects
from services.log import api
from services.log.connection import Connection
from services.mail.budget import Purpose
from services.mail.working import Working
from services.sync.audit import audit
from services.sync.authority import Authorized
from services.sync.backfill import backfill
from services.sync.connections import Watching
from services.sync.cursor import Cursor
from services.sync.errors import Superseded
from services.sync.ingest import Ingest
from services.sync.mailboxes import Mailboxes
from services.sync.reconcile import reconcile
from services.sync.state import State

UNREADABLE = 3600.0
"""Seconds before a mailbox that the server would not let us read is tried again."""

STEP = 900.0
"""Seconds for one step at the most, whatever the server does; what was told until then stays told."""

log = structlog.get_logger()


@dataclass
class Account:
    """Made anew for every claim. `host` is where its mail is."""

    nc: Connection
    subjects: AccountSubjects
    host: str
    appender: Authorized
    state: State
    mailboxes: Mailboxes
    ingest: Ingest
    working: Working[MailSource]
    watching: Watching

    @property
    def moved(self) -> float:
        """When its mail last moved, in seconds since the epoch; 0 when nobody knows."""
        watched = self.mailboxes.watched
        return watched.mark.at.timestamp() if watched else 0.0

    @property
    def unfinished(self) -> list[Cursor]:
        """What a job is to read, in the order in which it is read; without what the server refuses to give."""
        now = time.monotonic()
        return [
            one
            for one in self.mailboxes.opened
            if not one.mark.done and (one.refused_at is None or now - one.refused_at >= UNREADABLE)
        ]

    async def look(self, source: MailSource) -> None:
        """At every mailbox: one listing tells which need a poll. Raises ProviderError.

        The one that is watched is polled in any case, and last: of the mailbox that a connection has open, some servers
        list what they knew when it was opened.
        """
        listed = await self.list(source)
        statuses = {remote.path: remote.status for remote in listed}
        watched = self.mailboxes.watched
        for one in self.mailboxes.opened:
            status = statuses.get(one.mailbox.path)
            if one is not watched and (status is None or status.highestmodseq is None or status != one.seen):
                await self.check(one, source)
        if watched is not None:
            await self.check(watched, source)

    async def list(self, source: MailSource) -> Sequence[RemoteMailbox]:
        """What there is; found, renamed and lost mailboxes are told."""
        async with in_time():
            listed = await source.list_mailboxes()
            await self.mailboxes.refresh(listed, source)
        return listed

    async def check(self, one: Cursor, source: MailSource) -> bool:
        """One poll of one mailbox: whether there was anything new."""
        told = False
        try:
            async with in_time():
                generation = one.mark.generation
                told = await reconcile(one, source, self.ingest, self._outcomes)
                if one.mark.generation != generation:
                    one.refused_at = None
        except Superseded:
            log.info("mailbox opened anew", account=str(self.subjects.account_id))
        except MailboxError as error:
            log.info("mailbox refused", account=str(self.subjects.account_id), code=error.code)
        return told

    async def news(self, one: Cursor) -> bool:
        """A poll of the mailbox of which the server just told something: whether it was true.

        By the connection that it told: no other need log in. Where the server keeps no record of changes it tells that
        connection of them once, so that one does nothing but wait.
        """
        if one.seen is None or one.seen.highestmodseq is None:
            async with self.working.used(Purpose.POLL) as source:
                return await self.check(one, source)
        async with self.watching.used() as source:
            return await self.check(one, source)

    async def fill(self, one: Cursor, source: MailSource) -> None:
        """Read what one mailbox held when it was opened.

        One that can't be read does not keep the others waiting; one that was renamed meanwhile is read where it is now.
        """
        path = one.mailbox.path
        try:
            await backfill(one, source, self.ingest)
        except Superseded:
            return
        except MailboxError as error:
            log.info("mailbox refused", account=str(self.subjects.account_id), code=error.code)
            await self.list(source)
            if one.mailbox.path == path:
                one.refused_at = time.monotonic()
            return
        await self.check(one, source)
        await self.mailboxes.advance()

    async def audit(self, one: Cursor, source: MailSource, *, whole: bool = False) -> None:
        """Compare one mailbox with the server, and repair it."""
        one_of = str(self.subjects.account_id)
        try:
            await audit(one, source, self.ingest, self._outcomes, whole=whole)
        except Superseded:
            log.info("mailbox opened anew", account=one_of)
        except MailboxError as error:
            log.info("mailbox refused", account=one_of, code=error.code)

    async def say(self) -> None:
        """Whether all of it is there."""
        await self.state.say(AccountState.BACKFILLING if self.unfinished else AccountState.LIVE)

    async def close(self) -> None:
        await asyncio.gather(self.working.close(), self.watching.close())

    async def _outcomes(self) -> int:
        last = await api.last(self.nc, self.subjects.partition, self.subjects.outcome)
        return last.sequence if last else 0


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """The provider has deadlines of its own; a server that plays with all of them still holds nobody for ever."""
    try:
        async with asyncio.timeout(STEP) as scope:
            yield
    except TimeoutError:
        if scope.expired():
            raise ProviderConnectError("timeout", "one step took too long") from None
        raise
