"""A partition is read in order, once, and without what is not ours."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from contracts import codec, streams, subjects
from contracts.codec import MisplacedFact, UnknownFact
from contracts.facts import AccountConnected
from services.log import api, headers, reader, signs
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.errors import Conflict
from services.log.reader import PartitionLog
from tests.services.log.given import Account, everything, new_account, uids


def connected(account: Account) -> AccountConnected:
    place = account.subjects
    return AccountConnected(user_id=place.user_id, account_id=place.account_id, at=datetime.now(UTC))


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


async def test_what_comes_is_told_soon_after_the_commit_whole_and_in_order(nc: Connection, account: Account) -> None:
    appender = await filled(nc, account, 3)
    log = PartitionLog(nc, account.partition)
    head = await log.head()
    told: list[int] = []

    async def follow() -> None:
        while len(told) < 2511:
            told.extend(one.sequence for one in await log.coming(told[-1] if told else head, 500))

    following = asyncio.create_task(follow())
    done, _ = await asyncio.wait({following}, timeout=0.3)
    assert not done
    for first in range(4, 14):
        await appender.append(account.arrivals(first, 1))
        async with asyncio.timeout(2):
            while len(told) < first - 3:
                await asyncio.sleep(0.001)
    for first in (14, 514, 1014, 1514, 2014):
        await appender.append(account.arrivals(first, 500))
    await appender.append(account.arrivals(2514, 1))
    await asyncio.wait_for(following, 5)
    assert told == list(range(head + 1, head + 2512))


async def test_a_burst_ends_a_subscription_whatever_of_it_was_heard(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What still waits for its callback when a limited subscription ends is dropped by the library."""
    monkeypatch.setattr(signs, "MOST", 50)
    heard = signs.Signs(nc, subjects.user(account.partition, account.subjects.user_id))
    await heard.listen()
    assert heard.listening
    await (await filled(nc, account, 3)).append(account.arrivals(4, 500))
    await nc.flush()
    assert not heard.listening
    async with asyncio.timeout(5):
        await heard.another(60)


async def test_many_writers_at_once_leave_nothing_unheard(nc: Connection) -> None:
    """A publish is heard before it is stored: who reads in between must come again, and not wait for the next sign."""
    accounts = [new_account(partitions=1) for _ in range(8)]
    log = PartitionLog(nc, 0)
    after = await log.head()
    for turn in range(5):
        appended = asyncio.gather(*(append(nc, one.subjects.account, connected(one)) for one in accounts))
        told = 0
        async with asyncio.timeout(reader.POLL / 3):
            while told < len(accounts):
                facts = await log.coming(after, 500)
                told += len(facts)
                after = facts[-1].sequence if facts else after
        assert sorted(await appended) == list(range(after - 7, after + 1)), turn


async def test_what_was_there_before_is_told_at_once_and_nobody_is_heard(nc: Connection, account: Account) -> None:
    await filled(nc, account, 3)
    log = PartitionLog(nc, account.partition)
    before = nc.stats["in_msgs"]
    assert len(await asyncio.wait_for(log.coming(0, 500), 2)) == 5
    assert nc.stats["in_msgs"] - before == 6  # five facts and the end of the batch


async def test_it_returns_now_and_then_without_a_fact(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "POLL", 0.1)
    log = PartitionLog(nc, account.partition)
    for _ in range(3):
        assert await asyncio.wait_for(log.coming(0, 10), 5) == []


async def test_what_was_heard_and_refused_is_not_waited_for_for_ever(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signs, "STORED", 0.1)
    log = PartitionLog(nc, account.partition)
    assert await log.coming(0, 10) == []
    with pytest.raises(Conflict):
        await append(nc, account.subjects.account, connected(account), expected=7)
    coming = asyncio.create_task(log.coming(0, 10))
    assert await asyncio.wait_for(coming, 5) == []
    coming = asyncio.create_task(log.coming(0, 10))
    await append(nc, account.subjects.account, connected(account))
    assert len(await asyncio.wait_for(coming, 5)) == 1


async def test_who_listens_through_a_whole_subscription_listens_again(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signs, "MOST", 3)
    log, after = PartitionLog(nc, account.partition), 0
    for sequence in range(1, 12):
        await append(nc, account.subjects.account, connected(account))
        async with asyncio.timeout(5):
            while after < sequence:
                facts = await log.coming(after, 10)
                after = facts[-1].sequence if facts else after
    assert after == 11


async def test_a_reader_whose_signs_grow_old_while_it_is_busy_reads_on_without_one(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signs, "STORED", 0)
    appender = await filled(nc, account, 1)
    log = PartitionLog(nc, account.partition)
    after = await log.head()
    assert await log.coming(after, 50) == []
    await appender.append(account.arrivals(2, 200), account.mark(201))
    async with asyncio.timeout(reader.POLL / 2):
        while after < await log.head():
            facts = await log.coming(after, 50)
            after = facts[-1].sequence if facts else after


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
