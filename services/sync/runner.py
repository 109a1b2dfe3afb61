"""One account, for as long as its lease is held: when its mailboxes are looked at, and what follows from trouble."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn
from uuid import UUID

import structlog

from contracts.facts import AccountState
from contracts.provider import (
    KnownMessages,
    MailSource,
    ProviderAuthError,
    ProviderError,
)
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.jobs.errors import JobError
from services.jobs.held import Held
from services.jobs.job import Job
from services.jobs.jobs import Jobs
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.reader import PartitionLog
from services.mail.budget import Full, HostBudget, Places, Purpose
from services.mail.working import Working
from services.state.logins import Login
from services.sync import quota
from services.sync.account import Account, in_time
from services.sync.authority import Authorized
from services.sync.connections import Watching
from services.sync.cooldowns import Cooldowns
from services.sync.errors import Spent, first
from services.sync.ingest import Ingest
from services.sync.mailboxes import Mailboxes
from services.sync.memory import Memory
from services.sync.state import State
from services.sync.tiers import Rules, Tier, next_look
from services.sync.together import together
from services.sync.watch import RETRY_MOST, STEADY, Watch
from services.sync.work import do

RETRY = 1.0
"""Seconds before the account is tried again, doubled each time: servers end sessions for reasons that soon are none."""

SPREAD = 10.0
"""Seconds over which the accounts of a host that was cooling down come back."""

COOL = 60.0
"""Seconds of peace for a host that has too many connections, doubled each time up to RETRY_MOST."""

PATIENT = 3
"""Refusals of that kind in a row after which the account's owner is told."""

REFUSED = 6 * 3600.0
"""Seconds before a password that was refused is tried again."""

PROOF = 20.0
"""Seconds after a job until what it has read is compared: to read models that fold it, these come first."""

COMPARED = 5.0
"""Seconds of one look in which mailboxes are compared for the first time."""

