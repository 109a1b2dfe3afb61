"""Erasing an account, on a real log and a real Postgres: nothing of it stays, nothing else goes."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts import codec, ids, streams, subjects
from contracts.events import MessageNew, ThreadUpdated
from contracts.facts import AccountErased, AccountRemoved, FlagsRequested, MessageArrived
from contracts.subjects import AccountSubjects
from projections.documents import document, memo
from projections.sql import Pool
from services.admin import erase, erasure
from services.admin.erasure import Eraser
from services.blobs import BlobMissing, FolderBlobs
from services.embedded.nats import NatsServer
from services.jobs.job import Limits
from services.jobs.jobs import Jobs
from services.log import api
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.log.errors import Lost
from services.log.reader import PartitionLog
from services.state import uploads
from tests.services.log.conftest import sweep
from tests.services.log.given import AT, PARTITIONS, Account

OWN, SHARED = b"Subject: only here\r\n\r\nmarker", b"Subject: in both accounts\r\n\r\nmarker"


class World(NamedTuple):
    """A user with an account to erase and one to keep, a mail in each and one in both."""

    nc: Connection
    db: Pool
    blobs: FolderBlobs
    gone: Account
    kept: Account
    appender: AccountAppender
    other: AccountAppender

    @property
    def user(self) -> UUID:
        return self.gone.subjects.user_id

    def eraser(self) -> Eraser:
        return Eraser(self.nc, self.db, self.blobs, PARTITIONS)


def sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


@pytest.fixture
async def world(database: str, nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[World]:
    nc = await connect(nats_server.url, streams.Role.ADMIN)
    await sweep(nc)
    await apply(nc, PARTITIONS, 1)
    async with asyncpg.create_pool(database, min_size=1, max_size=4) as db:
        user = await db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('ada', '-') RETURNING id")
        gone, kept = await account(db, user), await account(db, user)
        blobs = FolderBlobs(tmp_path)
        appender = await arrive(nc, db, blobs, gone, [OWN, SHARED])
        other = await arrive(nc, db, blobs, kept, [SHARED])
        yield World(nc, db, blobs, gone, kept, appender, other)
    await sweep(nc)
    await nc.close()


async def account(db: Pool, user: UUID) -> Account:
    statement = "INSERT INTO accounts (user_id, email, imap, status) VALUES ($1, $2, '{}', 'active') RETURNING id"
    account_id = await db.fetchval(statement, user, f"{uuid4()}@example.test")
    await db.execute("INSERT INTO account_secrets (account_id, user_id, sealed) VALUES ($1, $2, 'x')", account_id, user)
    return Account(AccountSubjects(ids.partition(user, PARTITIONS), user, account_id), uuid4())


async def arrive(nc: Connection, db: Pool, blobs: FolderBlobs, account: Account, mails: list[bytes]) -> AccountAppender:
    """As sync does it: blob, document, fact; and what the projector announced of it."""
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("worker")
    await blobs.put(account.subjects.user_id, mails)
    await memo.put(db, account.subjects.user_id, {sha(raw): memo.encode(document.read(raw)) for raw in mails})
    facts = [
        (account.subjects.mailbox(account.mailbox_id), arrived(account, uid, raw)) for uid, raw in enumerate(mails, 1)
    ]
    await appender.append(facts, account.mark(len(mails)))
    new = MessageNew(
        user_id=account.subjects.user_id,
        account_id=account.subjects.account_id,
        mailbox_id=account.mailbox_id,
        message_id=uuid4(),
        thread_id=uuid4(),
    )
    await api.publish(nc, subjects.event(account.subjects.user_id, "message.new"), codec.encode(new), {})
    return appender


def arrived(account: Account, uid: int, raw: bytes) -> MessageArrived:
    return MessageArrived(
        user_id=account.subjects.user_id,
        account_id=account.subjects.account_id,
        at=AT,
        mailbox_id=account.mailbox_id,
        generation=1,
        uid=uid,
        message_id=ids.message_id(account.subjects.account_id, sha(raw)),
        blob=sha(raw),
        size=len(raw),
        internal_date=AT,
        evidence="0" * 32,
    )


async def remove(world: World) -> None:
    """As the gateway does it."""
    removed = AccountRemoved(user_id=world.user, account_id=world.gone.subjects.account_id, at=AT)
    await append(world.nc, world.gone.subjects.account, removed)
    statement = "UPDATE accounts SET status = 'removed', settled = true WHERE id = $1"
    await world.db.execute(statement, world.gone.subjects.account_id)


async def facts_of(world: World, account: Account) -> list[object]:
    log = PartitionLog(world.nc, account.partition)
    found = [
        recorded async for batch in log.history(account.subjects.everything, await log.head()) for recorded in batch
    ]
    return [recorded.fact for recorded in found]


async def test_nothing_of_a_removed_account_stays_but_its_tombstone(world: World) -> None:
    await remove(world)
    assert await world.eraser().erase_removed() == 1
    (tombstone,) = await facts_of(world, world.gone)
    assert isinstance(tombstone, AccountErased)
    assert len(await facts_of(world, world.kept)) == 4  # lease, message, mark, the eraser's lease
    for table in ("accounts", "account_secrets"):
        assert await world.db.fetchval(f"SELECT count(*) FROM {table}") == 1
    assert await world.db.fetchval("SELECT count(*) FROM erasures") == 0
    assert await world.eraser().erase_removed() == 0


async def test_a_blob_stays_while_another_account_of_the_user_names_it(world: World) -> None:
    await remove(world)
    await world.eraser().erase_removed()
    assert await world.blobs.get(world.user, sha(SHARED)) == SHARED
    with pytest.raises(BlobMissing):
        await world.blobs.get(world.user, sha(OWN))
    assert set(await memo.get(world.db, world.user, [sha(OWN), sha(SHARED)], texts=False)) == {sha(SHARED)}


async def test_a_blob_that_another_account_is_just_about_to_name_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker found the blob there, and appends after the eraser has looked who names it."""
    set_aside = world.blobs.set_aside
    fact = (world.kept.subjects.mailbox(world.kept.mailbox_id), arrived(world.kept, 2, OWN))

    async def meanwhile(user_id: UUID, shas: list[str]) -> None:
        await set_aside(user_id, shas)
        await world.other.append([fact], world.kept.mark(2))

    monkeypatch.setattr(world.blobs, "set_aside", meanwhile)
    await remove(world)
    await world.eraser().erase_removed()
    assert await world.blobs.get(world.user, sha(OWN)) == OWN
    assert await memo.get(world.db, world.user, [sha(OWN)], texts=False)


