"""Enqueue, look up, cancel and claim jobs: what the gateway and sync ask of the bucket."""

from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import nats.errors
import structlog

from services.jobs import cooldowns, store
from services.jobs.errors import Skipped
from services.jobs.held import Held
from services.jobs.job import Authority, Job, Kind, Limits
from services.jobs.store import Entry, Store
from services.log.connection import Connection
from services.log.errors import Conflict

_TRIES = 20
"""Writes of others that one change of ours may run into: a running job writes every few seconds at most."""

log = structlog.get_logger()


class Jobs:
    """All raise Unavailable when the log does not answer."""

    def __init__(self, nc: Connection, limits: Limits) -> None:
        self._nc = nc
        self._store = Store(nc)
        self._limits = limits

    async def enqueue(self, user_id: UUID, account_id: UUID, kind: Kind, *, by: str, group: str = "") -> Job:
        """A new job, due now; while its hosts want peace, due after that, or not at all when a user asks. Raises Skipped.

        Of all that are enqueued at once for a user no more stay than there may be: each write expects that nothing of the
        user's changed since it was counted.
        """
        for _ in range(_TRIES):
            last = (await self._store.read(store.currents(user_id))).revision
            jobs = await self.currents(user_id)
            now = datetime.now(UTC)
            cooling = await cooldowns.until(self._nc, group, now)
            if cooling is not None and kind == "resync":
                raise Skipped("cooling_down")
            job = Job(
                id=uuid4(),
                user_id=user_id,
                account_id=account_id,
                kind=kind,
                state="queued",
                created_at=now,
                due_at=cooling or now,
                by=by,
                group=group,
            )
            try:
                await self._replace(jobs, job, last)
            except Conflict:
                continue
            log.info("job enqueued", job=str(job.id), account=str(account_id), kind=kind)
            return job
        raise Skipped("busy")

    async def current(self, user_id: UUID, account_id: UUID) -> Job | None:
        """The account's job, or its last one, for a week after its end: who cancelled it does not want it again."""
        return (await self._store.read(store.current(user_id, account_id))).job

    async def of_user(self, user_id: UUID) -> list[Job]:
        """Current and ended ones, newest first."""
        found = {job.id: job for job in await self._store.under(store.of_user(user_id))}
        return sorted(found.values(), key=lambda job: job.created_at, reverse=True)

    async def currents(self, user_id: UUID) -> list[Job]:
        """The current job, or the last one, of each of the user's accounts."""
        return await self._store.under(store.currents(user_id))

    async def find(self, user_id: UUID, job_id: UUID) -> Job | None:
        """One of the user's own."""
        current = next((job for job in await self.currents(user_id) if job.id == job_id), None)
        return current or (await self._store.read(store.ended_of(user_id, job_id))).job

    async def cancel(self, user_id: UUID, job_id: UUID) -> Job | None:
        """The job, ended; None when the user has none of this id. Whoever works on it is refused its next write.

        One that has ended already is given as it is.
        """
        job = await self.find(user_id, job_id)
        while job is not None and job.active:
            entry = await self._store.read(store.current(user_id, job.account_id))
            if entry.job is None or entry.job.id != job_id or not entry.job.active:
                return await self.find(user_id, job_id)
            cancelled = entry.job.ended("cancelled", datetime.now(UTC), "cancelled")
            with suppress(Conflict):
                await self._put(entry, cancelled)
                log.info("job cancelled", job=str(job_id), account=str(job.account_id))
                return cancelled
        return job

    async def claim(self, job: Job, worker: str, authority: Authority, *, epoch: int = 0) -> Held | None:
        """The job, if nobody else has it and it may be done now; its last claim counts as an attempt when it was left.

        `epoch`: the account's, of the lease under which the caller owns it; claims under earlier ones are void.
        """
        now = datetime.now(UTC)
        entry = await self._store.read(store.current(job.user_id, job.account_id))
        if entry.job is None or entry.job.id != job.id or not entry.job.may_be_claimed(now, epoch):
            return None
        found = entry.job
        cooling = await cooldowns.until(self._nc, found.group, now)
        until = now + timedelta(seconds=self._limits.lease)
        claimed = found.claimed(worker, uuid4().hex, authority, epoch, until)
        if found.fruitless >= self._limits.attempts:
            claimed = found.ended("failed", now, "worker_lost", "Every worker that began it came to its end.")
        elif cooling is not None:
            claimed = found.queued(cooling, "cooling_down", attempt=found.fruitless)
        try:
            revision = await self._put(entry, claimed)
        except Conflict:
            return None
        return Held(self._store, claimed, revision, self._limits) if claimed.state == "running" else None

    async def changes(self) -> AsyncIterator[tuple[UUID, UUID]]:
        """User and account of every job that somebody writes, or tries to: a sign to read it, no more."""
        subscription = await self._nc.subscribe(f"{store.PREFIX}.*.*")
        try:
            async for message in subscription.messages:
                user, account = message.subject.split(".")[-2:]
                with suppress(ValueError):
                    yield UUID(user), UUID(account)
        finally:
            with suppress(nats.errors.Error):  # already over, with the connection
                await subscription.unsubscribe()

    async def _replace(self, jobs: list[Job], job: Job, last: int) -> None:
        """Make it the account's current one, unless there are too many. Raises Skipped, Conflict."""
        active = [one for one in jobs if one.active]
        before = next((one for one in jobs if one.account_id == job.account_id), None)
        if before is not None and before.active:
            raise Skipped("already_queued")
        if len(active) < self._limits.per_user:
            await self._follow(before, job, last)
            return
        if job.kind != "resync" and (before is None or before.code != "too_many_jobs"):
            refused = job.ended("failed", job.created_at, "too_many_jobs", "Other jobs of yours have to end first.")
            await self._follow(before, refused, last)
        raise Skipped("too_many_jobs")

    async def _follow(self, before: Job | None, job: Job, last: int) -> None:
        """What has ended moves to a key of its own first, so that it is seen all the time."""
        if before is not None:
            await self._store.keep(before, self._limits.kept)
        ttl = self._limits.kept if job.ended_at else 0
        key, under = store.current(job.user_id, job.account_id), store.currents(job.user_id)
        await self._store.write(key, job, expected=last, under=under, ttl=ttl)

    async def _put(self, entry: Entry, job: Job) -> int:
        ttl = self._limits.kept if job.ended_at else 0
        key = store.current(job.user_id, job.account_id)
        return await self._store.write(key, job, expected=entry.revision, ttl=ttl)
