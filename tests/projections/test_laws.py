"""The laws, over every projection of the catalog: what is folded depends on the log alone."""

import random
from collections.abc import AsyncIterator, Iterable, Sequence
from uuid import UUID

import asyncpg
import pytest

from contracts.facts import AccountErased, Fact
from projections import catalog, sql
from projections.engine import control, verify
from projections.engine.follow import Folder
from projections.engine.projection import Projection
from projections.engine.rebuild import rebuild
from projections.sql import Pool
from tests.support.histories import History, history
from tests.support.memory_log import MemoryDocuments, MemoryLog

SEEDS = (1, 2, 3)


@pytest.fixture(params=catalog.ALL, ids=lambda projection: projection.name)
def projection(request: pytest.FixtureRequest) -> Projection:
    return request.param


@pytest.fixture(params=SEEDS, ids=lambda seed: f"seed{seed}")
def told(request: pytest.FixtureRequest) -> History:
    return history(request.param)


@pytest.fixture
async def db(database: str, projection: Projection) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=4, init=sql.types) as pool:
        async with pool.acquire() as connection:
            await control.install(connection, [projection], partitions=1)
        yield pool


class Told:
    """Folds logs into the live schema, each from nothing, and gives what the rows then are."""

    def __init__(self, projection: Projection, told: History, db: Pool) -> None:
        self.projection, self.db = projection, db
        self.documents = MemoryDocuments(told.documents)

    async def fold(self, log: MemoryLog, batches: Iterable[int]) -> verify.Digests:
        folder = Folder(self.projection, log, self.db, self.documents)
        after = await folder.position()
        for limit in batches:
            moved = await folder.advance(after, limit)
            if moved == after:
                break
            after = moved
        return await self.digest()

    async def afresh(self, log: MemoryLog, batches: Iterable[int]) -> verify.Digests:
        async with self.db.acquire() as connection:
            for table in await control.tables(connection, self.projection.name):
                await connection.execute(f"TRUNCATE {self.projection.name}.{table}")
            await connection.execute("UPDATE control.positions SET sequence = 0; TRUNCATE control.outbox")
        return await self.fold(log, batches)

    async def digest(self) -> verify.Digests:
        async with self.db.acquire() as connection:
            return await verify.digest(connection, self.projection.name)


@pytest.fixture
def rows(projection: Projection, told: History, db: Pool) -> Told:
    return Told(projection, told, db)


def of(size: int) -> Iterable[int]:
    return iter(lambda: size, None)


def cuts(seed: int) -> Iterable[int]:
    dice = random.Random(seed)
    return iter(lambda: dice.randint(1, 40), None)


async def test_the_history_leaves_rows_of_both_users(rows: Told, told: History) -> None:
    digests = await rows.fold(MemoryLog(told.facts), of(500))
    assert {user for _, user in digests} == {fact.user_id for fact in told.facts}
    assert len({fact.user_id for fact in told.facts}) == 2


async def test_telling_a_fact_twice_changes_nothing(rows: Told, told: History) -> None:
    log = MemoryLog(told.facts)
    once = await rows.fold(log, of(50))
    assert await rows.afresh(log.repeat(), of(10_000)) == once


async def test_the_size_of_batches_changes_nothing(rows: Told, told: History) -> None:
    log = MemoryLog(told.facts)
    whole = await rows.fold(log, of(10_000))
    for size in (1, 7, 100):
        assert await rows.afresh(log, of(size)) == whole, size


async def test_any_cut_between_batches_gives_the_same_rows(rows: Told, told: History) -> None:
    log = MemoryLog(told.facts)
    whole = await rows.fold(log, of(10_000))
    for seed in range(3):
        assert await rows.afresh(log, cuts(seed)) == whole, seed


async def test_two_users_interleaved_give_what_each_gives_alone(rows: Told, told: History) -> None:
    log = MemoryLog(told.facts)
    together = await rows.fold(log, of(100))
    alone: verify.Digests = {}
    for user in sorted({fact.user_id for fact in told.facts}):
        alone |= await rows.afresh(log.only(lambda fact, user=user: fact.user_id == user), of(100))
    assert alone == together


async def test_a_rebuild_equals_the_live_rows_and_is_silent(rows: Told, told: History) -> None:
    log = MemoryLog(told.facts)
    before = await rows.fold(log, cuts(9))
    await rows.db.execute("TRUNCATE control.outbox")
    await rebuild(rows.projection, [log], rows.db, rows.documents, compare=True)
    assert await rows.digest() == before
    assert await rows.db.fetchval("SELECT count(*) FROM control.outbox") == 0


async def test_an_erasure_in_the_middle_leaves_what_a_rebuild_gives(rows: Told, told: History) -> None:
    half = len(told.facts) // 2
    user, account = erasable(told.facts[:half])
    log = MemoryLog(told.facts[:half])
    await rows.fold(log, of(60))
    log.purge(account)
    log.append(AccountErased(user_id=user, account_id=account, at=told.facts[half].at))
    for fact in told.facts[half:]:
        log.append(fact)  # stragglers of the erased account among them
    live = await rows.fold(log, of(60))
    await rebuild(rows.projection, [log], rows.db, rows.documents, compare=True)
    never = await rows.afresh(log.only(lambda fact: fact.account_id != account), of(60))
    assert without_tombs(live) == without_tombs(never), "nothing of the account is left, nothing else is touched"


def erasable(facts: Sequence[Fact]) -> tuple[UUID, UUID]:
    """An account of a user who has another one."""
    accounts = {(fact.user_id, fact.account_id) for fact in facts}
    return next(pair for pair in sorted(accounts) if sum(pair[0] == user for user, _ in accounts) > 1)


def without_tombs(digests: verify.Digests) -> verify.Digests:
    return {key: digest for key, digest in digests.items() if key[0] != "erased"}
