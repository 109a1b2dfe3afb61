"""Which accounts this process syncs: its share of those that are active and whose lease it gets, each by its own runner."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import asyncpg
import structlog
from nats.aio.msg import Msg

from contracts import codec, events, ids, subjects
from contracts.events import UserActive
from contracts.facts import AccountState, SendFiled
from contracts.subjects import ANY, AccountSubjects
from services.config import Settings
from services.database import UNAVAILABLE
from services.log.errors import LeaseLost, LogError, Lost
from services.log.leases import Lease, owners, take
from services.owner import has_died
from services.state import logins
from services.state.accounts import CHANNEL
from services.state.errors import AccountPaused, SecretMissing
from services.sync import accounts
from services.sync.accounts import Account
from services.sync.bulk import Bulk
from services.sync.errors import Revoked, first
from services.sync.runner import Parts, Runner
from services.sync.tiers import Signs, tiers
from services.sync.together import Together, together
from services.sync.workers import Workers, most
from services.vault import Vault

EVERY = 30.0
"""Seconds until a new account is synced, and a removed one no more, where the database's notice was lost."""

LOOKS = 6
"""Looks for leases that nobody has, in the time after which one ends."""

GENTLE, SHARE = 0.2, 4
"""Seconds between two looks, however much changes; less where a look takes less than a fifth of the time then."""

PAUSE = 5.0
"""Seconds before an account that another process was faster with, or that failed, is asked for again."""

AT_ONCE = 16
"""Leases asked for beside each other."""

_SOMEBODY = f"event.{ANY}.{events.name(UserActive)}"

_PASSING: tuple[type[Exception], ...] = (*UNAVAILABLE, LogError)

log = structlog.get_logger()


@dataclass
class _Owned:
    account: Account
    runner: Runner
    task: "asyncio.Task[None]"

    @property
    def signs(self) -> Signs:
        return Signs(self.account.seen, self.runner.account.moved if self.runner.account else 0.0)

    def end(self) -> None:
        """Once: what it does at its end is not to be interrupted."""
        if not self.task.cancelling():
            self.task.cancel()


