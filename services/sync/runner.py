"""One account, for as long as its lease is held: list, backfill newest first, wait for news, and begin again after trouble."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import structlog

from contracts.facts import AccountState
from contracts.provider import (
    KnownMessages,
    MailboxError,
    MailSource,
    ProviderAuthError,
    ProviderConnectError,
    ProviderError,
    ProviderNotSupported,
    RemoteMailbox,
)
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.log import api
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.reader import PartitionLog
from services.sync.accounts import Login
from services.sync.backfill import backfill
from services.sync.cursor import Cursor
from services.sync.errors import Superseded, first
from services.sync.ingest import Ingest
from services.sync.mailboxes import Mailboxes
from services.sync.memory import Memory
from services.sync.reconcile import reconcile
from services.sync.state import State

RETRY, RETRY_MOST = 5.0, 900.0
"""Seconds before the account is tried again, doubled each time."""

CROWDED = 60.0
"""The same where the server has too many connections: others of the user's need time to end."""

REFUSED = 6 * 3600.0
"""Seconds before a password that was refused is tried again."""

UNREADABLE = 3600.0
"""Seconds before a mailbox that the server would not let us read is tried again."""

STEADY = 60.0
"""A session that lasted so long was no trouble."""

WOLF = 10.0

log = structlog.get_logger()


@dataclass(frozen=True)
class Parts:
    """What the accounts of a process share."""

    nc: Connection
    db: Pool
    """For what is read, and for caches."""
    ingest: Ingest
    connect: Callable[[Login, KnownMessages], MailSource]
    poll_every: float
    bulk: asyncio.Semaphore
    """How many accounts may backfill at once."""