async def test_what_was_written_in_the_account_goes_with_it_and_what_others_name_stays(world: World) -> None:
    """Files of drafts and contents of sends are blobs too."""
    drafted, sent, both, loose = b"a file", b"a content", b"a file in both", b"of a deleted draft"
    await world.blobs.put(world.user, [drafted, sent, both, loose])
    for account, files in ((world.gone, [drafted, both, OWN]), (world.kept, [both])):
        draft = await world.db.fetchval(
            "INSERT INTO drafts (user_id, account_id, message_id_header, kind) VALUES ($1, $2, $3, 'new') RETURNING id",
            world.user,
            account.subjects.account_id,
            str(account.mailbox_id),
        )
        for file in files:
            statement = (
                "INSERT INTO uploads (user_id, draft_id, filename, size, received, blob) VALUES ($1, $2, '', 1, 1, $3)"
            )
            await world.db.execute(statement, world.user, draft, sha(file))
    await world.db.execute(
        "INSERT INTO sends (user_id, outbox_id, revision, draft_id, account_id, raw, size, message_id_header, envelope_from,"
        " envelope_to, kind, subject, due) VALUES ($1, $2, 1, $2, $3, $4, 1, '', '', '[]', 'new', '', now())",
        world.user,
        uuid4(),
        world.gone.subjects.account_id,
        sha(sent),
    )
    await world.db.execute("INSERT INTO loose_blobs (user_id, blob) VALUES ($1, $2)", world.user, sha(loose))
    await remove(world)
    await world.eraser().erase_removed()
    for gone in (drafted, sent, loose, OWN):
        with pytest.raises(BlobMissing):
            await world.blobs.get(world.user, sha(gone))
    assert await world.blobs.get(world.user, sha(both)) == both
    assert await world.blobs.get(world.user, sha(SHARED)) == SHARED
    for table, left in (("drafts", 1), ("uploads", 1), ("sends", 0), ("loose_blobs", 0)):
        assert await world.db.fetchval(f"SELECT count(*) FROM {table}") == left


