"""A partition is read in order, once, and without what is not ours."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from contracts import codec, streams
from contracts.codec import MisplacedFact, UnknownFact
from contracts.facts import AccountConnected
from services.log import api, headers, reader
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.reader import PartitionLog
from tests.services.log.given import Account, everything, new_account, uids


async def filled(nc: Connection, account: Account, messages: int) -> AccountAppender:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    for first in range(1, messages + 1, 999):
        count = min(999, messages + 1 - first)
        await appender.append(account.arrivals(first, count), account.mark(first + count - 1))
    return appender


async def test_a_partition_is_read_in_order_and_to_its_end(nc: Connection, account: Account) -> None:
    await filled(nc, account, 2500)
    log = PartitionLog(nc, account.partition)
    sequences, found, after = [], [], 0
    while facts := await log.read(after, 700):
        assert len(facts) <= 700
        sequences += [recorded.sequence for recorded in facts]
        found += [recorded.fact for recorded in facts]
        after = facts[-1].sequence
    assert sequences == list(range(1, 1 + 1 + 2500 + 3))
    assert uids(found) == list(range(1, 2501))
    assert await log.head() == sequences[-1]


async def test_a_full_read_asks_once_a_thousand_facts(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the speed of a rebuild stands on, counted instead of timed."""
    asked: list[str] = []
    request, publish = nc.request, nc.publish

    async def counted_request(subject: str, *args: Any, **kwargs: Any) -> Any:
        asked.append(subject)
        return await request(subject, *args, **kwargs)

    async def counted_publish(subject: str, *args: Any, **kwargs: Any) -> None:
        asked.append(subject)
        await publish(subject, *args, **kwargs)

    await filled(nc, account, 5000)
    monkeypatch.setattr(nc, "request", counted_request)
    monkeypatch.setattr(nc, "publish", counted_publish)
    log, after, told = PartitionLog(nc, account.partition), 0, 0
    while facts := await log.read(after, 1000):
        after, told = facts[-1].sequence, told + len(facts)
    assert told == 1 + 5000 + 6
    direct = [subject for subject in asked if "DIRECT.GET" in subject]
    assert len(direct) == 6 + 1  # and once to find the end, which the leader confirms
    assert len([subject for subject in asked if "STREAM.MSG.GET" in subject]) <= 2


async def test_an_empty_partition_has_its_head_at_nothing(nc: Connection, account: Account) -> None:
    log = PartitionLog(nc, account.partition)
    assert await log.read(0, 100) == []
    assert await log.head() == 0


async def test_a_slice_is_of_one_user_up_to_a_sequence(nc: Connection, account: Account) -> None:
    other = new_account(account.subjects.user_id.__class__(int=account.subjects.user_id.int ^ 2))
    assert other.partition == account.partition
    mine = await filled(nc, account, 10)
    await filled(nc, other, 10)
    upto = mine.last_sequence
    await mine.append(account.arrivals(11, 1), account.mark(11))
    log = PartitionLog(nc, account.partition)
    facts = [recorded.fact async for batch in log.slice(account.subjects.user_id, upto) for recorded in batch]
    assert uids(facts) == list(range(1, 11))
    assert {fact.user_id for fact in facts} == {account.subjects.user_id}


async def test_holes_of_an_erasure_are_passed(nc: Connection, account: Account) -> None:
    other = Account(new_account(account.subjects.user_id).subjects, account.mailbox_id)
    await filled(nc, account, 1500)
    await filled(nc, other, 5)
    await api.ask(nc, f"STREAM.PURGE.{streams.facts_name(account.partition)}", {"filter": account.subjects.everything})
    log = PartitionLog(nc, account.partition)
    assert uids(recorded.fact for recorded in await log.read(0, 1000)) == [1, 2, 3, 4, 5]


async def test_growth_wakes_the_reader_soon_after_the_commit(nc: Connection, account: Account) -> None:
    appender = await filled(nc, account, 3)
    log = PartitionLog(nc, account.partition)
    head = await log.head()
    waiting = asyncio.create_task(log.grown(head))
    done, _ = await asyncio.wait({waiting}, timeout=0.3)
    assert not done
    started = time.monotonic()
    await appender.append(account.arrivals(4, 500), account.mark(503))
    await asyncio.wait_for(waiting, 5)
    assert time.monotonic() - started < 2
    assert len(await log.read(head, 1000)) == 501


async def test_growth_before_the_wait_is_seen_at_once(nc: Connection, account: Account) -> None:
    await filled(nc, account, 3)
    await asyncio.wait_for(PartitionLog(nc, account.partition).grown(2), 2)


async def test_growth_returns_now_and_then_without_a_sign(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "POLL", 0.1)
    await asyncio.wait_for(PartitionLog(nc, account.partition).grown(0), 2)


async def test_what_no_writer_of_ours_wrote_is_passed_over(nc: Connection, account: Account) -> None:
    await api.publish(nc, account.subjects.mailbox(account.mailbox_id), b'{"stream":"EVENTS","seq":1}', {})
    await filled(nc, account, 2)
    await api.publish(nc, account.subjects.request, b"", {})
    assert uids(await everything(nc, account)) == [1, 2]
    log = PartitionLog(nc, account.partition)
    assert uids(recorded.fact for recorded in await log.read(0, 1)) == []  # the lease, not the intruder before it
    assert await log.read(await log.head() - 1, 10) == []


async def test_an_unreadable_fact_stops_the_reader(nc: Connection, account: Account) -> None:
    ours = {headers.WRITTEN_BY: "sync"}
    await api.publish(nc, account.subjects.request, b'{"type":"from.the.future"}', ours)
    with pytest.raises(UnknownFact):
        await PartitionLog(nc, account.partition).read(0, 10)


async def test_a_fact_on_a_foreign_subject_stops_the_reader(nc: Connection, account: Account) -> None:
    fact = AccountConnected(
        user_id=account.subjects.user_id, account_id=account.subjects.account_id, at=datetime.now(UTC)
    )
    await append(nc, account.subjects.account, fact)
    log = PartitionLog(nc, account.partition)
    assert [recorded.fact for recorded in await log.read(0, 10)] == [fact]
    ours = {headers.WRITTEN_BY: "gateway"}
    await api.publish(nc, new_account(account.subjects.user_id).subjects.account, codec.encode(fact), ours)
    with pytest.raises(MisplacedFact):
        await log.read(1, 10)


def test_a_hole_in_an_answer_ends_what_is_believed() -> None:
    collector = api._Collector()

    async def feed() -> api.Listing:
        for sequence, before in ((5, 0), (6, 5), (9, 8), (10, 9)):
            await collector.take(
                _Message(
                    {headers.SEQUENCE: str(sequence), headers.LAST_SEQUENCE: str(before), headers.SUBJECT: "fact.0.x"}
                )
            )
        await collector.take(_Message({headers.STATUS: "204", headers.LAST_SEQUENCE: "10"}))
        await collector.wait()
        return collector.listing()

    listing = asyncio.run(feed())
    assert [message.sequence for message in listing.messages] == [5, 6]
    assert not listing.complete


class _Message(msgspec.Struct):
    headers: dict[str, str]
    data: bytes = b""
