"""The outbox: one row a send, whatever is told of it, and nobody else's."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts import events
from contracts.facts import (
    AccountRemoved,
    SendAttempted,
    SendCancelled,
    SendDelivered,
    SendEdited,
    SendFailed,
    SendFiled,
    SendQueued,
    SendUnconfirmed,
)
from projections.engine import control
from projections.sending import reader
from projections.sending.projector import sending
from projections.sending.rows import OutboxRow
from tests.support.given import START, Account, Given, installed

LATER = START + timedelta(seconds=10)


class Told:
    def __init__(self, given: Given) -> None:
        self.given, self.account = given, Account()
        self.draft = uuid4()

    def queued(self, **fields: Any) -> Any:
        return self.account.fact(SendQueued, outbox_id=uuid4(), draft_id=self.draft, due=LATER, revision=1, **fields)

    async def row(self, outbox_id: UUID) -> OutboxRow:
        async with self.given.db.acquire() as db:
            row = await reader.one(db, self.account.user_id, outbox_id)
        assert row is not None
        return row


@pytest.fixture
async def told(database: str) -> AsyncIterator[Told]:
    async with installed(database, [sending]) as db:
        yield Told(Given(db, [sending], {}))


async def test_a_delivery_is_told_step_by_step(told: Told) -> None:
    queued, fact = told.queued(), told.account.fact
    (announced,) = await told.given(queued)
    assert announced == events.OutboxStateChanged(
        user_id=queued.user_id, account_id=queued.account_id, outbox_id=queued.outbox_id, state="queued", position=1
    )
    row = await told.row(queued.outbox_id)
    assert (row.state, row.due, row.revision, row.attempts, row.sequence) == ("queued", LATER, 1, 0, 1)
    assert (row.queued_at, row.settled_at, row.filed) == (START, None, False)
    said = await told.given(
        fact(SendAttempted, outbox_id=queued.outbox_id, attempt=1),
        fact(SendDelivered, outbox_id=queued.outbox_id, refused=2),
        fact(SendFiled, outbox_id=queued.outbox_id, copy="appended"),
    )
    states = [one.state for one in said if isinstance(one, events.OutboxStateChanged)]
    assert states == ["attempted", "delivered"]
    assert [type(one) for one in said if one not in states].count(events.MessageSent) == 1
    row = await told.row(queued.outbox_id)
    assert (row.state, row.attempts, row.refused, row.filed, row.sequence) == ("delivered", 1, 2, True, 4)
    assert row.settled_at == START


@pytest.mark.parametrize(
    ("kind", "state", "fields"),
    [
        (SendCancelled, "cancelled", {}),
        (SendFailed, "failed", {"code": "rejected"}),
        (SendUnconfirmed, "unconfirmed", {}),
    ],
)
async def test_every_other_end_is_told_too(told: Told, kind: Any, state: str, fields: dict[str, Any]) -> None:
    queued = told.queued()
    (_, announced) = await told.given(queued, told.account.fact(kind, outbox_id=queued.outbox_id, **fields))
    assert isinstance(announced, events.OutboxStateChanged)
    assert announced.state == state
    row = await told.row(queued.outbox_id)
    assert (row.state, row.code, row.settled_at) == (state, fields.get("code", ""), START)


async def test_what_is_edited_waits_for_its_new_time_with_its_new_content(told: Told) -> None:
    queued, later = told.queued(), LATER + timedelta(days=1)
    await told.given(
        queued,
        told.account.fact(SendEdited, outbox_id=queued.outbox_id, draft_id=told.draft, due=later, revision=4),
    )
    row = await told.row(queued.outbox_id)
    assert (row.state, row.due, row.revision, row.sequence) == ("queued", later, 4, 2)


async def test_sends_are_found_by_their_names_and_newest_first(told: Told) -> None:
    one, other, third = (told.queued() for _ in range(3))
    await told.given([one, other, third])
    user, named = told.account.user_id, [one.outbox_id, third.outbox_id]
    async with told.given.db.acquire() as db:
        assert {row.id for row in await reader.some(db, user, [*named, uuid4()])} == {*named}
        assert await reader.some(db, uuid4(), named) == []
        found = await reader.newest(db, user, 9)
        assert [row.queued_at for row in found] == sorted((row.queued_at for row in found), reverse=True)
        assert len(found) == 3
        assert await reader.newest(db, user, 2) == found[:2]
        assert await reader.newest(db, user, 2, before=(found[1].queued_at, found[1].id)) == found[2:]
        assert await reader.newest(db, uuid4(), 9) == []


async def test_a_drafts_last_send_is_the_one_that_counts(told: Told) -> None:
    first, second = told.queued(), told.queued()
    later = first.at + timedelta(minutes=5)
    again = told.account.fact(SendQueued, outbox_id=second.outbox_id, draft_id=told.draft, due=LATER, revision=1)
    await told.given(
        first,
        told.account.fact(SendFailed, outbox_id=first.outbox_id, code="x"),
        type(again)(**{field: getattr(again, field) for field in again.__struct_fields__} | {"at": later}),
    )
    async with told.given.db.acquire() as db:
        assert {
            draft: row.id for draft, row in (await reader.of_drafts(db, told.account.user_id, [told.draft])).items()
        } == {told.draft: second.outbox_id}


async def test_a_removed_account_leaves_no_sends(told: Told) -> None:
    await told.given(told.queued(), told.account.fact(AccountRemoved))
    assert await told.given.db.fetchval("SELECT count(*) FROM sending.outbox") == 0


async def test_outbound_sees_every_users_sends_and_changes_none(told: Told) -> None:
    await told.given(told.queued())
    async with told.given.db.acquire() as db:
        await control.install(db, [sending], partitions=1)  # as at every start
        async with db.transaction():
            await db.execute("SET LOCAL ROLE webmail_outbound")
            assert await db.fetchval("SELECT count(*) FROM sending.outbox") == 1
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await db.execute("DELETE FROM sending.outbox")