async def drafted(world: World, account: Account, file: bytes) -> UUID:
    """A draft with a file, which is in the store; gives the file's id."""
    await world.blobs.put(world.user, [file])
    statement = (
        "WITH d AS (INSERT INTO drafts (user_id, account_id, message_id_header, kind) VALUES ($1, $2, $3, 'new') RETURNING id)"
        " INSERT INTO uploads (user_id, draft_id, filename, size, received, blob) SELECT $1, id, '', 1, 1, $4 FROM d RETURNING id"
    )
    upload: UUID = await world.db.fetchval(
        statement, world.user, account.subjects.account_id, f"<{uuid4()}@x>", sha(file)
    )
    return upload


async def test_a_file_that_was_taken_from_a_draft_goes_after_a_day(world: World) -> None:
    alone, twice = b"a file", b"a file of two drafts"
    taken = [await drafted(world, world.kept, file) for file in (alone, twice, SHARED)]
    await drafted(world, world.kept, twice)
    await world.db.execute("DELETE FROM uploads WHERE id = ANY($1)", taken)
    await world.eraser().erase_removed()
    assert await world.blobs.get(world.user, sha(alone)) == alone
    await world.db.execute("UPDATE loose_blobs SET since = now() - interval '25 hours'")
    await world.eraser().erase_removed()
    with pytest.raises(BlobMissing):
        await world.blobs.get(world.user, sha(alone))
    assert await world.blobs.get(world.user, sha(twice)) == twice
    assert await world.blobs.get(world.user, sha(SHARED)) == SHARED
    assert await world.db.fetchval("SELECT count(*) FROM loose_blobs") == 0


async def test_a_file_that_is_just_being_put_waits_for_the_eraser_and_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes were in a draft before, and are about to go."""
    again: list[asyncio.Task[None]] = []

    async def attach() -> None:
        async with world.db.acquire() as db, db.transaction():
            await uploads.hold(db, world.user)
            await world.blobs.put(world.user, [b"a file"])
            statement = "INSERT INTO uploads (user_id, draft_id, filename, size, received, blob) SELECT $1, id, '', 1, 1, $2 FROM drafts"
            await db.execute(statement, world.user, sha(b"a file"))

    set_aside = world.blobs.set_aside

    async def meanwhile(user_id: UUID, shas: list[str]) -> None:
        again.append(asyncio.create_task(attach()))
        async with asyncio.timeout(5):
            while not await world.db.fetchval(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            ):
                await asyncio.sleep(0.01)
        await set_aside(user_id, shas)

    await world.db.execute("DELETE FROM uploads WHERE id = $1", await drafted(world, world.kept, b"a file"))
    await world.db.execute("UPDATE loose_blobs SET since = now() - interval '25 hours'")
    monkeypatch.setattr(world.blobs, "set_aside", meanwhile)
    await world.eraser().erase_removed()
    await again[0]
    assert await world.blobs.get(world.user, sha(b"a file")) == b"a file"


async def test_what_the_accounts_worker_had_put_and_told_of_no_more_goes_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was fenced between the two; nobody can say any more whose it was."""
    await world.blobs.put(world.user, [b"never told of"])
    await remove(world)
    with monkeypatch.context() as dying:
        dying.setattr(FolderBlobs, "bring_back", _die)
        with pytest.raises(Killed):
            await world.eraser().erase_removed()
    await world.eraser().erase_removed()
    assert list((world.blobs._root / ".aside" / str(world.user)).iterdir()) == []
    with pytest.raises(BlobMissing):
        await world.blobs.get(world.user, sha(b"never told of"))
    assert await world.blobs.get(world.user, sha(SHARED)) == SHARED


