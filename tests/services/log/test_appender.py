"""One owner an account, whole batches, nothing twice."""

import asyncio
from uuid import UUID

import msgspec
import pytest

from contracts.codec import MisplacedFact
from contracts.facts import LeaseTaken, MailboxMarked
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.errors import Lost, TooMuch
from tests.services.log.given import Account, everything, new_account, stored, uids


async def test_a_claim_writes_the_next_epoch(nc: Connection, account: Account) -> None:
    assert await AccountAppender(nc, account.subjects).claim("one") == 1
    assert await AccountAppender(nc, account.subjects).claim("two") == 2
    taken = [fact for fact in await everything(nc, account) if isinstance(fact, LeaseTaken)]
    assert [(fact.epoch, fact.worker) for fact in taken] == [(1, "one"), (2, "two")]


async def test_facts_and_their_mark_are_one_batch_with_the_epoch(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    last = await appender.append(account.arrivals(1, 999), account.mark(999))
    assert last == 1001
    facts = await everything(nc, account)
    assert uids(facts) == list(range(1, 1000))
    mark = facts[-1]
    assert isinstance(mark, MailboxMarked)
    assert (mark.epoch, mark.high_uid, len(mark.batch)) == (1, 999, 32)


async def test_marks_of_several_mailboxes_in_one_batch_all_carry_its_epoch(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    marks = [msgspec.structs.replace(account.mark(high), mailbox_id=UUID(int=high)) for high in (1, 2)]
    await appender.append([(account.subjects.mark(mark.mailbox_id), mark) for mark in marks])
    known = await appender.marks()
    assert [(known[UUID(int=high)].epoch, known[UUID(int=high)].high_uid) for high in (1, 2)] == [(1, 1), (1, 2)]
    assert len({mark.batch for mark in known.values()} - {""}) == 1


async def test_a_mark_alone_is_a_plain_fenced_fact(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    await appender.append([], account.mark(5))
    await appender.append([], account.mark(6))
    assert (await appender.marks())[account.mailbox_id].high_uid == 6


async def test_more_than_a_thousand_facts_are_refused_before_anything_is_sent(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    with pytest.raises(TooMuch):
        await appender.append(account.arrivals(1, 1000), account.mark(1000))
    assert await stored(nc, account.partition) == 1
    await appender.append(account.arrivals(1, 2), account.mark(2))


async def test_appends_at_once_take_turns(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    await asyncio.gather(*(appender.append(account.arrivals(uid, 1), account.mark(uid)) for uid in range(1, 6)))
    assert uids(await everything(nc, account)) == [1, 2, 3, 4, 5]


async def test_an_earlier_owner_is_refused_for_good(nc: Connection, account: Account) -> None:
    first, second = AccountAppender(nc, account.subjects), AccountAppender(nc, account.subjects)
    await first.claim("one")
    await first.append(account.arrivals(1, 2), account.mark(2))
    await second.claim("two")
    for _ in range(2):
        with pytest.raises(Lost):
            await first.append(account.arrivals(3, 2), account.mark(4))
    await second.append(account.arrivals(3, 2), account.mark(4))
    assert uids(await everything(nc, account)) == [1, 2, 3, 4]


async def test_of_two_claims_at_once_one_owner_remains(nc: Connection, account: Account) -> None:
    appenders = [AccountAppender(nc, account.subjects) for _ in range(6)]
    claims = await asyncio.gather(*(appender.claim("w") for appender in appenders), return_exceptions=True)
    epochs = [epoch for epoch in claims if isinstance(epoch, int)]
    assert len(set(epochs)) == len(epochs)
    assert all(isinstance(claim, int | Lost) for claim in claims)
    could = await asyncio.gather(
        *(appender.append(account.arrivals(1, 3), account.mark(3)) for appender in appenders), return_exceptions=True
    )
    assert sum(isinstance(sequence, int) for sequence in could) == 1
    assert uids(await everything(nc, account)) == [1, 2, 3]


async def test_an_unclaimed_appender_writes_nothing(nc: Connection, account: Account) -> None:
    with pytest.raises(Lost):
        await AccountAppender(nc, account.subjects).append(account.arrivals(1, 1))
    assert await stored(nc, account.partition) == 0


async def test_a_fact_of_another_account_is_refused(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    with pytest.raises(MisplacedFact):
        await appender.append(new_account().arrivals(1, 1), account.mark(1))


async def test_marks_are_the_last_of_every_mailbox(nc: Connection, account: Account) -> None:
    other = Account(account.subjects, new_account().mailbox_id)
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    assert await appender.marks() == {}
    await appender.append(account.arrivals(1, 2), account.mark(2))
    await appender.append(other.arrivals(1, 7), other.mark(7))
    await appender.append(account.arrivals(3, 1), account.mark(3))
    marks = await appender.marks()
    assert {mailbox: mark.high_uid for mailbox, mark in marks.items()} == {account.mailbox_id: 3, other.mailbox_id: 7}


async def test_accounts_append_side_by_side_within_the_servers_limit_of_batches(nc: Connection) -> None:
    accounts = [new_account() for _ in range(30)]

    async def fill(account: Account) -> None:
        appender = AccountAppender(nc, account.subjects)
        await appender.claim("one")
        for first in (1, 51):
            await appender.append(account.arrivals(first, 50), account.mark(first + 49))

    await asyncio.gather(*(fill(account) for account in accounts))
    assert await stored(nc, 0) + await stored(nc, 1) == 30 * (1 + 2 * 51)