class Runner:
    """Made anew for every claim. Ends only by `Lost`, by cancellation, or by an error that nobody foresaw."""

    def __init__(self, parts: Parts, subjects: AccountSubjects, worker: str) -> None:
        self._parts = parts
        self._subjects = subjects
        self._worker = worker
        self._appender = AccountAppender(parts.nc, subjects)
        self._work = asyncio.Event()
        self._refused: dict[Cursor, float] = {}

    async def run(self, login: Login | None) -> None:
        """Without a login the account waits for its owner, and nobody else may try."""
        await self._appender.claim(self._worker)
        state = await State.read(self._parts.nc, self._appender, self._subjects)
        if login is None:
            await state.say(AccountState.RECONNECT_REQUIRED, "secret_missing")
            await _for_ever()
        mailboxes = await self._remembered()
        source = self._parts.connect(login, mailboxes)
        if not state.healthy:
            await state.say(AccountState.CONNECTING)
        retry = RETRY
        while True:
            started = time.monotonic()
            try:
                await self._session(source, mailboxes, state)
            except (ProviderError, ExceptionGroup) as error:
                trouble = first(error)
                if not isinstance(trouble, ProviderError):
                    raise
            finally:
                await source.close()
            if isinstance(trouble, ProviderAuthError):
                await self._blocked(state, trouble)
                continue
            retry = RETRY if time.monotonic() - started > STEADY else retry
            await self._again(state, trouble, retry)
            retry = min(retry * 2, RETRY_MOST)

    async def _remembered(self) -> Mailboxes:
        appender, parts = self._appender, self._parts
        memory = Memory(parts.db, PartitionLog(parts.nc, self._subjects.partition), self._subjects)
        known = await memory.mailboxes(appender.last_sequence)
        return Mailboxes(appender, self._subjects, memory, known, await appender.marks())

    async def _session(self, source: MailSource, mailboxes: Mailboxes, state: State) -> NoReturn:
        """Until there is trouble with the server."""
        listed = await source.list_mailboxes()
        await mailboxes.refresh(listed, source)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._backfills(source, mailboxes, state))
            group.create_task(self._watch(source, mailboxes))
            group.create_task(self._look(source, mailboxes, listed))
        raise AssertionError("none of these ends by itself")

    async def _backfills(self, source: MailSource, mailboxes: Mailboxes, state: State) -> None:
        """Whatever is not complete, one mailbox after the other; then wait for more."""
        while True:
            while todo := [one for one in mailboxes.opened if not one.mark.done and self._may_read(one)]:
                await state.say(AccountState.BACKFILLING)
                await self._backfill(todo[0], source)
                await mailboxes.advance()
            await state.say(AccountState.LIVE)
            await self._work.wait()
            self._work.clear()

    async def _backfill(self, one: Cursor, source: MailSource) -> None:
        """One mailbox that can't be read does not keep the others waiting."""
        try:
            async with self._parts.bulk:
                await backfill(one, source, self._parts.ingest)
        except Superseded:
            return
        except MailboxError as error:
            log.info("mailbox refused", account=str(self._subjects.account_id), code=error.code)
            self._refused[one] = time.monotonic()
        await self._reconcile(one, source)

    def _may_read(self, one: Cursor) -> bool:
        return time.monotonic() - self._refused.get(one, -UNREADABLE) >= UNREADABLE

    async def _watch(self, source: MailSource, mailboxes: Mailboxes) -> None:
        """New mail in the inbox as soon as the server tells; where it can't, as often as the other mailboxes."""
        quiet = 0
        while True:
            inbox = mailboxes.inbox
            if inbox is None or inbox.seen is None:
                await asyncio.sleep(1)
                continue
            try:
                await source.idle(inbox.mailbox.path, inbox.seen)
            except ProviderNotSupported:
                await asyncio.sleep(self._parts.poll_every)
            except ProviderConnectError as error:
                if error.code != "too_many_connections":
                    raise
                await asyncio.sleep(self._parts.poll_every)  # one connection is enough to read mail
            except MailboxError:
                await asyncio.sleep(1)
            quiet = 0 if await self._reconcile(inbox, source) else quiet + 1
            if quiet:  # a server may cry wolf, and is then believed less and less
                await asyncio.sleep(min(0.05 * 2**quiet, WOLF))

    async def _look(self, source: MailSource, mailboxes: Mailboxes, listed: Sequence[RemoteMailbox]) -> None:
        """Every mailbox now and then: one listing tells which need a poll.

        The inbox is polled in any case, and last: of the mailbox that a connection has open, some servers list what
        they knew when it was opened.
        """
        while True:
            statuses = {remote.path: remote.status for remote in listed}
            for one in mailboxes.opened:
                status = statuses.get(one.mailbox.path)
                if status is None or status.highestmodseq is None or status != one.seen:
                    await self._reconcile(one, source)
            if mailboxes.inbox is not None:
                await self._reconcile(mailboxes.inbox, source)
            await asyncio.sleep(self._parts.poll_every)
            listed = await source.list_mailboxes()
            await mailboxes.refresh(listed, source)
            self._work.set()

    async def _reconcile(self, one: Cursor, source: MailSource) -> bool:
        """Whether there was anything new."""
        told, generation = False, one.mark.generation
        try:
            told = await reconcile(one, source, self._parts.ingest, self._outcomes)
        except Superseded:
            log.info("mailbox opened anew", account=str(self._subjects.account_id))
        except MailboxError as error:
            log.info("mailbox refused", account=str(self._subjects.account_id), code=error.code)
        if one.mark.generation != generation:
            self._refused.pop(one, None)
            self._work.set()
        return told

    async def _outcomes(self) -> int:
        last = await api.last(self._parts.nc, self._subjects.partition, self._subjects.outcome)
        return last.sequence if last else 0

    async def _blocked(self, state: State, error: ProviderError) -> None:
        """The same password again may lock the account, so wait until it is changed, which ends this runner.

        Only now and then is it tried: servers whose own database is away refuse good passwords too.
        """
        log.warning("account needs its owner", account=str(self._subjects.account_id), code=error.code)
        await state.say(AccountState.RECONNECT_REQUIRED, error.code)
        await asyncio.sleep(REFUSED)

    async def _again(self, state: State, error: ProviderError, retry: float) -> None:
        pause = max(retry, CROWDED) if error.code == "too_many_connections" else retry
        log.warning("account in trouble", account=str(self._subjects.account_id), code=error.code, retry_in=pause)
        await state.say(AccountState.ERROR, error.code, pause)
        await asyncio.sleep(pause)


async def _for_ever() -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")