async def test_a_batch_whose_blobs_were_there_before_the_erasure_is_refused_after_it(world: World) -> None:
    await remove(world)
    await world.eraser().erase_removed()
    fact = (world.kept.subjects.mailbox(world.kept.mailbox_id), arrived(world.kept, 2, OWN))
    with pytest.raises(Lost):
        await world.other.append([fact], world.kept.mark(2))


async def test_jobs_of_the_account_are_forgotten_and_no_others(world: World) -> None:
    jobs = Jobs(world.nc, Limits())
    for account in (world.gone, world.kept):
        for _ in range(2):
            job = await jobs.enqueue(world.user, account.subjects.account_id, "resync", by="user")
            await jobs.cancel(world.user, job.id)
    await remove(world)
    await world.eraser().erase_removed()
    assert {job.account_id for job in await jobs.of_user(world.user)} == {world.kept.subjects.account_id}
    assert len(await jobs.of_user(world.user)) == 2


async def test_events_of_the_account_are_forgotten_and_no_others(world: World) -> None:
    thread = ThreadUpdated(user_id=world.user, thread_id=uuid4())
    await api.publish(world.nc, subjects.event(world.user, "thread.updated"), codec.encode(thread), {})
    await remove(world)
    await world.eraser().erase_removed()
    query = {"seq": 1, "batch": 100, "next_by_subj": subjects.event(world.user, subjects.REST)}
    left = [codec.decode_event(message.data) for message in (await api.listed(world.nc, "EVENTS", query)).messages]
    assert thread in left
    accounts = {event.account_id for event in left if isinstance(event, MessageNew)}
    assert accounts == {world.kept.subjects.account_id}


async def test_events_that_are_announced_late_are_forgotten_too(world: World) -> None:
    """The projector has committed one and not published it yet when the erasure begins."""
    late = MessageNew(
        user_id=world.user,
        account_id=world.gone.subjects.account_id,
        mailbox_id=world.gone.mailbox_id,
        message_id=uuid4(),
        thread_id=uuid4(),
    )
    subject = subjects.event(world.user, "message.new")
    statement = "INSERT INTO control.outbox VALUES ($1, 1, 'mail', 0, $2, $3)"
    await world.db.execute(statement, world.gone.partition, subject, codec.encode(late))
    await remove(world)
    erasing = asyncio.create_task(world.eraser().erase_removed())
    async with asyncio.timeout(10):
        while await world.db.fetchval("SELECT count(*) FROM erasures") == 0:
            await asyncio.sleep(0.01)
    await api.publish(world.nc, subject, codec.encode(late), {})
    await world.db.execute("DELETE FROM control.outbox")
    await erasing
    query = {"seq": 1, "batch": 100, "next_by_subj": subjects.event(world.user, subjects.REST)}
    left = [codec.decode_event(message.data) for message in (await api.listed(world.nc, "EVENTS", query)).messages]
    assert late not in left


async def test_read_models_that_stand_still_hold_no_erasure_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "PATIENCE", 0.1)
    await world.db.execute("INSERT INTO control.positions VALUES ('mail', $1, 0)", world.gone.partition)
    await remove(world)
    assert await world.eraser().erase_removed() == 1
    assert await world.db.fetchval("SELECT count(*) FROM accounts") == 1