FRESH = 3.0
"""Seconds for which a look is good enough for who has just come."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Parts:
    """What the accounts of a process share. `size`, `most`: messages of a chunk, chunks of a job."""

    nc: Connection
    db: Pool
    """For what is read, and for caches."""
    ingest: Ingest
    connect: Callable[[Login, KnownMessages, Places], MailSource]
    budget: HostBudget
    cooldowns: Cooldowns
    rules: Rules
    starting: Mapping[str, asyncio.Semaphore]
    """By host: how many of its accounts may begin at once."""
    size: int
    most: int
    audit_every: float


class Runner:
    """Made anew for every claim, warm. Ends only by `Lost`, `Revoked`, by cancellation, or by an error that nobody foresaw.

    `ready` is called when there may be something for a job to do.
    """

    def __init__(
        self, parts: Parts, subjects: AccountSubjects, worker: str, ready: Callable[[], None] = lambda: None
    ) -> None:
        self.subjects = subjects
        self.well = False
        self.account: Account | None = None
        self._parts = parts
        self._worker = worker
        self._watch = Watch(parts.rules.poll_warm, peace=self._peace, ask=self._ask)
        self._tier = Tier.WARM
        self._ready = ready
        self._audited: dict[UUID, float] = {}
        self._broken = asyncio.Event()
        self._why: Exception | None = None
        self._stirred = asyncio.Event()
        self._asked = False
        self._looked_at = self._weighed_at = float("-inf")
        self._refusals = 0

    # -- from outside

    def turn(self, tier: Tier) -> None:
        """From now on it is watched so closely."""
        if tier is not self._tier:
            self._tier = tier
            self._stirred.set()
            self._heed()

    def attend(self) -> None:
        """Somebody is there: look now, unless that was done a moment ago."""
        if time.monotonic() - self._looked_at > FRESH:
            self._ask()

    def look_again(self) -> None:
        """Something was put on the server by ourselves."""
        self._ask()

    async def claim(self, jobs: Jobs, job: Job) -> Held | None:
        """A job of this account, under its lease and in its owner's name. Raises Revoked."""
        return await self.account.appender.claim(jobs, job, self._worker) if self.account else None

    async def work(self, held: Held) -> None:
        """Do a job. Raises ProviderError, Spent, JobLost, and all that ends the account."""
        if self.account is None:
            return
        try:
            await do(self.account, held, size=self._parts.size, most=self._parts.most)
            await self.account.say()
            asyncio.get_running_loop().call_later(PROOF, self._ask)
        except ProviderAuthError:
            self._ask()  # so that the account asks its owner
            raise
        except (ProviderError, JobError, Spent):
            raise
        except Exception as error:
            self._why = error
            self._broken.set()
            raise
        finally:
            self._watch.looked()

    # -- from inside

    async def rest(self, state: AccountState, code: str) -> NoReturn:
        """The account waits for its owner, and nobody else may try."""
        appender = AccountAppender(self._parts.nc, self.subjects)
        await appender.claim(self._worker)
        await (await State.read(self._parts.nc, appender, self.subjects)).say(state, code)
        await _for_ever()

    async def run(self, login: Login) -> None:
        """Sync the account."""
        appender = AccountAppender(self._parts.nc, self.subjects)
        await appender.claim(self._worker)
        account = self.account = await self._taken(login, appender)
        if not account.state.healthy:
            await account.state.say(AccountState.CONNECTING)
        retry = RETRY
        while True:
            started = time.monotonic()
            try:
                await self._session(account)
            except (ProviderError, ExceptionGroup) as error:
                trouble = first(error)
                if not isinstance(trouble, ProviderError):
                    raise
            finally:
                self.well = False
                await account.close()
            if time.monotonic() - started > STEADY:
                retry, self._refusals = RETRY, 0
            await self._again(account, trouble, retry)
            retry = retry if isinstance(trouble, Full) else min(retry * 2, RETRY_MOST)

    async def _taken(self, login: Login, appender: AccountAppender) -> Account:
        """What is known of the account, and how its server is reached."""
        parts, subjects = self._parts, self.subjects
        authorized = Authorized(appender, parts.db, subjects, login.authority)
        memory = Memory(parts.db, PartitionLog(parts.nc, subjects.partition), subjects)
        known = await memory.mailboxes(appender.last_sequence)
        # After a start, at the account's own moment: not all accounts at once.
        self._audited = dict.fromkeys(await memory.compared(), time.monotonic() - _share(subjects) * parts.audit_every)
        marks = await appender.marks()
        mailboxes = Mailboxes(authorized, subjects, memory, known, marks, chosen=login.special_uses)
        connect = partial(parts.connect, login, mailboxes)
        return Account(
            nc=parts.nc,
            subjects=subjects,
            host=login.endpoint.host,
            appender=authorized,
            state=await State.read(parts.nc, authorized, subjects),
            mailboxes=mailboxes,
            ingest=parts.ingest,
            working=Working(connect, parts.budget),
            watching=Watching(connect, parts.budget),
        )

    async def _session(self, account: Account) -> NoReturn:
        """Until there is trouble with the server."""
        await self._peace(account)
        async with self._parts.starting[account.host]:
            await self._look(account, Purpose.INTERACTIVE if self._asked else Purpose.POLL)
        async with together() as group:
            group.create_task(self._rounds(account))
            group.create_task(self._watch.run(account))
            group.create_task(self._break())
        raise AssertionError("none of these ends by itself")

    def _ask(self) -> None:
        self._asked = True
        self._stirred.set()

    async def _break(self) -> None:
        """End with what a job ended with, when the account's lease or authority is gone."""
        await self._broken.wait()
        if self._why is not None:
            raise self._why

    async def _look(self, account: Account, purpose: Purpose) -> None:
        self._asked = False
        async with account.working.used(purpose) as source:
            await account.look(source)
            await self._audit(account, source)
            if self.well or not account.unfinished:  # a new account's mail comes first
                await self._weigh(account, source)
        recovered = not self.well
        self.well, self._refusals = True, 0
        self._looked_at = time.monotonic()
        self._watch.looked()
        self._heed()
        await account.say()
        if recovered or account.unfinished:
            self._ready()

    async def _audit(self, account: Account, source: MailSource) -> None:
        """Compare one mailbox whose turn it is; where all is read, also those that never were."""
        began, every = time.monotonic(), self._parts.audit_every
        known = self._audited
        due = [one for one in account.mailboxes.opened if began - known.get(one.mailbox.id, began) >= every]
        fresh = [one for one in account.mailboxes.opened if one.mailbox.id not in known]
        for one in [*due[:1], *([] if account.unfinished else fresh)]:
            if time.monotonic() - began > COMPARED:
                return
            known[one.mailbox.id] = began
            await account.audit(one, source)

    async def _weigh(self, account: Account, source: MailSource) -> None:
        """Now and then, how full its server is."""
        if time.monotonic() - self._weighed_at >= quota.EVERY:
            self._weighed_at = time.monotonic()
            async with in_time():
                await quota.weigh(self._parts.db, account.subjects, source)

    async def _rounds(self, account: Account) -> None:
        """Every mailbox now and then. Where the host is full of our own connections, its turn comes again."""
        while True:
            purpose = await self._due(account)
            await self._peace(account)
            with suppress(Full):
                await self._look(account, purpose)

    async def _due(self, account: Account) -> Purpose:
        """Wait until it is time, or somebody asks."""
        every = self._parts.rules.every(self._tier)
        at = next_look(account.subjects.account_id, time.time(), every)
        while not self._asked:
            every = self._parts.rules.every(self._tier)
            at = min(at, next_look(account.subjects.account_id, time.time(), every))
            try:
                async with asyncio.timeout(at - time.time()):
                    await self._stirred.wait()
            except TimeoutError:
                return Purpose.POLL
            self._stirred.clear()
        return Purpose.INTERACTIVE

    def _heed(self) -> None:
        """Wait for news or not, as the tier says."""
        self._watch.heed(hot=self._tier is Tier.HOT and self.well)

    async def _peace(self, account: Account) -> None:
        """Return when the host may be asked; not all of its accounts at once, when it was cooling down."""
        if self._parts.cooldowns.left(account.host):
            await self._parts.cooldowns.over(account.host)
            await asyncio.sleep(_share(account.subjects) * SPREAD)

    async def _again(self, account: Account, trouble: ProviderError, retry: float) -> None:
        """Say what is wrong, and wait until it is worth another try."""
        name = str(account.subjects.account_id)
        if isinstance(trouble, ProviderAuthError):
            # The same password again may lock the account, so wait until it is changed, which ends this runner. Only now
            # and then is it tried: servers whose own database is away refuse good passwords too.
            log.warning("account needs its owner", account=name, code=trouble.code)
            await account.state.say(AccountState.RECONNECT_REQUIRED, trouble.code)
            await asyncio.sleep(REFUSED)
            return
        pause = retry * (1 + _share(account.subjects) / 4)
        if isinstance(trouble, Full):
            await asyncio.sleep(pause)
            return
        if trouble.code == "too_many_connections":
            pause = await self._refused(account)
        log.warning("account in trouble", account=name, code=trouble.code, retry_in=round(pause))
        if trouble.code != "too_many_connections" or self._refusals >= PATIENT:
            await account.state.say(AccountState.ERROR, trouble.code, pause)
        await asyncio.sleep(pause)

    async def _refused(self, account: Account) -> float:
        """The server has enough of us: our own second connection goes first, then the whole host is left alone."""
        if self._watch.gave_room():
            log.info("account has one connection", account=str(account.subjects.account_id))
            return STEADY / 10
        self._refusals += 1
        pause = min(COOL * 2.0 ** (self._refusals - 1), RETRY_MOST)
        await self._parts.cooldowns.cool(account.host, pause)
        return pause


def _share(subjects: AccountSubjects) -> float:
    """From 0 to 1, the same for an account always: what keeps many from doing the same at once."""
    share: float = subjects.account_id.int % 65_536 / 65_536
    return share


async def _for_ever() -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")
