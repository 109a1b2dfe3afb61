"""The jobs of the accounts that this process owns: a few at once, nobody's many before another's one (design §7)."""

import asyncio
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

import msgspec
import structlog

from contracts.provider import ProviderAuthError, ProviderConnectError, ProviderError
from services.database import UNAVAILABLE
from services.jobs.cooldowns import group
from services.jobs.errors import JobError, JobLost, Skipped
from services.jobs.fair import choose
from services.jobs.held import Held
from services.jobs.job import Job
from services.jobs.jobs import Jobs
from services.log.errors import LogError
from services.mail.budget import Full
from services.sync.errors import Revoked, Spent, first
from services.sync.runner import Runner
from services.sync.together import together

PAUSE = 5.0
"""Seconds before an account is asked again for a job that could not be had, or enqueued."""

RELUCTANT = 3600.0
"""Seconds after a job that failed for good before sync begins another by itself."""

CROWDED = 60.0
"""The same where the user had too many: they come to their end."""

LATEST = 30.0
"""Seconds until jobs are looked at in any case."""

SWEEP = 300.0
"""Seconds until every account's job is read again, in case that a word of it was lost."""

_PASSING: tuple[type[Exception], ...] = (*UNAVAILABLE, LogError)
_OVER: tuple[type[Exception], ...] = (JobLost, Revoked, *_PASSING)

log = structlog.get_logger()


