"""Claiming, working, failing, losing: one worker a job, and nothing of it lost when a worker is."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from services.jobs.errors import JobLost
from services.jobs.held import Held, working
from services.jobs.job import Authority, Job, Limits, backoff
from services.jobs.jobs import Jobs
from services.log import api
from services.log.connection import Connection
from services.log.errors import Refused, Unavailable
from tests.services.jobs.quick import QUICK

AUTHORITY = Authority(authorization_epoch=3, credential_version=2)


async def queued(asked: Jobs) -> Job:
    return await asked.enqueue(uuid4(), uuid4(), "backfill", by="user")


async def claimed(asked: Jobs, jobs: Jobs) -> Held:
    held = await jobs.claim(await queued(asked), "one", AUTHORITY)
    assert held is not None
    return held


async def as_stored(jobs: Jobs, job: Job) -> Job:
    found = await jobs.find(job.user_id, job.id)
    assert found is not None
    return found


async def again(jobs: Jobs, job: Job, *, epoch: int = 0) -> Held:
    """Claimed as soon as it may be."""
    async with asyncio.timeout(10):
        while (held := await jobs.claim(job, "two", AUTHORITY, epoch=epoch)) is None:
            await asyncio.sleep(0.05)
    return held


async def hold_and_wait(held: Held, meanwhile: Callable[[], Awaitable[object]]) -> None:
    async with held.hold():
        await meanwhile()
        await asyncio.wait_for(asyncio.Event().wait(), 8)


async def test_of_workers_that_claim_one_job_at_once_one_wins(asked: Jobs, jobs: Jobs) -> None:
    job = await queued(asked)
    claims = await asyncio.gather(*(jobs.claim(job, f"worker{n}", AUTHORITY) for n in range(8)))
    (held,) = [claim for claim in claims if claim is not None]
    running = await as_stored(jobs, job)
    assert (running.state, running.worker, running.attempt) == ("running", held.job.worker, 1)
    assert running.authority == AUTHORITY


async def test_a_job_that_is_done_says_how_much_and_is_claimed_no_more(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)
    await held.progress(2, 480)
    await held.progress(1, 20)
    await held.done()
    job = await as_stored(jobs, held.job)
    assert (job.state, job.chunks, job.messages, job.code) == ("done", 3, 500, "")
    assert job.ended_at is not None
    assert await jobs.claim(job, "two", AUTHORITY) is None


async def test_progress_is_seen_while_it_is_made(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)
    async with asyncio.timeout(10):
        while not (await as_stored(jobs, held.job)).chunks:
            await held.progress(1, 10)
            await asyncio.sleep(0.1)


async def test_what_is_done_while_the_lease_is_renewed_is_counted(
    asked: Jobs, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = await claimed(asked, jobs)
    publish, may_answer = api.publish, asyncio.Event()

    async def slow(*given: object, **more: object) -> object:
        await may_answer.wait()
        return await publish(*given, **more)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(api, "publish", slow)
    renewing = asyncio.create_task(held.renew())
    await asyncio.sleep(0)  # it has begun
    progressing = asyncio.create_task(held.progress(1, 250))
    await asyncio.sleep(0)
    may_answer.set()
    await asyncio.gather(renewing, progressing)
    await held.done()
    assert (await as_stored(jobs, held.job)).messages == 250


async def test_a_failed_attempt_is_tried_again_later_and_says_why(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)
    waiting = await held.fail("timeout", "The server stayed silent.")
    assert (waiting.state, waiting.attempt, waiting.code) == ("queued", 1, "timeout")
    assert waiting.due_at > datetime.now(UTC)
    assert await jobs.claim(waiting, "two", AUTHORITY) is None
    second = await again(jobs, waiting)
    assert (second.job.attempt, second.job.code) == (2, "")


async def test_five_attempts_that_get_nowhere_are_enough(nc: Connection, asked: Jobs) -> None:
    jobs = Jobs(nc, Limits(retry=0.01))
    held = await claimed(asked, jobs)
    for attempt in range(1, 6):
        assert held.job.attempt == attempt
        after = await held.fail("unavailable")
        if attempt < 5:
            held = await again(jobs, after)
    assert (after.state, after.code) == ("failed", "unavailable")
    assert (await as_stored(jobs, after)).state == "failed"


async def test_an_attempt_that_got_somewhere_makes_the_next_the_first_again(nc: Connection, asked: Jobs) -> None:
    jobs = Jobs(nc, Limits(retry=0.01, attempts=2))
    held = await claimed(asked, jobs)
    for _ in range(4):
        await held.progress(1, 200)
        held = await again(jobs, await held.fail("connection_lost"))
        assert held.job.attempt == 1
    assert held.job.chunks == 4


async def test_what_no_attempt_can_mend_fails_at_once(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)
    failed = await held.fail("auth_failed", final=True)
    assert (failed.state, failed.attempt) == ("failed", 1)


def test_waits_grow_and_end_at_a_day() -> None:
    limits = Limits()
    waits = [backoff(limits, attempt, 1.0) for attempt in range(1, 40)]
    assert waits[:3] == [timedelta(seconds=10), timedelta(seconds=20), timedelta(seconds=40)]
    assert max(waits) == timedelta(days=1)
    assert backoff(limits, 3, 0.0) == timedelta(seconds=20)


async def test_a_job_put_back_is_anybodys_at_once_and_was_no_attempt(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)
    await held.put_back()
    second = await jobs.claim(held.job, "two", AUTHORITY)
    assert second is not None
    assert second.job.attempt == 1


async def test_a_lease_that_is_renewed_outlives_its_time(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)
    async with held.hold():
        until = asyncio.get_running_loop().time() + QUICK.lease * 2
        while asyncio.get_running_loop().time() < until:
            assert await jobs.claim(held.job, "two", AUTHORITY) is None
            await asyncio.sleep(0.1)
        await held.done()


async def test_an_expired_claim_is_recovered_by_the_next_one_and_counts(asked: Jobs, jobs: Jobs) -> None:
    silent = await claimed(asked, jobs)
    held = await again(jobs, silent.job)
    assert (held.job.attempt, held.job.worker) == (2, "two")
    with pytest.raises(JobLost):
        await silent.check()
    with pytest.raises(JobLost):
        await silent.done()
    await held.check()


async def test_a_job_that_every_worker_dies_of_fails(nc: Connection, asked: Jobs) -> None:
    jobs = Jobs(nc, Limits(lease=0.02))
    job = (await claimed(asked, jobs)).job
    async with asyncio.timeout(10):
        while (await as_stored(jobs, job)).active:
            await jobs.claim(job, "another", AUTHORITY)
            await asyncio.sleep(0.03)
    job = await as_stored(jobs, job)
    assert (job.state, job.code, job.attempt) == ("failed", "worker_lost", 5)


async def test_the_claim_of_an_earlier_owner_of_the_account_is_void(nc: Connection, asked: Jobs) -> None:
    jobs = Jobs(nc, Limits())
    job = await queued(asked)
    first = await jobs.claim(job, "one", AUTHORITY, epoch=7)
    assert first is not None
    assert await jobs.claim(job, "two", AUTHORITY, epoch=7) is None
    assert await jobs.claim(job, "two", AUTHORITY, epoch=8)
    with pytest.raises(JobLost):
        await first.renew()


async def test_the_work_ends_at_once_when_its_job_is_cancelled(asked: Jobs, nc: Connection) -> None:
    held = await claimed(asked, Jobs(nc, Limits()))  # renewed in a minute: it is the cancellation that is heard

    async def cancel() -> None:
        assert await asked.cancel(held.job.user_id, held.job.id)

    async with asyncio.timeout(5):
        with pytest.raises(JobLost, match="cancelled"):
            await hold_and_wait(held, cancel)
    for write in (held.check(), held.renew(), held.done(), held.put_back()):
        with pytest.raises(JobLost):
            await write
    assert (await as_stored(asked, held.job)).state == "cancelled"


async def test_the_work_ends_before_anybody_else_may_claim_it_when_the_log_is_away(
    asked: Jobs, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = await claimed(asked, jobs)

    async def silence(*_: object, **__: object) -> None:
        raise Unavailable("cut off")

    async def cut() -> None:
        monkeypatch.setattr(api, "publish", silence)

    with pytest.raises(JobLost, match="in time"):
        await hold_and_wait(held, cut)
    assert held.job.lease_until is not None
    assert held.job.lease_until > datetime.now(UTC)


async def test_a_sign_that_means_nothing_does_not_end_the_work(asked: Jobs, jobs: Jobs, nc: Connection) -> None:
    held = await claimed(asked, jobs)
    async with held.hold():
        for _ in range(3):
            with pytest.raises(Refused):
                await api.publish(
                    nc,
                    f"$KV.sync_jobs.{held.job.user_id}.{held.job.account_id}",
                    b"{}",
                    {"Nats-Expected-Last-Subject-Sequence": "1"},
                )
            await asyncio.sleep(0.05)
        await held.check()
        await held.done()


async def test_a_renewal_whose_answer_was_lost_is_recognised(
    asked: Jobs, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = await claimed(asked, jobs)
    publish = api.publish

    async def deaf(*given: object, **more: object) -> object:
        monkeypatch.setattr(api, "publish", publish)
        await publish(*given, **more)  # type: ignore[arg-type] # as it was called
        raise Unavailable("no answer")

    monkeypatch.setattr(api, "publish", deaf)
    await held.renew()
    await held.done()
    assert (await as_stored(jobs, held.job)).state == "done"


async def test_what_is_more_than_one_job_may_do_goes_on_in_a_further_one_and_says_so(
    nc: Connection, asked: Jobs
) -> None:
    jobs = Jobs(nc, Limits(chunks=2))
    held = await claimed(asked, jobs)
    before = held.spent
    await held.progress(2, 500)
    assert (before, held.spent) == (False, True)
    following = await held.further()
    assert following is not None
    ended = await as_stored(jobs, held.job)
    assert (ended.state, ended.code, ended.further, ended.chunks) == ("done", "continued", following.id, 2)
    assert await jobs.current(ended.user_id, ended.account_id) == following
    with pytest.raises(JobLost):
        await held.check()
    assert await jobs.claim(following, "two", AUTHORITY)


async def test_what_is_asked_for_as_a_job_goes_on_is_the_further_one(
    nc: Connection, asked: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(nc, Limits(chunks=1))
    held = await claimed(asked, jobs)
    keep = held._store.keep

    async def meanwhile(job: Job, ttl: int) -> None:
        await keep(job, ttl)
        await asked.enqueue(job.user_id, job.account_id, "resync", by="user")

    monkeypatch.setattr(held._store, "keep", meanwhile)
    assert await held.further() is None
    current = await jobs.current(held.job.user_id, held.job.account_id)
    assert current is not None
    assert (current.kind, current.state) == ("resync", "queued")


async def test_a_job_that_was_cancelled_goes_on_nowhere(nc: Connection, asked: Jobs) -> None:
    jobs = Jobs(nc, Limits(chunks=1))
    held = await claimed(asked, jobs)
    await asked.cancel(held.job.user_id, held.job.id)
    with pytest.raises(JobLost):
        await held.further()
    assert [job.state for job in await jobs.of_user(held.job.user_id)] == ["cancelled"]


async def test_tasks_know_the_job_in_whose_name_they_act(asked: Jobs, jobs: Jobs) -> None:
    held = await claimed(asked, jobs)

    async def whose() -> Held | None:
        return working.get()

    async with held.hold():
        assert await asyncio.create_task(whose()) is held
    assert working.get() is None
