"""In whose name sync writes: rechecked at claim and at every append, against a real Postgres and a real log."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts import ids
from contracts.facts import Fact
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.jobs.errors import JobLost
from services.jobs.held import Held
from services.jobs.job import Authority, Job, Limits
from services.jobs.jobs import Jobs
from services.log import api
from services.log.appender import AccountAppender
from services.log.connection import Connection, connect
from services.log.errors import Lost
from services.mail.budget import HostBudget
from services.mail.discovery.outside import outside
from services.state.accounts import Endpoint
from services.sync import accounts
from services.sync.authority import Authorized
from services.sync.connect import Connector
from services.sync.errors import Revoked
from services.sync.trial import Trier
from services.vault import Credentials, Vault
from tests.services.jobs.conftest import Server
from tests.services.log.given import PARTITIONS, Account, everything, uids
from tests.services.log.proxy import Proxy, never
from tests.support.postgres_server import Postgres

VAULT = Vault(bytes(range(32)))


def tried(password: str, host: str = "a") -> accounts.Tried:
    server = Endpoint(host=host, port=993, tls="ssl", username="a")
    return accounts.Tried(server, None, Credentials(imap_password=password))


@dataclass
class World:
    """An account that works, and the ways in which it changes."""

    owner: Pool
    sync: Pool
    account: Account

    @property
    def place(self) -> tuple[UUID, UUID]:
        return self.account.subjects.user_id, self.account.subjects.account_id

    async def authority(self) -> Authority:
        found = await accounts.authority(self.sync, *self.place)
        assert found is not None
        return found

    async def keep(self, password: str, host: str = "a") -> bool | None:
        return await accounts.keep(self.sync, VAULT, *self.place, tried(password, host))

    async def change(self, statement: str) -> None:
        await self.owner.execute(statement, self.place[1])

    async def appender(self, nc: Connection) -> Authorized:
        """Claimed under the account's lease, and wrapped, as a runner does."""
        appender = AccountAppender(nc, self.account.subjects)
        await appender.claim("one")
        return Authorized(appender, self.sync, self.account.subjects, await self.authority())


async def add_user(db: Pool) -> UUID:
    user: UUID = await db.fetchval(
        "INSERT INTO users (handle, password_hash) VALUES ($1, '') RETURNING id", f"u{uuid4().hex}@localhost"
    )
    return user


@pytest.fixture
async def world(postgres: Postgres, database: str) -> AsyncIterator[World]:
    async with (
        asyncpg.create_pool(database, min_size=1, max_size=2) as owner,
        asyncpg.create_pool(postgres.dsn_as("sync", database), min_size=1, max_size=4) as sync,
    ):
        user = await add_user(owner)
        account = await owner.fetchval(
            "INSERT INTO accounts (user_id, email, imap, status, settled) "
            """VALUES ($1, 'a@example.org', '{"host": "a"}', 'active', true) RETURNING id""",
            user,
        )
        subjects = AccountSubjects(ids.partition(user, PARTITIONS), user, account)
        here = World(owner, sync, Account(subjects, uuid4()))
        await here.keep("first")
        yield here


async def other_password(world: World) -> None:
    await world.keep("second")


async def other_server(world: World) -> None:
    await world.change("""UPDATE accounts SET imap = '{"host": "b"}' WHERE id = $1""")


async def removed(world: World) -> None:
    await world.change("UPDATE accounts SET status = 'removed' WHERE id = $1")


async def other_owner(world: World) -> None:
    other = await add_user(world.owner)
    await world.owner.execute("UPDATE accounts SET user_id = $2 WHERE id = $1", world.place[1], other)


async def paused(world: World) -> None:
    await world.change("UPDATE accounts SET paused = true WHERE id = $1")


async def secret_taken(world: World) -> None:
    await world.change("DELETE FROM account_secrets WHERE account_id = $1")


async def secret_taken_and_given_again(world: World) -> None:
    await secret_taken(world)
    await world.keep("first")


CHANGES = (other_password, other_server, removed, paused, other_owner, secret_taken, secret_taken_and_given_again)