class Claimer:
    """`worker` names this process and no other."""

    def __init__(self, parts: Parts, bulk: Bulk, vault: Vault, settings: Settings, worker: str) -> None:
        self._parts = parts
        self._bulk = bulk
        self._vault = vault
        self._settings = settings
        self._worker = worker
        self._workers = Workers(parts.nc, settings, worker)
        self._wanted: dict[UUID, Account] = {}
        self._read_at = float("-inf")
        self._seen: dict[UUID, float] = {}
        self._owned: dict[UUID, _Owned] = {}
        self._not_before: dict[UUID, float] = {}
        self._changed = False
        self._stirred = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled; then every lease is given back."""
        await self._parts.nc.subscribe(_SOMEBODY, cb=self._attend)
        await self._parts.nc.subscribe(subjects.sends(), cb=self._sent)
        async with together() as group:
            group.create_task(self._listen())
            group.create_task(self._workers.beat())
            group.create_task(self._turns(group))

    # -- one turn

    async def _turns(self, group: Together) -> None:
        while True:
            began = time.monotonic()
            try:
                await self._turn(group)
            except _PASSING as error:
                log.warning("accounts not looked up", error=type(error).__name__)
            await asyncio.sleep(min(GENTLE, SHARE * (time.monotonic() - began)))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause()):
                    await self._stirred.wait()

    async def _turn(self, group: Together) -> None:
        self._stirred.clear()
        if self._changed or time.monotonic() - self._read_at >= EVERY:
            self._changed = False
            await self._read()
        keep = most(len(self._wanted), await self._workers.living(), self._settings.max_accounts_per_worker)
        self._let_go(keep)
        await self._take(keep - len(self._owned), group)
        self._settle()

    async def _read(self) -> None:
        self._wanted = {account.id: account for account in await accounts.active(self._parts.db)}
        self._read_at = time.monotonic()
        for account_id, owned in self._owned.items():
            account = self._wanted.get(account_id)
            if account is None or account.stamp != owned.account.stamp:
                owned.end()  # it is no more, or begins again with its new settings
                self._not_before.pop(account_id, None)
            else:
                owned.account = account
        users = {account.user_id for account in self._wanted.values()}
        self._seen = {user: at for user, at in self._seen.items() if user in users}

    def _let_go(self, keep: int) -> None:
        """What is above our share, those that are missed least first; another has seen us and waits."""
        staying = [owned for owned in self._owned.values() if not owned.task.cancelling()]
        more = len(staying) - keep
        if more > 0:
            log.info("accounts let go", count=more)
            staying.sort(key=lambda owned: max(owned.signs))
            for owned in staying[:more]:
                owned.end()

    async def _take(self, room: int, group: Together) -> None:
        """Of those that nobody has."""
        now = time.monotonic()
        free = [
            account
            for account in self._wanted.values()
            if account.id not in self._owned and now >= self._not_before.get(account.id, 0)
        ]
        if not free or room <= 0:
            return
        held = await owners(self._parts.nc, "account.*")
        gone = {owner: has_died(owner) for owner in set(held.values())}
        free = [account for account in free if gone.get(held.get(_key(account), ""), True)]
        turns = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._claim(account, group, turns) for account in free[:room]))

    async def _claim(self, account: Account, group: Together, turns: asyncio.Semaphore) -> None:
        async with turns:
            settings = self._settings
            lease = await take(
                self._parts.nc,
                _key(account),
                self._worker,
                settings.lease_ttl,
                renew=settings.lease_renew,
                abandoned=has_died,
            )
        self._not_before[account.id] = time.monotonic() + PAUSE
        if lease is None:
            return
        partition = ids.partition(account.user_id, settings.partitions)
        place = AccountSubjects(partition, account.user_id, account.id)
        runner = Runner(self._parts, place, self._worker, partial(self._bulk.ready, account.id))
        task = group.create_task(self._own(account, runner, lease))
        self._owned[account.id] = _Owned(account, runner, task)
        task.add_done_callback(lambda _: self._gone(account))

    def _gone(self, account: Account) -> None:
        """Its next owner may be this process again, with other settings."""
        del self._owned[account.id]
        self._stirred.set()

    async def _own(self, account: Account, runner: Runner, lease: Lease) -> None:
        """One account's trouble is its own: whatever happens here, the others go on."""
        try:
            async with lease.hold():
                self._bulk.own(runner)
                try:
                    await self._sync(account, runner)
                finally:
                    await self._bulk.disown(runner)
        except Exception as error:
            cause = first(error)
            if isinstance(cause, (Lost, LeaseLost, Revoked, *_PASSING)):
                log.warning("account given up", account=str(account.id), error=type(cause).__name__)
            else:
                log.exception("account failed", account=str(account.id), exc_info=cause)

    async def _sync(self, account: Account, runner: Runner) -> None:
        try:
            login = await logins.login(self._parts.db, self._vault, account.user_id, account.id)
        except SecretMissing as missing:
            await runner.rest(AccountState.RECONNECT_REQUIRED, missing.code)
        except AccountPaused:
            await runner.rest(AccountState.DISABLED, "paused")
        else:
            await runner.run(login)

    # -- who is there

    async def _attend(self, message: Msg) -> None:
        """Somebody has come: their accounts are looked at now, and closely from now on."""
        with suppress(ValueError):
            user = UUID(message.subject.split(".")[1])
            self._seen[user] = time.time()
            theirs = [owned for owned in self._owned.values() if owned.account.user_id == user]
            if theirs:
                self._settle()
            for owned in theirs:
                owned.runner.attend()

    async def _sent(self, message: Msg) -> None:
        """What outbound filed is found at once, so that an answer stands in its conversation."""
        with suppress(ValueError):
            fact = codec.decode_at(message.subject, message.data)
            if isinstance(fact, SendFiled) and (owned := self._owned.get(fact.account_id)):
                owned.runner.look_again()

    def _settle(self) -> None:
        """Each of our accounts has the tier that is right now."""
        signs = {
            account_id: owned.signs._replace(seen=max(owned.account.seen, self._seen.get(owned.account.user_id, 0)))
            for account_id, owned in self._owned.items()
        }
        for account_id, tier in tiers(signs, time.time(), self._parts.rules).items():
            self._owned[account_id].runner.turn(tier)

    # -- when to look again

    async def _listen(self) -> None:
        """Hear of changed accounts; a connection that is lost is made again."""
        while True:
            try:
                await self._hear()
            except _PASSING as error:
                log.warning("changes of accounts not heard", error=type(error).__name__)
            await asyncio.sleep(1)

    async def _hear(self) -> None:
        db = await asyncpg.connect(self._settings.database_url)
        lost = asyncio.Event()
        db.add_termination_listener(lambda _: lost.set())
        try:
            await db.add_listener(CHANNEL, self._told)
            self._told()  # something may have changed while nobody listened
            await lost.wait()
        finally:
            db.terminate()

    def _told(self, *_: object) -> None:
        self._changed = True
        self._stirred.set()

    def _pause(self) -> float:
        """Until leases are looked at again, or sooner, when an account of ours failed."""
        now = time.monotonic()
        waits = [at - now for account, at in self._not_before.items() if account not in self._owned and at > now]
        return min([self._settings.lease_ttl / LOOKS, *waits])


def _key(account: Account) -> str:
    return f"account.{account.id}"
