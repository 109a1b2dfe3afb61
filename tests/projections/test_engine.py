"""The engine on a projection of a few lines: position and rows together, rebuilds beside, erasure, announcements."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts import codec
from contracts.events import AccountStateChangedEvent
from contracts.facts import AccountConnected, AccountErased, AccountState, AccountStateChanged, Fact
from projections.engine import control, verify
from projections.engine.announce import announce
from projections.engine.control import MOVED
from projections.engine.errors import NotEqual, Overtaken, VersionDiffers
from projections.engine.follow import Folder, follow
from projections.engine.log import Recorded
from projections.engine.passing import Passes
from projections.engine.projection import Projection
from projections.engine.rebuild import rebuild
from projections.engine.transaction import Transaction
from projections.sql import Pool
from tests.support.memory_log import MemoryDocuments, MemoryLog

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
ADA, BOB = UUID(int=8), UUID(int=16)

toy = Projection(
    "toy",
    version=1,
    schema="CREATE TABLE states (user_id uuid, account_id uuid, epochs bigint[], PRIMARY KEY (account_id, user_id))",
    indexes="CREATE INDEX states_of_user ON states (user_id)",
)


@toy.on(AccountStateChanged)
async def remember(run: Sequence[Recorded[AccountStateChanged]], tx: Transaction) -> None:
    for recorded in run:
        await tx.execute(
            """INSERT INTO states VALUES ($1, $2, ARRAY[$3::bigint]) ON CONFLICT (account_id, user_id)
               DO UPDATE SET epochs = states.epochs || $3::bigint WHERE NOT states.epochs @> ARRAY[$3::bigint]""",
            recorded.fact.account_id,
            recorded.fact.epoch,
        )
        tx.announce(
            AccountStateChangedEvent(
                user_id=tx.user_id, account_id=recorded.fact.account_id, state=recorded.fact.state, code=""
            )
        )


def live(user: UUID, account: UUID, epoch: int) -> Fact:
    return AccountStateChanged(user_id=user, account_id=account, at=NOW, epoch=epoch, state=AccountState.LIVE)


def erased(user: UUID, account: UUID) -> Fact:
    return AccountErased(user_id=user, account_id=account, at=NOW)


@pytest.fixture
async def db(database: str) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=6) as pool:
        async with pool.acquire() as connection:
            await control.install(connection, [toy], partitions=2)
        yield pool


def folder(log: MemoryLog, db: Pool) -> Folder:
    return Folder(toy, log, db, MemoryDocuments({}))


async def drain(log: MemoryLog, db: Pool, limit: int = 500) -> None:
    one = folder(log, db)
    after = await one.position()
    while (moved := await one.advance(after, limit)) != after:
        after = moved


async def epochs(db: Pool, account: UUID) -> list[int] | None:
    return await db.fetchval("SELECT epochs FROM toy.states WHERE account_id = $1", account)


async def test_a_batch_and_its_position_are_one_transaction(db: Pool) -> None:
    account = uuid4()
    log = MemoryLog([live(ADA, account, n) for n in range(10)])
    assert await folder(log, db).advance(0, 4) == 4
    assert await folder(log, db).position() == 4
    assert await epochs(db, account) == [0, 1, 2, 3]


async def test_who_was_overtaken_changes_nothing(db: Pool) -> None:
    account = uuid4()
    log = MemoryLog([live(ADA, account, n) for n in range(4)])
    await drain(log, db)
    with pytest.raises(Overtaken):
        await folder(log, db).advance(0)
    assert await epochs(db, account) == [0, 1, 2, 3]
    assert await db.fetchval("SELECT count(*) FROM control.outbox") == 4


async def test_what_does_not_concern_a_projection_moves_its_position_only(db: Pool) -> None:
    strange = AccountConnected(user_id=ADA, account_id=uuid4(), at=NOW)
    one = folder(MemoryLog([strange, strange]), db)
    assert await one.advance(0) == 2
    assert await one.position() == 2
    with pytest.raises(Overtaken):
        await one.advance(0)
    assert await one.position() == 2


async def test_who_listens_is_told_where_the_live_rows_stand_once_they_do(db: Pool) -> None:
    told: asyncio.Queue[object] = asyncio.Queue()
    account = uuid4()
    log = MemoryLog([live(ADA, account, 1), AccountConnected(user_id=ADA, account_id=account, at=NOW)])
    async with db.acquire() as listening:
        await listening.add_listener(MOVED, lambda *notice: told.put_nowait(notice[-1]))
        with pytest.raises(Overtaken):
            await folder(log, db).advance(1)
        await drain(log, db, limit=1)
        await rebuild(toy, [log, MemoryLog(partition=1)], db, MemoryDocuments({}))
        await db.execute(f"SELECT pg_notify('{MOVED}', 'the end')")
        assert [await told.get() for _ in range(3)] == ["toy 0 1", "toy 0 2", "the end"]
        await listening.reset()


async def test_those_who_pass_at_one_moment_move_in_one_statement_and_wait_for_nobody_else(db: Pool) -> None:
    others = [Projection(name, version=1, schema="CREATE TABLE t (user_id uuid)") for name in ("east", "west")]
    log = MemoryLog([AccountConnected(user_id=ADA, account_id=uuid4(), at=NOW)])
    passes = Passes(db, 0)
    async with db.acquire() as connection:
        await control.install(connection, others, partitions=2)
    folders = [Folder(one, log, db, MemoryDocuments({}), passes=passes) for one in (toy, *others)]
    async with db.acquire() as switching, switching.transaction():
        await switching.execute("SELECT FROM control.positions WHERE schema = 'east' FOR UPDATE")
        toys, easts, wests = [asyncio.create_task(one.advance(0)) for one in folders]
        assert await toys == await wests == 1
        assert not easts.done()
        assert await db.fetchval("SELECT count(DISTINCT xmin::text) FROM control.positions WHERE sequence = 1") == 1
    assert await easts == 1
    assert [await one.position() for one in folders] == [1, 1, 1]
    for overtaken in folders:
        with pytest.raises(Overtaken):
            await overtaken.advance(0)


async def test_who_goes_on_after_another_knows_what_was_erased_meanwhile(db: Pool) -> None:
    gone = uuid4()
    log = MemoryLog([live(ADA, gone, 1), live(ADA, uuid4(), 1)])
    first = folder(log, db)
    assert await first.advance(0, 1) == 1
    assert await first.advance(1) == 2
    log.purge(gone)
    log.append(erased(ADA, gone))
    await drain(log, db)
    log.append(live(ADA, gone, 2))
    with pytest.raises(Overtaken):
        await first.advance(2)
    assert await first.advance(await first.position()) == 4
    assert await epochs(db, gone) is None


async def test_each_user_gets_only_their_own_facts(db: Pool) -> None:
    mine, yours = uuid4(), uuid4()
    facts = [live(user, account, n) for n in range(9) for user, account in ((ADA, mine), (BOB, yours))]
    await drain(MemoryLog(facts), db, limit=5)
    assert await epochs(db, mine) == await epochs(db, yours) == list(range(9))


async def test_an_erased_account_leaves_no_row_and_the_rest_of_its_user_stays(db: Pool) -> None:
    gone, kept = uuid4(), uuid4()
    log = MemoryLog([live(ADA, gone, 1), live(ADA, kept, 1), live(ADA, kept, 2)])
    await drain(log, db)
    log.purge(gone)
    log.append(erased(ADA, gone))
    log.append(live(ADA, gone, 9))  # a straggler is ignored for ever
    log.append(live(ADA, kept, 3))
    await db.execute("DELETE FROM control.outbox")
    await drain(log, db, limit=1)
    log.append(live(ADA, gone, 10))
    await drain(log, db)
    assert await epochs(db, gone) is None
    assert await epochs(db, kept) == [1, 2, 3]
    assert await db.fetchval("SELECT count(*) FROM control.outbox") == 1, "the refold is silent"


async def test_a_rebuild_equals_the_live_rows_and_is_silent(db: Pool) -> None:
    gone, kept = uuid4(), uuid4()
    log = MemoryLog([live(ADA, gone, 1), live(BOB, kept, 1), live(ADA, gone, 2)])
    await drain(log, db)
    log.purge(gone)
    log.append(erased(ADA, gone))
    await drain(log, db)
    before = await digest(db, "toy")
    await db.execute("DELETE FROM control.outbox")
    await rebuild(toy, [log, MemoryLog(partition=1)], db, MemoryDocuments({}), compare=True)
    assert await digest(db, "toy") == before
    assert await db.fetchval("SELECT count(*) FROM control.outbox") == 0
    assert await schemas(db) == ["toy"]


async def test_a_rebuild_switches_on_a_running_system(db: Pool) -> None:
    account = uuid4()
    log = MemoryLog([live(ADA, account, n) for n in range(300)])
    following = asyncio.create_task(follow(folder(log, db), log))
    reader = asyncio.create_task(read_on(db, account))
    rebuilding = asyncio.create_task(rebuild(toy, [log, MemoryLog(partition=1)], db, MemoryDocuments({}), compare=True))
    epoch = 300
    while not rebuilding.done():
        log.append(live(ADA, account, epoch))
        epoch += 1
        await asyncio.sleep(0.005)
    await rebuilding
    while await folder(log, db).position() < epoch:
        await asyncio.sleep(0.005)
    following.cancel()
    reader.cancel()
    seen = await asyncio.gather(following, reader, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in seen), seen
    assert await epochs(db, account) == list(range(epoch))


async def test_a_projection_with_patience_folds_together_what_comes_one_after_the_other(
    db: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy, "patience", 0.3)
    account = uuid4()
    log, one = MemoryLog([live(ADA, account, 0)]), folder(MemoryLog(), db)
    told: list[int] = []
    tell = one.tell

    async def telling(facts: Sequence[Recorded[Fact]], after: int, to: int) -> bool:
        told.append(len(facts))
        return await tell(facts, after, to)

    monkeypatch.setattr(one, "tell", telling)
    following = asyncio.create_task(follow(one, log))
    for epoch in range(1, 5):
        await asyncio.sleep(0.02)
        log.append(live(ADA, account, epoch))
    while not told:
        await asyncio.sleep(0.01)
    log.append(live(ADA, account, 5))
    while len(await epochs(db, account) or []) < 6:
        await asyncio.sleep(0.01)
    following.cancel()
    assert told == [5, 1]


async def read_on(db: Pool, account: UUID) -> None:
    """Reads while it lasts; what is read never shrinks and is never missing, once there."""
    most = 0
    while True:
        found = await epochs(db, account)
        assert len(found or []) >= most
        most = len(found or [])
        await asyncio.sleep(0)


async def test_a_rebuild_follows_past_facts_that_were_erased_at_the_head(db: Pool) -> None:
    gone = uuid4()
    log = MemoryLog([live(ADA, gone, 1), live(ADA, gone, 2)])
    await drain(log, db)
    log.purge(gone)
    await db.execute("DELETE FROM toy.states")
    await rebuild(toy, [log, MemoryLog(partition=1)], db, MemoryDocuments({}), compare=True)
    assert await folder(log, db).position() == 2


async def test_a_rebuild_that_differs_is_not_switched_to(db: Pool) -> None:
    account = uuid4()
    log = MemoryLog([live(ADA, account, 1)])
    await drain(log, db)
    await db.execute("UPDATE toy.states SET epochs = '{7}'")
    with pytest.raises(NotEqual, match="states"):
        await rebuild(toy, [log, MemoryLog(partition=1)], db, MemoryDocuments({}), compare=True)
    assert await epochs(db, account) == [7]


async def test_rows_of_another_version_are_not_folded_on(db: Pool) -> None:
    newer = Projection("toy", version=2, schema=toy.schema)
    async with db.acquire() as connection:
        await control.current(connection, toy)
        with pytest.raises(VersionDiffers):
            await control.current(connection, newer)


async def test_events_are_published_in_order_and_again_until_acknowledged(db: Pool) -> None:
    account = uuid4()
    await drain(MemoryLog([live(ADA, account, n) for n in range(5)]), db, limit=2)
    sent: list[tuple[str, int, str]] = []

    async def fail_at_the_third(events: Sequence[tuple[str, bytes, str]]) -> None:
        await record(events[:2])
        raise ConnectionError

    async def record(events: Sequence[tuple[str, bytes, str]]) -> None:
        sent.extend((subject, codec.decode_event(payload).position, key) for subject, payload, key in events)

    with pytest.raises(ConnectionError):
        await announce(db, 0, fail_at_the_third)
    first = sent.copy()
    sent.clear()
    assert await announce(db, 0, record) == 5
    assert sent[:2] == first, "the same message ids, so that the stream drops the repeated ones"
    assert [position for _, position, _ in sent] == [2, 2, 4, 4, 5]
    assert {subject for subject, _, _ in sent} == {f"event.{ADA}.account.state_changed"}
    assert len({message_id for _, _, message_id in sent}) == 5
    assert await announce(db, 0, record) == 0


async def test_the_gateway_sees_only_the_rows_of_the_user_it_names(db: Pool) -> None:
    await drain(MemoryLog([live(ADA, uuid4(), 1), live(BOB, uuid4(), 1), live(BOB, uuid4(), 1)]), db)
    async with db.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL ROLE webmail_gateway")
        assert await connection.fetchval("SELECT count(*) FROM toy.states") == 0
        await connection.execute(f"SET LOCAL app.user_id = '{BOB}'")
        assert await connection.fetchval("SELECT count(*) FROM toy.states") == 2
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("DELETE FROM toy.states")


async def test_any_cut_between_batches_gives_the_same_rows(db: Pool) -> None:
    accounts = [uuid4() for _ in range(3)]
    facts = [live((ADA, BOB)[n % 2], accounts[n % 3], n) for n in range(24)]
    log = MemoryLog(facts)
    await drain(log, db)
    whole = await digest(db, "toy")
    for cuts in ([0, 1, 2, 24], [0, 11, 24], [0, 7, 8, 20, 24]):
        await db.execute("TRUNCATE toy.states, control.outbox; UPDATE control.positions SET sequence = 0")
        for low, high in pairwise(cuts):
            assert await folder(log, db).advance(low, high - low) == high
        assert await digest(db, "toy") == whole


async def digest(db: Pool, schema: str) -> verify.Digests:
    async with db.acquire() as connection:
        return await verify.digest(connection, schema)


async def schemas(db: Pool) -> list[str]:
    rows = await db.fetch("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'toy%'")
    return [row["nspname"] for row in rows]
