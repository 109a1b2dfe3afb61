"""The contents of sends: each user's own, once for each revision, and gone with account and user."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts.provider import Refusal
from projections.sql import Connection, Pool
from services.state import sends
from services.state.drafts import Person
from services.state.sends import Content, Unsettled

DUE = datetime(2026, 1, 5, 10, tzinfo=UTC)


@dataclass
class Kept:
    db: Pool
    user: UUID
    account: UUID

    def content(self, **fields: object) -> Content:
        known = Content(
            outbox_id=uuid4(),
            revision=1,
            draft_id=uuid4(),
            account_id=self.account,
            raw="a" * 64,
            size=10,
            message_id_header="<1@x.example>",
            envelope_from="a@x.example",
            envelope_to=[Person(name="Łucja", email="b@x.example")],
            source_message_id=None,
            kind="new",
            subject="Plan",
            due=DUE,
        )
        return known._replace(**fields)  # type: ignore[arg-type] # by its fields

    async def put(self, **fields: object) -> Content:
        content = self.content(**fields)
        async with self.db.acquire() as db:
            await sends.put(db, self.user, content)
        return content


@pytest.fixture
async def kept(database: str) -> AsyncIterator[Kept]:
    async with asyncpg.create_pool(database, min_size=1, max_size=3) as db:
        user = await db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('u@localhost', '') RETURNING id")
        account = await db.fetchval(
            "INSERT INTO accounts (user_id, email, imap) VALUES ($1, 'a@x.example', '{}') RETURNING id", user
        )
        yield Kept(db, user, account)


async def as_role(db: Connection, role: str, user: UUID | None = None) -> None:
    """Until the transaction ends."""
    await db.execute(f"SET LOCAL ROLE webmail_{role}")
    await db.execute("SELECT set_config('app.user_id', $1, true)", str(user or uuid4()))


async def test_a_revision_is_kept_once_and_the_last_one_counts(kept: Kept) -> None:
    first = await kept.put()
    await kept.put(outbox_id=first.outbox_id, subject="Another")
    second = await kept.put(outbox_id=first.outbox_id, revision=2, subject="Later")
    assert await sends.content(kept.db, kept.user, first.outbox_id, 1) == first
    async with kept.db.acquire() as db:
        assert await sends.contents(db, kept.user, [first.outbox_id]) == {first.outbox_id: second}
        assert await sends.contents(db, uuid4(), [first.outbox_id]) == {}


async def test_what_a_gateway_left_half_done_is_found_and_what_lost_is_withdrawn(kept: Kept) -> None:
    done, half, lost = [await kept.put() for _ in range(3)]
    async with kept.db.acquire() as db, db.transaction():
        await as_role(db, "gateway", kept.user)
        await sends.settle(db, kept.user, done.outbox_id, 1)
        await sends.withdraw(db, kept.user, done.outbox_id, 1)
        await sends.withdraw(db, kept.user, lost.outbox_id, 1)
    assert await sends.unsettled(kept.db, timedelta(0)) == [Unsettled(kept.user, half.outbox_id, 1)]
    assert await sends.unsettled(kept.db, timedelta(hours=1)) == []
    assert await sends.content(kept.db, kept.user, done.outbox_id, 1) == done


async def test_what_a_server_said_replaces_what_it_said_before(kept: Kept) -> None:
    one = (await kept.put()).outbox_id
    await sends.refuse(
        kept.db, kept.user, kept.account, one, {"b@x": Refusal(code=550, text="no"), "c@x": Refusal(code=551, text="n")}
    )
    await sends.refuse(kept.db, kept.user, kept.account, one, {"b@x": Refusal(code=450, text="later")})
    await sends.say(kept.db, kept.user, kept.account, one, "451 later", attempted=7)
    assert await sends.put_off(kept.db, kept.user, one) == 7
    await sends.say(kept.db, kept.user, kept.account, one, "554 no")
    assert await sends.put_off(kept.db, kept.user, one) == 0
    async with kept.db.acquire() as db:
        assert await sends.refused(db, kept.user, [one]) == {one: {"b@x": Refusal(code=450, text="later")}}
        assert await sends.words(db, kept.user, [one]) == {one: "554 no"}
        assert await sends.words(db, uuid4(), [one]) == {}


async def test_the_gateway_sees_what_is_its_users_and_outbound_changes_no_content(kept: Kept) -> None:
    await kept.put()
    for user, seen in ((kept.user, 1), (uuid4(), 0)):
        async with kept.db.acquire() as db, db.transaction():
            await as_role(db, "gateway", user)
            assert await db.fetchval("SELECT count(*) FROM sends") == seen
    async with kept.db.acquire() as db, db.transaction():
        await as_role(db, "outbound")
        assert await db.fetchval("SELECT count(*) FROM sends") == 1
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await db.execute("UPDATE sends SET subject = ''")


async def test_all_of_it_goes_with_the_account_and_the_blob_is_left_to_the_eraser(kept: Kept) -> None:
    one = (await kept.put()).outbox_id
    await sends.refuse(kept.db, kept.user, kept.account, one, {"b@x": Refusal(code=550, text="no")})
    await sends.say(kept.db, kept.user, kept.account, one, "554 no")
    named = "SELECT count(*) FROM named_blobs WHERE user_id = $1 AND blob = $2"
    assert await kept.db.fetchval(named, kept.user, "a" * 64) == 1
    await kept.db.execute("DELETE FROM accounts WHERE id = $1", kept.account)
    for table in ("sends", "send_refusals", "send_words"):
        assert await kept.db.fetchval(f"SELECT count(*) FROM {table}") == 0
    assert await kept.db.fetchval(named, kept.user, "a" * 64) == 0
    assert await kept.db.fetchval("SELECT blob FROM loose_blobs WHERE user_id = $1", kept.user) == "a" * 64
    await sends.say(kept.db, kept.user, kept.account, one, "too late")
    await sends.refuse(kept.db, kept.user, kept.account, one, {"b@x": Refusal(code=550, text="no")})
    assert await kept.db.fetchval("SELECT count(*) FROM send_words") == 0


async def test_contents_are_forgotten_once_no_draft_waits_for_them_and_so_are_their_refusals(kept: Kept) -> None:
    sent, failed, later, fresh = [await kept.put() for _ in range(4)]
    await kept.db.execute("UPDATE sends SET settled = true, created_at = now() - interval '31 days'")
    await kept.db.execute("UPDATE sends SET created_at = now() WHERE outbox_id = $1", fresh.outbox_id)
    await kept.db.execute("UPDATE sends SET due = now() + interval '1 day' WHERE outbox_id = $1", later.outbox_id)
    await kept.db.execute(
        "INSERT INTO drafts (user_id, account_id, message_id_header, kind, outbox_id) VALUES ($1, $2, '<1@x>', 'new', $3)",
        kept.user,
        kept.account,
        failed.outbox_id,
    )
    for one in (sent, failed):
        await sends.refuse(
            kept.db, kept.user, kept.account, one.outbox_id, {"b@x.example": Refusal(code=550, text="no")}
        )
        await sends.say(kept.db, kept.user, kept.account, one.outbox_id, "550 no")
    async with kept.db.acquire() as db, db.transaction():
        await as_role(db, "gateway", kept.user)
        await sends.forget_ended(db, timedelta(days=30))
    async with kept.db.acquire() as db:
        asked = [one.outbox_id for one in (sent, failed, later, fresh)]
        assert {*await sends.contents(db, kept.user, asked)} == {*asked[1:]}
        assert [*await sends.refused(db, kept.user, asked)] == [failed.outbox_id]
        assert [*await sends.words(db, kept.user, asked)] == [failed.outbox_id]
        assert await db.fetchval("SELECT count(*) FROM loose_blobs") == 1
