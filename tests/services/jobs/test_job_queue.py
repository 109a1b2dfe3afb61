"""Enqueueing, looking up, cancelling: by the gateway's own rights, against a real log."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from services.jobs import cooldowns, store
from services.jobs.errors import Skipped
from services.jobs.job import Authority, Job, Limits
from services.jobs.jobs import Jobs
from services.log import api
from services.log.connection import Connection

AUTHORITY = Authority(authorization_epoch=1, credential_version=1)


async def skipped(jobs: Jobs, user: UUID, account: UUID, group: str = "") -> str:
    with pytest.raises(Skipped) as raised:
        await jobs.enqueue(user, account, "resync", by="user", group=group)
    return raised.value.code


async def test_a_job_is_what_was_asked_and_waits(asked: Jobs) -> None:
    user, account = uuid4(), uuid4()
    job = await asked.enqueue(user, account, "bootstrap", by="user", group="example.org")
    assert (job.user_id, job.account_id, job.kind, job.state, job.attempt) == (user, account, "bootstrap", "queued", 0)
    assert await asked.current(user, account) == job
    assert await asked.of_user(user) == [job]
    assert await asked.find(user, job.id) == job


async def test_a_second_job_for_an_account_is_skipped_while_the_first_waits_or_runs(asked: Jobs, jobs: Jobs) -> None:
    user, account = uuid4(), uuid4()
    job = await asked.enqueue(user, account, "bootstrap", by="user")
    assert await skipped(asked, user, account) == "already_queued"
    held = await jobs.claim(job, "w", AUTHORITY)
    assert held is not None
    assert await skipped(asked, user, account) == "already_queued"
    await held.done()
    second = await asked.enqueue(user, account, "resync", by="user")
    assert [one.id for one in await asked.of_user(user)] == [second.id, job.id]


async def test_of_many_enqueued_at_once_for_an_account_one_stays(asked: Jobs) -> None:
    user, account = uuid4(), uuid4()
    wishes = (asked.enqueue(user, account, "resync", by="user") for _ in range(8))
    got = await asyncio.gather(*wishes, return_exceptions=True)
    assert sum(isinstance(one, Job) for one in got) == 1
    assert len(await asked.of_user(user)) == 1


async def test_of_many_enqueued_at_once_no_more_stay_than_a_user_may_have(asked: Jobs) -> None:
    user = uuid4()
    wishes = (asked.enqueue(user, uuid4(), "resync", by="user") for _ in range(11))
    got = await asyncio.gather(*wishes, return_exceptions=True)
    assert sum(isinstance(one, Job) for one in got) == Limits().per_user
    assert {str(one) for one in got if not isinstance(one, Job)} == {"too_many_jobs"}
    assert len(await asked.of_user(user)) == Limits().per_user


async def test_one_users_jobs_do_not_count_for_another(gateway: Connection) -> None:
    asked = Jobs(gateway, Limits(per_user=1))
    await asked.enqueue(uuid4(), uuid4(), "resync", by="user")
    await asked.enqueue(uuid4(), uuid4(), "resync", by="user")


async def test_a_first_sync_for_which_there_is_no_room_is_a_failed_job_that_says_so(gateway: Connection) -> None:
    asked, user, account = Jobs(gateway, Limits(per_user=1)), uuid4(), uuid4()
    first = await asked.enqueue(user, uuid4(), "bootstrap", by="user")
    for _ in range(3):
        with pytest.raises(Skipped, match="too_many_jobs"):
            await asked.enqueue(user, account, "backfill", by="sync")
    refused = await asked.current(user, account)
    assert refused is not None
    assert (refused.state, refused.code) == ("failed", "too_many_jobs")
    assert len(await asked.of_user(user)) == 2
    assert await asked.cancel(user, first.id)
    assert (await asked.enqueue(user, account, "backfill", by="sync")).state == "queued"


async def test_a_host_that_asked_for_peace_gets_it(nc: Connection, asked: Jobs, jobs: Jobs) -> None:
    group = cooldowns.group(f"imap.{uuid4().hex}.example")
    before = await asked.enqueue(uuid4(), uuid4(), "backfill", by="sync", group=group)
    end = datetime.now(UTC) + timedelta(minutes=5)
    await cooldowns.cool(nc, group, end)
    assert await skipped(asked, uuid4(), uuid4(), group) == "cooling_down"
    assert (await asked.enqueue(uuid4(), uuid4(), "bootstrap", by="user", group=group)).due_at == end
    assert await jobs.claim(before, "w", AUTHORITY) is None
    waiting = await jobs.current(before.user_id, before.account_id)
    assert waiting is not None
    assert (waiting.state, waiting.code, waiting.due_at, waiting.attempt) == ("queued", "cooling_down", end, 0)


async def test_a_cooldown_that_is_over_holds_nothing_up(nc: Connection, asked: Jobs) -> None:
    group = cooldowns.group(f"{uuid4().hex}.example")
    await cooldowns.cool(nc, group, datetime.now(UTC) - timedelta(seconds=1))
    assert await asked.enqueue(uuid4(), uuid4(), "resync", by="user", group=group)


@pytest.mark.parametrize(
    ("host", "group"),
    [
        ("imap.example.org", "example.org"),
        ("IMAP.Example.ORG.", "example.org"),
        ("mail.firma.co.uk", "firma.co.uk"),
        ("imap.gmx.de", "gmx.de"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "--1"),
        ("mail.bücher.example", "b_cher.example"),
        ("*.>", "_._"),
        ("", "_"),
    ],
)
def test_hosts_of_one_provider_are_one_group_and_a_fit_key(host: str, group: str) -> None:
    assert cooldowns.group(host) == group


async def test_a_cancelled_job_is_ended_and_stays_to_be_seen(asked: Jobs) -> None:
    user, account = uuid4(), uuid4()
    job = await asked.enqueue(user, account, "resync", by="user")
    cancelled = await asked.cancel(user, job.id)
    assert cancelled is not None
    assert (cancelled.state, cancelled.code) == ("cancelled", "cancelled")
    assert await asked.cancel(user, job.id) == cancelled
    assert await asked.current(user, account) == cancelled


async def test_nobody_cancels_or_sees_anothers_job(asked: Jobs) -> None:
    owner, other = uuid4(), uuid4()
    job = await asked.enqueue(owner, uuid4(), "resync", by="user")
    assert await asked.cancel(other, job.id) is None
    assert await asked.find(other, job.id) is None
    assert await asked.of_user(other) == []
    assert (await asked.find(owner, job.id)) == job


async def test_what_has_ended_is_forgotten_by_the_server_in_time(gateway: Connection) -> None:
    asked, user, account = Jobs(gateway, Limits(kept=1)), uuid4(), uuid4()
    for _ in range(2):
        job = await asked.enqueue(user, account, "resync", by="user")
        await asked.cancel(user, job.id)
    assert len(await asked.of_user(user)) == 2
    async with asyncio.timeout(10):
        while await asked.of_user(user):
            await asyncio.sleep(0.1)


async def test_what_is_no_job_is_passed_over_and_written_over(nc: Connection, asked: Jobs) -> None:
    user, account = uuid4(), uuid4()
    await api.publish(nc, store.current(user, account), b"{}", {})
    assert await asked.of_user(user) == []
    job = await asked.enqueue(user, account, "resync", by="user")
    assert await asked.of_user(user) == [job]


async def test_a_worker_hears_of_new_and_of_cancelled_jobs(asked: Jobs, jobs: Jobs) -> None:
    user, account = uuid4(), uuid4()
    heard: Counter[tuple[UUID, UUID]] = Counter()

    async def listen() -> None:
        async for change in jobs.changes():
            heard[change] += 1

    async def until_heard(times: int) -> None:
        async with asyncio.timeout(5):
            while heard[user, account] < times:
                await asyncio.sleep(0.02)

    listening = asyncio.create_task(listen())
    while not heard:  # until it listens
        await asked.enqueue(uuid4(), uuid4(), "resync", by="user")
    job = await asked.enqueue(user, account, "resync", by="user")
    await until_heard(1)
    await asked.cancel(user, job.id)
    await until_heard(2)
    listening.cancel()
