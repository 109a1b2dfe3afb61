"""Which accounts this process syncs: those that are active and whose lease it gets; each by a runner of its own."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import asyncpg
import structlog

from contracts import ids
from contracts.subjects import AccountSubjects
from services.config import Settings
from services.database import UNAVAILABLE
from services.log.errors import LeaseLost, LogError, Lost
from services.log.leases import Lease, take
from services.owner import has_died
from services.state.accounts import CHANNEL
from services.sync import accounts
from services.sync.accounts import Account
from services.sync.errors import SecretMissing, first
from services.sync.runner import Parts, Runner
from services.vault import Vault

EVERY = 1.0
"""Seconds until a new account is synced, and a removed one no more, where the database's notice was lost."""

PAUSE = 5.0
"""Seconds before an account that another process has, or that failed, is asked for again."""

_PASSING: tuple[type[Exception], ...] = (*UNAVAILABLE, LogError)

log = structlog.get_logger()


@dataclass
class _Owned:
    stamp: str
    task: "asyncio.Task[None]"


class Claimer:
    """`worker` names this process and no other."""

    def __init__(self, parts: Parts, vault: Vault, settings: Settings, worker: str) -> None:
        self._parts = parts
        self._vault = vault
        self._settings = settings
        self._worker = worker
        self._owned: dict[UUID, _Owned] = {}
        self._not_before: dict[UUID, float] = {}
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled; then every lease is given back."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            while True:
                self._changed.clear()
                try:
                    wanted = await accounts.active(self._parts.db)
                    self._end_others({account.id: account for account in wanted})
                    for account in wanted:
                        await self._claim(account, group)
                except _PASSING as error:
                    log.warning("accounts not looked up", error=type(error).__name__)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), EVERY)

    async def _listen(self) -> None:
        """Hear of changed accounts; a connection that is lost is made again."""
        while True:
            try:
                await self._hear()
            except _PASSING as error:
                log.warning("changes of accounts not heard", error=type(error).__name__)
            await asyncio.sleep(EVERY)

    async def _hear(self) -> None:
        db = await asyncpg.connect(self._settings.database_url)
        lost = asyncio.Event()
        db.add_termination_listener(lambda _: lost.set())
        try:
            await db.add_listener(CHANNEL, lambda *_: self._changed.set())
            await lost.wait()
        finally:
            db.terminate()

    def _end_others(self, wanted: dict[UUID, Account]) -> None:
        """Of accounts that are no more, and of those whose settings changed, to begin again with the new ones."""
        for account_id, owned in self._owned.items():
            if account_id not in wanted or wanted[account_id].stamp != owned.stamp:
                owned.task.cancel()
                self._not_before.pop(account_id, None)

    async def _claim(self, account: Account, group: asyncio.TaskGroup) -> None:
        if account.id in self._owned or time.monotonic() < self._not_before.get(account.id, 0):
            return
        lease = await take(
            self._parts.nc, f"account.{account.id}", self._worker, self._settings.lease_ttl, abandoned=has_died
        )
        self._not_before[account.id] = time.monotonic() + PAUSE
        if lease is not None:
            task = group.create_task(self._own(account, lease))
            self._owned[account.id] = _Owned(account.stamp, task)
            task.add_done_callback(lambda _: self._owned.pop(account.id))

    async def _own(self, account: Account, lease: Lease) -> None:
        """One account's trouble is its own: whatever happens here, the others go on."""
        partition = ids.partition(account.user_id, self._settings.partitions)
        runner = Runner(self._parts, AccountSubjects(partition, account.user_id, account.id), self._worker)
        try:
            async with lease.hold():
                try:
                    login = await accounts.login(self._parts.db, self._vault, account)
                except SecretMissing:
                    login = None
                await runner.run(login)
        except Exception as error:
            cause = first(error)
            if isinstance(cause, (Lost, LeaseLost, *_PASSING)):
                log.warning("account given up", account=str(account.id), error=type(cause).__name__)
            else:
                log.exception("account failed", account=str(account.id), exc_info=cause)