class Bulk:
    """Bounded by `most` at once; all else that accounts do goes on beside it."""

    def __init__(self, jobs: Jobs, most: int) -> None:
        self._jobs = jobs
        self._most = most
        self._runners: dict[UUID, Runner] = {}
        self._known: dict[UUID, Job | None] = {}
        self._not_before: dict[UUID, float] = {}
        self._tasks: dict[UUID, asyncio.Task[None]] = {}
        self._ready: set[UUID] = set()
        self._swept = time.monotonic()
        self._stirred = asyncio.Event()

    def own(self, runner: Runner) -> None:
        """This process has the account: its job, if there is one, may be done here."""
        self._runners[runner.subjects.account_id] = runner
        self.ready(runner.subjects.account_id)

    async def disown(self, runner: Runner) -> None:
        """Not any more: what was done for it has ended when this returns."""
        account = runner.subjects.account_id
        self._runners.pop(account, None)
        self._known.pop(account, None)
        self._not_before.pop(account, None)
        task = self._tasks.get(account)
        if task is not None:
            if not task.cancelling():  # it is giving its job back already
                task.cancel()
            await asyncio.wait({task})

    def ready(self, account: UUID) -> None:
        """There may be something for a job of this account to do."""
        self._ready.add(account)
        self._stirred.set()

    async def run(self) -> None:
        """Until cancelled; then every job is given back."""
        try:
            async with together() as tasks:
                tasks.create_task(self._listen())
                tasks.create_task(self._turns())
        finally:
            for task in self._tasks.values():
                if not task.cancelling():
                    task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks.values())

    async def _listen(self) -> None:
        """What somebody wrote is read again, if it concerns an account of ours."""
        while True:
            with suppress(*_PASSING):
                async for _, account in self._jobs.changes():
                    if account in self._runners and account not in self._tasks:
                        self._known.pop(account, None)
                        self.ready(account)
            await asyncio.sleep(1)

    async def _turns(self) -> None:
        while True:
            self._stirred.clear()
            try:
                await self._read()
                await self._enqueue()
            except _PASSING as error:
                log.warning("jobs not looked up", error=type(error).__name__)
            self._begin()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause()):
                    await self._stirred.wait()

    async def _read(self) -> None:
        if time.monotonic() - self._swept > SWEEP:
            self._swept = time.monotonic()
            self._known = {account: self._known.get(account) for account in self._tasks}
        for account, runner in list(self._runners.items()):
            if account not in self._known and account not in self._tasks:
                found = await self._jobs.current(runner.subjects.user_id, account)
                if account in self._runners:
                    self._known[account] = found

    async def _enqueue(self) -> None:
        """What is not complete is completed by a job; nobody need ask for it."""
        for account in [account for account in self._ready if account not in self._tasks and self._may(account)]:
            self._ready.discard(account)
            runner = self._runners.get(account)
            if runner is not None and self._wants(runner, self._known.get(account)):
                place = group(runner.account.host) if runner.account else ""
                try:
                    user = runner.subjects.user_id
                    self._known[account] = await self._jobs.enqueue(user, account, "backfill", by="sync", group=place)
                except Skipped as skipped:
                    log.info("job not enqueued", account=str(account), code=skipped.code)
                    self._not_before[account] = time.monotonic() + CROWDED
                    self._known.pop(account, None)
                    self._ready.add(account)
                except _PASSING:
                    self._ready.add(account)
                    raise

    def _wants(self, runner: Runner, last: Job | None) -> bool:
        """Whether it needs a job and has none. Who cancelled one does not want it again."""
        if not runner.well or runner.account is None or not runner.account.unfinished:
            return False
        if last is None or last.ended_at is None:
            return last is None
        wait = {"failed": CROWDED if last.code == "too_many_jobs" else RELUCTANT}.get(last.state, 0.0)
        return last.state != "cancelled" and datetime.now(UTC) - last.ended_at >= timedelta(seconds=wait)

    def _begin(self) -> None:
        """As many as there is room for. What an earlier owner of the account had is waiting too."""
        now = datetime.now(UTC)
        jobs = []
        for account, runner in self._runners.items():
            job = self._known.get(account)
            if account in self._tasks:
                jobs += [job] if job else []
            elif job is not None and job.active and runner.well and self._may(account):
                jobs.append(msgspec.structs.replace(job, state="queued"))
        for job in choose(jobs, now, self._most - len(self._tasks)):
            account = job.account_id
            self._known[account] = msgspec.structs.replace(job, state="running")
            task = asyncio.create_task(self._do(self._runners[account], job))
            self._tasks[account] = task
            task.add_done_callback(partial(self._ended, account))

    def _ended(self, account: UUID, _: object) -> None:
        del self._tasks[account]
        self._known.pop(account, None)
        self.ready(account)

    async def _do(self, runner: Runner, job: Job) -> None:
        """One job's trouble is its own."""
        name = str(job.id)
        try:
            held = await runner.claim(self._jobs, job)
            if held is None:
                self._not_before[job.account_id] = time.monotonic() + PAUSE
                return
            log.info("job begun", job=name, account=str(job.account_id), kind=job.kind)
            await self._work(runner, held)
        except _OVER as error:
            log.warning("job given up", job=name, error=type(error).__name__)
            self._not_before[job.account_id] = time.monotonic() + PAUSE
        except Exception:
            log.exception("job ended by an error", job=name)
            self._not_before[job.account_id] = time.monotonic() + PAUSE

    async def _work(self, runner: Runner, held: Held) -> None:
        """What came of it is said while it is still ours, and after nobody watches over it any more."""
        trouble: ProviderError | Spent | None = None
        try:
            async with held.hold():
                try:
                    await runner.work(held)
                except (ProviderError, Spent, ExceptionGroup) as error:
                    cause = first(error)
                    if not isinstance(cause, (ProviderError, Spent)):
                        raise
                    trouble = cause
            await self._settle(held, trouble)
        except JobError:
            raise
        except BaseException:
            with suppress(JobError, *_PASSING):
                await held.put_back()
            raise

    async def _settle(self, held: Held, trouble: ProviderError | Spent | None) -> None:
        """Full of our own connections is nobody's failure; what got further before the connection ended goes on soon."""
        match trouble:
            case None:
                await held.done()
            case Spent():
                await held.further()
            case Full():
                await self._later(held)
            case ProviderConnectError() if not held.job.fruitless:
                await self._later(held)
            case _:
                log.info("job failed", job=str(held.job.id), account=str(held.job.account_id), code=trouble.code)
                await held.fail(trouble.code, trouble.detail, final=isinstance(trouble, ProviderAuthError))

    async def _later(self, held: Held) -> None:
        self._not_before[held.job.account_id] = time.monotonic() + PAUSE
        await held.put_back()

    def _may(self, account: UUID) -> bool:
        return time.monotonic() >= self._not_before.get(account, 0)

    def _pause(self) -> float:
        """Until the next of what waits may be done."""
        now, clock = datetime.now(UTC), time.monotonic()
        waits = [max(0.0, self._not_before[account] - clock) for account in self._runners if not self._may(account)]
        due = [job.due_at for account, job in self._known.items() if job and job.active and account not in self._tasks]
        waits += [wait for at in due if (wait := (at - now).total_seconds()) > 0]
        return min([LATEST, *waits]) + 0.05
