"""What a worker does next, while it is at work: whoever has nothing running comes first."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.subjects import AccountSubjects
from services.jobs.held import Held
from services.jobs.job import Authority, Job
from services.jobs.jobs import Jobs
from services.sync.bulk import Bulk

AUTHORITY = Authority(authorization_epoch=1, credential_version=1)


class Owner:
    """Stands for the runner of one account, whose job lasts until it is let go."""

    well = True
    account = None

    def __init__(self, job: Job, begun: list[UUID]) -> None:
        self.subjects = AccountSubjects(0, job.user_id, job.account_id)
        self.go = asyncio.Event()
        self._begun = begun

    async def claim(self, jobs: Jobs, job: Job) -> Held | None:
        return await jobs.claim(job, "one", AUTHORITY)

    async def work(self, held: Held) -> None:
        self._begun.append(held.job.user_id)
        await self.go.wait()


@pytest.fixture
async def bulk(jobs: Jobs) -> AsyncIterator[Any]:
    """Two at once."""
    bulk = Bulk(jobs, 2)
    running = asyncio.create_task(bulk.run())
    yield bulk
    running.cancel()
    await asyncio.wait({running})


async def test_who_has_a_job_running_waits_for_who_has_none(bulk: Any, jobs: Jobs) -> None:
    greedy, passing, modest = uuid4(), uuid4(), uuid4()
    begun: list[UUID] = []

    async def asked(user: UUID) -> Owner:
        owner = Owner(await jobs.enqueue(user, uuid4(), "backfill", by="user"), begun)
        bulk.own(owner)
        return owner

    async def until_begun(count: int) -> None:
        async with asyncio.timeout(10):
            while len(begun) < count:
                await asyncio.sleep(0.02)

    await asked(greedy)
    other = await asked(passing)
    await until_begun(2)
    await asked(greedy)
    await asked(modest)
    other.go.set()
    await until_begun(3)
    assert begun[2] == modest
