"""A job that this process works on: its lease, what came of it, and the fence before every write that is done for it."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec
import nats.errors
import structlog
from nats.aio.msg import Msg

from services.jobs import store
from services.jobs.errors import JobLost
from services.jobs.job import Job, Limits, backoff
from services.jobs.store import Store
from services.log.errors import Conflict, LogError

_MARGIN = 0.9
"""Of the lease, after which a holder that could not renew stops: it must have ended before the next claim."""

_EVERY = 2.0
"""Seconds between two writes of progress; the log itself knows every chunk."""

log = structlog.get_logger()

working: ContextVar["Held | None"] = ContextVar("working", default=None)
"""The job in whose name this task, and every task it starts, acts."""


class Held:
    """Made by `Jobs.claim`. What ends it, ends it once; whatever comes after raises JobLost."""

    def __init__(self, entries: Store, job: Job, revision: int, limits: Limits) -> None:
        self._store = entries
        self._job = job
        self._revision = revision
        self._limits = limits
        self._key = store.current(job.user_id, job.account_id)
        self._turn = asyncio.Lock()
        self._lost = ""
        self._written = self._renewed = time.monotonic()

    @property
    def job(self) -> Job:
        """As far as this process brought it."""
        return self._job

    @property
    def spent(self) -> bool:
        """It has done as many chunks as one job may: what is left is for a further one."""
        return self._job.chunks >= self._limits.chunks

    async def check(self) -> None:
        """The fence: return only while the bucket's leader says that the job is ours. Raises JobLost, Unavailable."""
        if self._lost:
            raise JobLost(self._lost)
        entry = await self._store.read(self._key)
        if entry.job is None or entry.job.token != self._job.token:
            raise self._gone(entry.job)

    async def renew(self) -> None:
        """For another ten minutes. Raises JobLost, Unavailable."""
        asked = time.monotonic()
        until = datetime.now(UTC) + timedelta(seconds=self._limits.lease)
        await self._write(lambda job: msgspec.structs.replace(job, lease_until=until))
        self._renewed = asked

    async def progress(self, chunks: int, messages: int) -> None:
        """So many more are in the log. Raises JobLost, Unavailable."""
        async with self._turn:
            job = self._job
            self._job = msgspec.structs.replace(job, chunks=job.chunks + chunks, messages=job.messages + messages)
        if time.monotonic() - self._written > _EVERY:
            await self._write(lambda job: job)

    async def done(self) -> None:
        """All of it. Raises JobLost, Unavailable."""
        await self._leave(lambda job: job.ended("done", datetime.now(UTC)))

    async def further(self) -> Job | None:
        """It is spent: it ends, and says in which job its work goes on. Raises JobLost, Unavailable.

        None when somebody asked for another the moment it had ended: what is left is that one's.
        """
        now, before = datetime.now(UTC), self._job
        following = Job(
            id=uuid4(),
            user_id=before.user_id,
            account_id=before.account_id,
            kind=before.kind if before.kind == "resync" else "backfill",
            state="queued",
            created_at=now,
            due_at=now,
            by=before.by,
            group=before.group,
        )
        await self._leave(lambda job: job.continued(following.id, now))
        await self._store.keep(self._job, self._limits.kept)
        try:
            await self._store.write(self._key, following, expected=self._revision)
        except Conflict:
            return None
        return following

    async def fail(self, code: str, detail: str = "", *, final: bool = False) -> Job:
        """Tried again later, unless this was the last attempt or trying again is of no use (`final`).

        Raises JobLost, Unavailable.
        """
        now, dice = datetime.now(UTC), random.random()  # noqa: S311 - so that not all come back at once

        def failed(job: Job) -> Job:
            if final or job.fruitless >= self._limits.attempts:
                return job.ended("failed", now, code, detail)
            wait = backoff(self._limits, job.fruitless, dice)
            return job.queued(now + wait, code, detail, attempt=job.fruitless)

        await self._leave(failed)
        return self._job

    async def put_back(self) -> None:
        """Nobody's again, as if this attempt had not been. Raises JobLost, Unavailable."""
        now = datetime.now(UTC)
        await self._leave(lambda job: job.queued(now, attempt=max(job.fruitless - 1, 0)))

    @asynccontextmanager
    async def hold(self) -> AsyncIterator["Held"]:
        """Renew it while the body runs, which acts in its name.

        The body is cancelled, and JobLost raised, as soon as it is cancelled or taken, and before its lease ends.
        """
        named = working.set(self)
        news = asyncio.Event()
        try:
            async with self._heard(news), asyncio.timeout_at(self._expiry()) as scope:
                keeping = asyncio.create_task(self._keep(scope, news))
                try:
                    yield self
                finally:
                    keeping.cancel()
                    await asyncio.wait({keeping})
        except TimeoutError as error:
            if not scope.expired():
                raise
            self._lost = self._lost or "it was not renewed in time"
            log.warning("job lost", job=str(self._job.id), why=self._lost)
            raise JobLost(self._lost) from error
        finally:
            working.reset(named)

    async def _keep(self, scope: asyncio.Timeout, news: asyncio.Event) -> None:
        """Renew every minute, and ask the leader at once when somebody else wrote the key."""
        while not self._lost:
            left = self._renewed + self._limits.renew - time.monotonic()
            with suppress(TimeoutError):
                async with asyncio.timeout(max(left, 0)):  # wait_for, before 3.12, may swallow a cancellation
                    await news.wait()
            try:
                if news.is_set():
                    news.clear()
                    await self.check()
                else:
                    await self.renew()
            except JobLost:
                if not scope.expired():
                    scope.reschedule(0)
                return
            except LogError as error:
                log.warning("job not renewed", job=str(self._job.id), error=type(error).__name__)
                await asyncio.sleep(self._limits.renew / 10)
                continue
            if not scope.expired():
                scope.reschedule(self._expiry())

    @asynccontextmanager
    async def _heard(self, news: asyncio.Event) -> AsyncIterator[None]:
        """`news` is set when the key is written, or somebody tries to, by others than us."""
        own = self._job.token.encode()

        async def heard(message: Msg) -> None:
            if own not in message.data:
                news.set()

        subscription = await self._store.nc.listen(self._key, cb=heard)
        try:
            yield
        finally:
            with suppress(nats.errors.Error):  # already over, with the connection
                await subscription.unsubscribe()

    def _expiry(self) -> float:
        """The loop's time at which the job must be taken for lost."""
        left = self._renewed + self._limits.lease * _MARGIN - time.monotonic()
        return asyncio.get_running_loop().time() + left

    async def _leave(self, change: Callable[[Job], Job]) -> None:
        """The last that this holder writes."""
        await self._write(change)
        self._lost = "it was left"

    async def _write(self, change: Callable[[Job], Job]) -> None:
        async with self._turn:
            if self._lost:
                raise JobLost(self._lost)
            job = change(self._job)
            ttl = self._limits.kept if job.ended_at else 0
            try:
                self._revision = await self._store.write(self._key, job, expected=self._revision, ttl=ttl)
            except Conflict:
                raise self._gone((await self._store.read(self._key)).job) from None
            self._job, self._written = job, time.monotonic()

    def _gone(self, found: Job | None) -> JobLost:
        cancelled = found is not None and found.id == self._job.id and found.state == "cancelled"
        self._lost = "it was cancelled" if cancelled else "somebody else has it"
        return JobLost(self._lost)