@pytest.mark.parametrize("change", CHANGES)
async def test_whatever_changes_the_authority_in_the_middle_of_a_chunk_refuses_the_whole_chunk(
    world: World, nc: Connection, asked: Jobs, jobs: Jobs, change: Callable[[World], Awaitable[None]]
) -> None:
    authorized = await world.appender(nc)
    held = await authorized.claim(jobs, await asked.enqueue(*world.place, "backfill", by="user"), "one")
    assert held is not None
    async with held.hold():
        await authorized.append(world.account.arrivals(1, 5), world.account.mark(5))
        chunk = world.account.arrivals(6, 5)  # prepared before, written after
        await change(world)
        with pytest.raises(Revoked):
            await authorized.append(chunk, world.account.mark(10))
        with pytest.raises(Revoked):
            await authorized.append(chunk[:1])
    assert uids(await everything(nc, world.account)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("change", CHANGES)
async def test_whatever_changed_the_authority_before_a_claim_refuses_the_claim(
    world: World, nc: Connection, asked: Jobs, jobs: Jobs, change: Callable[[World], Awaitable[None]]
) -> None:
    authorized = await world.appender(nc)
    job = await asked.enqueue(*world.place, "backfill", by="user")
    await change(world)
    with pytest.raises(Revoked):
        await authorized.claim(jobs, job, "one")
    assert await jobs.find(job.user_id, job.id) == job


async def test_what_is_no_matter_of_authority_does_not_end_the_work(world: World, nc: Connection) -> None:
    authorized = await world.appender(nc)
    await world.change("UPDATE accounts SET display_name = 'A', color = '#ffffff', settled = true WHERE id = $1")
    await world.change("""UPDATE accounts SET special_uses = '{"sent": null}', changed_at = now() WHERE id = $1""")
    await authorized.append(world.account.arrivals(1, 1))
    assert uids(await everything(nc, world.account)) == [1]


async def test_a_job_of_another_account_is_not_claimed(world: World, nc: Connection, asked: Jobs, jobs: Jobs) -> None:
    authorized = await world.appender(nc)
    user, account = world.place
    for foreign in ((user, uuid4()), (uuid4(), account)):
        job = await asked.enqueue(*foreign, "backfill", by="user")
        with pytest.raises(Revoked):
            await authorized.claim(jobs, job, "one")


async def test_each_kind_of_change_raises_its_own_number(world: World) -> None:
    before = await world.authority()
    await other_server(world)
    settings = await world.authority()
    assert settings.authorization_epoch > before.authorization_epoch
    assert settings.credential_version == before.credential_version
    await other_password(world)
    secret = await world.authority()
    assert secret.credential_version == before.credential_version + 1
    assert secret.authorization_epoch > settings.authorization_epoch


async def test_a_cancelled_job_writes_nothing_more_while_mail_that_arrives_is_written(
    world: World, nc: Connection, asked: Jobs
) -> None:
    authorized = await world.appender(nc)
    held = await claimed(authorized, world, asked, Jobs(nc, Limits()))

    async def work() -> None:
        async with held.hold():
            await authorized.append(world.account.arrivals(1, 5), world.account.mark(5))
            await asked.cancel(world.place[0], held.job.id)
            await authorized.append(world.account.arrivals(6, 5), world.account.mark(10))

    with pytest.raises(JobLost):
        await work()
    await authorized.append(world.account.arrivals(100, 1))
    assert uids(await everything(nc, world.account)) == [1, 2, 3, 4, 5, 100]


async def test_a_job_whose_lease_is_over_and_another_has_writes_nothing_more(
    world: World, nc: Connection, asked: Jobs, jobs: Jobs
) -> None:
    authorized = await world.appender(nc)
    silent = await claimed(authorized, world, asked, jobs)
    async with asyncio.timeout(10):
        while (other := await authorized.claim(jobs, silent.job, "two")) is None:
            await asyncio.sleep(0.05)
    for held, first in ((silent, 1), (other, 6)):
        with_it = write(held, authorized, world, first)
        if held is silent:
            with pytest.raises(JobLost):
                await with_it
        else:
            await with_it
    assert uids(await everything(nc, world.account)) == [6, 7, 8, 9, 10]


async def test_kept_credentials_of_an_account_at_work_take_its_epoch(world: World, nc: Connection) -> None:
    """So that the log itself refuses whoever asked no Postgres in time."""
    appender = AccountAppender(nc, world.account.subjects)
    await appender.claim("one")
    assert await world.keep("second")  # somebody may be at work with the first
    connector = Connector(nc, world.sync, VAULT, bytes(32), Trier(outside(()), HostBudget(1)), partitions=PARTITIONS)
    await connector._fence(*world.place)
    with pytest.raises(Lost):
        await appender.append(world.account.arrivals(1, 1))


async def test_credentials_of_an_account_that_is_being_connected_fence_nobody(world: World) -> None:
    await world.change("UPDATE accounts SET status = 'pending' WHERE id = $1")
    assert not await world.keep("second")


async def test_nobody_keeps_a_secret_for_anothers_account(world: World) -> None:
    before = await world.authority()
    stranger = await add_user(world.owner)
    assert await accounts.keep(world.sync, VAULT, stranger, world.place[1], tried("theirs", "b")) is None
    assert await world.authority() == before


@pytest.mark.parametrize("change", [other_password, other_server, paused])
async def test_whoever_changes_an_account_leaves_a_note_for_the_log(
    world: World, change: Callable[[World], Awaitable[None]]
) -> None:
    fields = {other_password: "credentials", other_server: "imap", paused: "paused"}
    statement = "SELECT untold, settled, revision FROM accounts WHERE id = $1"
    _, _, before = await world.owner.fetchrow(statement, world.place[1])
    await world.change("UPDATE accounts SET untold = '{}', settled = true WHERE id = $1")
    await change(world)
    assert tuple(await world.owner.fetchrow(statement, world.place[1])) == ([fields[change]], False, before + 1)


async def test_the_same_secret_under_another_master_key_stops_no_work(world: World) -> None:
    before = await world.authority()
    await world.change("UPDATE account_secrets SET sealed = sealed || 'x' WHERE account_id = $1")
    assert await world.authority() == before


# -- the same chunk twice


@pytest.fixture
async def proxy(server: Server, admin: Connection) -> AsyncIterator[Proxy]:
    proxy = Proxy(server.nats.port)
    yield proxy
    await proxy.stop()


@pytest.fixture
async def far(proxy: Proxy, server: Server, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Connection]:
    """A connection through the proxy, with little patience."""
    monkeypatch.setattr(api, "TIMEOUT", 0.4)
    port = int((await proxy.start()).rpartition(":")[2])
    connection = await connect(server.url(Role.SYNC, port), Role.SYNC)
    yield connection
    proxy.cut_asked = proxy.cut_answered = never
    await connection.close()


async def test_a_chunk_whose_answer_was_lost_is_repeated_without_effect(
    world: World, nc: Connection, far: Connection, proxy: Proxy, asked: Jobs
) -> None:
    authorized = await world.appender(far)
    held = await claimed(authorized, world, asked, Jobs(nc, Limits()))
    proxy.cut_answered = lambda chunk: not proxy.cuts and b'"seq"' in chunk and b"FACTS" in chunk
    await write(held, authorized, world, 1)
    assert proxy.cuts == 1
    assert uids(await everything(nc, world.account)) == [1, 2, 3, 4, 5]
    await write(held, authorized, world, 6)
    assert uids(await everything(nc, world.account)) == list(range(1, 11))


async def test_an_identical_chunk_is_accepted_and_a_changed_one_refused(
    world: World, nc: Connection, far: Connection, proxy: Proxy, asked: Jobs
) -> None:
    """Two claim to write what comes next: the one whose words are in the log is told so, the other is lost for good."""
    authorized = await world.appender(far)
    held = await claimed(authorized, world, asked, Jobs(nc, Limits()))
    proxy.cut_answered = lambda chunk: b'"seq"' in chunk and b"FACTS" in chunk
    proxy.cut_asked = lambda chunk: b"STREAM.MSG.GET.FACTS" in chunk  # it can't find out yet
    doubtful = asyncio.create_task(write(held, authorized, world, 1))
    async with asyncio.timeout(10):
        while not uids(await everything(nc, world.account)):
            await asyncio.sleep(0.05)
    changed: list[tuple[str, Fact]] = world.account.arrivals(1, 4)
    rival = AccountAppender(nc, world.account.subjects)
    rival._last, rival._lost, rival.epoch = 1, "", 1  # as one that knows the log as it was before the chunk
    with pytest.raises(Lost):
        await rival.append(changed, world.account.mark(4))
    proxy.cut_asked = proxy.cut_answered = never
    await doubtful
    assert uids(await everything(nc, world.account)) == [1, 2, 3, 4, 5]


async def claimed(authorized: Authorized, world: World, asked: Jobs, jobs: Jobs) -> Held:
    job: Job = await asked.enqueue(*world.place, "backfill", by="user")
    held = await authorized.claim(jobs, job, "one")
    assert held is not None
    return held


async def write(held: Held, authorized: Authorized, world: World, first: int) -> None:
    """Five messages, in the name of a job."""
    async with held.hold():
        await authorized.append(world.account.arrivals(first, 5), world.account.mark(first + 4))
