"""Jobs are done by the owner of the account: in turn, a few at once, each to an end that everybody can see."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from contracts.facts import MailboxMarked
from contracts.provider import Batch, MailboxError, ProviderAuthError, ProviderConnectError
from contracts.subjects import AccountSubjects
from services.blobs import FolderBlobs
from services.jobs.held import Held
from services.jobs.job import Job
from services.mail import working
from services.mail.budget import HostBudget
from services.parsing.pool import ParsePool
from services.sync import bulk
from services.sync.ingest import Ingest
from services.sync.runner import Runner
from tests.services.sync.fleet import Fleet, Server, fleet
from tests.services.sync.mail_server import Box
from tests.services.sync.told import repeated
from tests.support.processes import Installation, until

MAIL = b"Subject: number %d\r\n\r\nHello.\r\n"


@pytest.fixture
async def some(installed: Installation, parsers: ParsePool, tmp_path: Path) -> AsyncIterator[Fleet]:
    ingest = Ingest(installed.db, FolderBlobs(tmp_path / "blobs"), parsers)
    async with fleet(installed, ingest) as it:
        yield it


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "PAUSE", 0.1)
    monkeypatch.setattr(working, "LINGER", 0.2)


async def with_mail(some: Fleet, count: int) -> tuple[AccountSubjects, Server]:
    (account,) = await some.add()
    server = some.servers[account.account_id]
    for number in range(count):
        server.inbox.add(MAIL % number)
    return account, server


async def jobs_of(some: Fleet, account: AccountSubjects) -> list[Job]:
    """Oldest first."""
    return list(reversed(await some.jobs.of_user(account.user_id)))


async def until_all_ended(some: Fleet, account: AccountSubjects) -> list[Job]:
    async def ended() -> bool:
        jobs = await jobs_of(some, account)
        return bool(jobs) and not any(job.active for job in jobs)

    await until(ended)
    return await jobs_of(some, account)


async def marks(some: Fleet, account: AccountSubjects) -> list[MailboxMarked]:
    return [fact for fact in await some.installed.told(account) if isinstance(fact, MailboxMarked)]


async def test_what_is_not_complete_is_completed_by_a_job_that_nobody_asked_for(some: Fleet) -> None:
    account, _ = await with_mail(some, 30)
    async with some.worker("one", SYNC_JOB_CHUNK="10"):
        (job,) = await until_all_ended(some, account)
        await some.installed.until_live(account)
    assert (job.kind, job.state, job.by, job.chunks, job.messages) == ("backfill", "done", "sync", 3, 30)
    assert [(mark.job, mark.chunk) for mark in await marks(some, account) if mark.job][-1] == (str(job.id), 3)


async def test_a_job_that_is_spent_says_so_and_goes_on_in_another(some: Fleet) -> None:
    account, server = await with_mail(some, 50)
    async with some.worker("one", SYNC_JOB_CHUNK="10", SYNC_JOB_CHUNKS="2"):

        async def all_there() -> bool:
            return await some.arrived(account) == 50

        await until(all_there)
        jobs = await until_all_ended(some, account)
    assert [(job.state, job.chunks) for job in jobs] == [("done", 2), ("done", 2), ("done", 1)]
    assert [job.code for job in jobs] == ["continued", "continued", ""]
    assert [job.further for job in jobs] == [jobs[1].id, jobs[2].id, None]
    assert len(server.fetched) == 50
    assert repeated(await some.installed.told(account)) == []


class Gate:
    """Lets batches through one by one, and knows whose are waiting."""

    def __init__(self, some: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waiting: list[UUID] = []
        self.most = 0
        self._open = asyncio.Event()
        original = Runner.work
        gate = self

        async def work(runner: Runner, held: Held) -> None:
            gate.waiting.append(runner.subjects.user_id)
            gate.most = max(gate.most, len(gate.waiting))
            try:
                await gate._open.wait()
                await original(runner, held)
            finally:
                gate.waiting.remove(runner.subjects.user_id)

        monkeypatch.setattr(Runner, "work", work)

    def open(self) -> None:
        self._open.set()


async def test_no_more_jobs_run_at_once_than_may_and_all_else_goes_on_beside_them(
    some: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(some, monkeypatch)
    accounts = [await with_mail(some, 3) for _ in range(5)]
    async with some.worker("one", BULK_CONCURRENCY="2"):
        await until(lambda: len(gate.waiting) == 2)
        for account, server in accounts:
            server.deliver(MAIL % 99)

            async def arrived(account: AccountSubjects = account) -> bool:
                return await some.arrived(account) == 1

            await until(arrived, seconds=5)
        assert len(gate.waiting) == 2
        gate.open()
        for account, _ in accounts:
            await until_all_ended(some, account)
    assert gate.most == 2


async def test_a_job_that_is_stopped_is_nobodys_failure_and_another_worker_goes_on(
    some: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(some, monkeypatch)
    account, _ = await with_mail(some, 3)
    async with some.worker("one"):
        await until(lambda: gate.waiting)
    (job,) = await jobs_of(some, account)
    assert (job.state, job.attempt) == ("queued", 0)
    gate.open()
    async with some.worker("two"):
        (job,) = await until_all_ended(some, account)
        assert job.state == "done"


async def test_a_job_that_is_cancelled_ends_at_once_and_is_not_begun_again(
    some: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(some, monkeypatch)
    account, server = await with_mail(some, 3)
    async with some.worker("one"):
        await until(lambda: gate.waiting)
        (job,) = await jobs_of(some, account)
        await some.jobs.cancel(account.user_id, job.id)
        await until(lambda: not gate.waiting, seconds=5)
        gate.open()
        await asyncio.sleep(1)
        assert server.fetched == []
        assert [one.state for one in await jobs_of(some, account)] == ["cancelled"]
        server.deliver(MAIL % 99)  # what is new arrives all the same

        async def arrived() -> bool:
            return await some.arrived(account) == 1

        await until(arrived)


async def test_a_job_that_fails_is_tried_five_times_and_then_says_why(some: Fleet) -> None:
    account, server = await with_mail(some, 3)
    server.dies_after = 0
    async with some.worker("one"):
        (job,) = await until_all_ended(some, account)
        await asyncio.sleep(0.5)
        assert len(await jobs_of(some, account)) == 1
    assert (job.state, job.attempt, job.code, job.detail) == ("failed", 5, "unavailable", "the server goes down")


async def test_an_account_whose_password_was_refused_has_a_failed_job_and_is_not_tried_again(some: Fleet) -> None:
    account, server = await with_mail(some, 3)

    async def refuse(*_: object, **__: object) -> AsyncIterator[None]:
        server.trouble = ProviderAuthError("auth_failed", "no")
        raise server.trouble
        yield  # type: ignore[unreachable] # what makes this a generator

    server.backfill = refuse  # type: ignore[method-assign, assignment] # as a server whose user was locked out meanwhile
    async with some.worker("one"):
        (job,) = await until_all_ended(some, account)
        assert (job.state, job.code, job.attempt) == ("failed", "auth_failed", 1)
        await until(lambda: len(server.looks) == 2)
        await asyncio.sleep(1)
        assert len(server.looks) == 2


async def test_a_job_that_gets_further_each_time_is_never_given_up(some: Fleet) -> None:
    account, server = await with_mail(some, 80)
    fetched = server._batch

    def dying(*args: object, **named: object) -> object:
        if server.fetched and len(server.fetched) % 20 == 0 and server.fetched[-1] not in lost:
            lost.add(server.fetched[-1])
            raise ProviderConnectError("unavailable", "the server goes down")
        return fetched(*args, **named)  # type: ignore[arg-type] # as it was called

    lost: set[int] = set()
    server._batch = dying  # type: ignore[method-assign, assignment] # it goes down after every second batch
    async with some.worker("one", SYNC_JOB_CHUNK="10"):
        (job,) = await until_all_ended(some, account)
    assert len(lost) >= 3
    assert (job.state, job.messages) == ("done", 80)


async def test_a_resync_that_the_owner_asks_for_repairs_what_is_not_as_the_server_has_it(some: Fleet) -> None:
    account, server = await with_mail(some, 5)
    async with some.worker("one"):
        await until_all_ended(some, account)
        server.inbox.held[3].flags = frozenset({"\\Seen"})  # and the server does not say that it did
        await some.jobs.enqueue(account.user_id, account.account_id, "resync", by="user")
        jobs = await until_all_ended(some, account)
    assert [(job.kind, job.state) for job in jobs] == [("backfill", "done"), ("resync", "done")]
    changes = [fact for fact in await some.installed.told(account) if type(fact).__name__ == "DriftRepaired"]
    assert len(changes) == 1


async def test_a_mailbox_that_the_server_refuses_keeps_no_other_waiting(some: Fleet) -> None:
    account, server = await with_mail(some, 2)
    server.boxes["Closed"], server.boxes["Open"] = Box(), Box()
    server.boxes["Closed"].add(MAIL % 50)
    server.boxes["Open"].add(MAIL % 51)
    given = server.backfill

    def backfill(mailbox: str, **named: int) -> AsyncIterator[Batch]:
        if mailbox == "Closed":
            raise MailboxError("no_permission", "not yours")
        return given(mailbox, **named)

    server.backfill = backfill  # type: ignore[method-assign, assignment] # one mailbox is not for us
    async with some.worker("one"):
        (job,) = await until_all_ended(some, account)
        await some.installed.until_live(account)
        assert (job.state, job.messages) == ("done", 3)


async def test_a_long_job_at_a_host_with_one_place_leaves_it_to_others_between_two_chunks(some: Fleet) -> None:
    some.budget = HostBudget(1)
    account, server = await with_mail(some, 400)

    async def slowly(*args: object, **named: int) -> AsyncIterator[Batch]:
        async for batch in backfill(*args, **named):  # type: ignore[arg-type] # as it was called
            await asyncio.sleep(0.05)
            yield batch

    backfill = server.backfill
    server.backfill = slowly  # type: ignore[method-assign, assignment] # on a slow line
    async with some.worker("one", SYNC_JOB_CHUNK="5"):
        await until(lambda: server.fetched)
        other, _ = await with_mail(some, 1)
        await some.installed.until_live(other, seconds=10)
        assert len(server.fetched) < 400
        await until_all_ended(some, account)
    assert len(server.fetched) == len(set(server.fetched)) == 400