async def test_what_was_asked_of_the_accounts_mail_is_forgotten_and_nothing_else(world: World) -> None:
    for account in (world.gone, world.kept):
        asked = FlagsRequested(
            user_id=world.user, account_id=account.subjects.account_id, at=AT, request_id=uuid4(), message_ids=[]
        )
        requests = codec.encode(asked).decode()
        statement = "INSERT INTO actions (user_id, key, asked, requests) VALUES ($1, $2, '', $3)"
        await world.db.execute(statement, world.user, account.subjects.account_id.bytes, f"[{requests}]")
    await world.db.execute("INSERT INTO image_grants VALUES ($1, $2, now())", world.user, uuid4())
    await remove(world)
    await world.eraser().erase_removed()
    left = await world.db.fetch("SELECT key FROM actions")
    assert [row["key"] for row in left] == [world.kept.subjects.account_id.bytes]
    assert await world.db.fetchval("SELECT count(*) FROM image_grants") == 0


async def test_whoever_left_goes_with_the_last_account(world: World) -> None:
    """The gateway has told of one removal and died before it told of the other."""
    await world.blobs.put(world.user, [b"never told of"])
    stranger = await world.db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('bob', '-') RETURNING id")
    await world.db.execute("UPDATE users SET removed_at = now() WHERE id = $1", world.user)
    await remove(world)
    assert await world.eraser().erase_removed() == 1
    assert await world.db.fetchval("SELECT count(*) FROM users") == 2
    left = await world.db.fetch("UPDATE accounts SET settled = true RETURNING id, status")
    assert left == [(world.kept.subjects.account_id, "removed")]
    assert await world.eraser().erase_removed() == 1
    assert await world.db.fetch("SELECT id FROM users") == [(stranger,)]
    with pytest.raises(BlobMissing):  # put, and named by nothing
        await world.blobs.get(world.user, sha(b"never told of"))
    query = {"seq": 1, "batch": 100, "next_by_subj": subjects.event(world.user, subjects.REST)}
    assert not (await api.listed(world.nc, "EVENTS", query)).messages
    assert [type(fact) for account in (world.gone, world.kept) for fact in await facts_of(world, account)] == [
        AccountErased,
        AccountErased,
    ]


async def test_the_worker_that_owned_the_account_is_refused_for_good(world: World) -> None:
    await remove(world)
    await world.eraser().erase_removed()
    with pytest.raises(Lost):
        await world.appender.append(world.gone.arrivals(9, 1), world.gone.mark(9))
    assert len(await facts_of(world, world.gone)) == 1


async def test_an_erasure_that_died_is_finished_by_the_next(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await remove(world)
    for step in ("_purge", "_forget_events", "_delete_blobs"):
        with monkeypatch.context() as dying:
            dying.setattr(Eraser, step, _die)
            with pytest.raises(Killed):
                await world.eraser().erase_removed()
    assert await world.eraser().erase_removed() == 1
    assert len(await facts_of(world, world.gone)) == 1
    with pytest.raises(BlobMissing):
        await world.blobs.get(world.user, sha(OWN))
    assert await world.blobs.get(world.user, sha(SHARED)) == SHARED


async def test_the_process_that_erases_waits_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    again = asyncio.Event()

    class Flaky:
        async def erase_removed(self) -> int:
            looked.append("")
            if len(looked) == 1:
                raise asyncpg.CannotConnectNowError
            again.set()
            return 0

    async def flaky(_: object) -> Flaky:
        return Flaky()

    monkeypatch.setattr(erase, "_eraser", flaky)
    monkeypatch.setattr(erase, "PAUSE", 0.01)
    following = asyncio.create_task(erase._follow(None))
    await asyncio.wait_for(again.wait(), 5)
    following.cancel()


class Killed(Exception):
    """The process ends in the middle of a step."""


async def _die(*_: object) -> None:
    raise Killed
