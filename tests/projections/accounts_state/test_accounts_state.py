"""How an account's sync is doing, as the accounts page shows it."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from contracts.events import AccountStateChangedEvent, SyncProgress
from contracts.facts import (
    AccountChanged,
    AccountRemoved,
    AccountState,
    AccountStateChanged,
    DriftRepaired,
    Fact,
    LeaseTaken,
    MailboxLost,
    MailboxMarked,
)
from projections.accounts_state import reader
from projections.accounts_state.projector import accounts_state
from projections.accounts_state.rows import AccountRow
from tests.support.given import START, Account, Given, installed


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def given(database: str) -> AsyncIterator[Given]:
    async with installed(database, [accounts_state]) as db:
        yield Given(db, [accounts_state], {})


def marked(account: Account, path: str, synced: int, total: int, *, minutes: int = 0) -> Fact:
    return MailboxMarked(
        user_id=account.user_id,
        account_id=account.account_id,
        at=START + timedelta(minutes=minutes),
        mailbox_id=account.id_of(path),
        generation=1,
        epoch=1,
        batch="b",
        uidvalidity=1,
        high_uid=1,
        backfill_from=1,
        floor_uid=1,
        done=synced == total,
        synced=synced,
        total=total,
    )


async def only(given: Given, account: Account) -> AccountRow:
    async with given.db.acquire() as db:
        [row] = (await reader.accounts(db, account.user_id)).values()
    return row


async def test_a_connected_account_is_connecting(given: Given, account: Account) -> None:
    [event] = await given(account.connected())
    assert isinstance(event, AccountStateChangedEvent)
    assert (event.account_id, event.state, event.code) == (account.account_id, AccountState.CONNECTING, "")
    row = await only(given, account)
    assert (row.state, row.synced, row.total, row.last_sync_at) == (AccountState.CONNECTING, 0, 0, None)


async def test_a_change_of_settings_is_announced_with_the_state_that_stays(given: Given, account: Account) -> None:
    state = account.fact(AccountStateChanged, epoch=1, state=AccountState.ERROR, code="refused")
    await given(account.connected(), state)
    before = await only(given, account)
    changed = account.fact(AccountChanged, fields=["color", "display_name"])
    [event] = await given(changed, changed)
    assert isinstance(event, AccountStateChangedEvent)
    assert (event.account_id, event.state, event.code) == (account.account_id, AccountState.ERROR, "refused")
    assert await only(given, account) == before
    await given(account.fact(AccountRemoved))
    assert await given(changed) == []


async def test_the_last_state_counts_with_its_reason_and_when_it_is_tried_again(given: Given, account: Account) -> None:
    await given(account.connected(), account.fact(AccountStateChanged, epoch=1, state=AccountState.LIVE))
    later = START + timedelta(minutes=5)
    failed = account.fact(AccountStateChanged, epoch=1, state=AccountState.ERROR, code="unavailable", retry_at=later)
    [event] = await given(failed)
    assert isinstance(event, AccountStateChangedEvent)
    assert (event.state, event.code) == (AccountState.ERROR, "unavailable")
    row = await only(given, account)
    assert (row.state, row.code, row.retry_at) == (AccountState.ERROR, "unavailable", later)
    await given(account.fact(AccountStateChanged, epoch=1, state=AccountState.LIVE))
    assert (await only(given, account)).retry_at is None


async def test_progress_is_of_all_mailboxes_by_their_latest_marks(given: Given, account: Account) -> None:
    await given(account.connected())
    events = await given(
        marked(account, "INBOX", 1, 10), marked(account, "Sent", 5, 5), marked(account, "INBOX", 4, 10, minutes=1)
    )
    assert {(event.mailbox_id, event.synced, event.total) for event in events if isinstance(event, SyncProgress)} == {
        (account.id_of("INBOX"), 4, 10),
        (account.id_of("Sent"), 5, 5),
    }
    row = await only(given, account)
    assert (row.synced, row.total, row.last_sync_at) == (9, 15, START + timedelta(minutes=1))
    await given(account.fact(MailboxLost, mailbox_id=account.id_of("Sent")))
    row = await only(given, account)
    assert (row.synced, row.total) == (4, 10)


async def test_the_worker_with_the_newest_epoch_is_named(given: Given, account: Account) -> None:
    await given(account.connected(), account.fact(LeaseTaken, epoch=1, worker="w1"))
    await given(account.fact(LeaseTaken, epoch=2, worker="w2"))
    row = await only(given, account)
    assert (row.epoch, row.worker) == (2, "w2")


async def test_what_audits_repaired_is_counted_with_the_time_of_the_last(given: Given, account: Account) -> None:
    await given(account.connected())
    row = await only(given, account)
    assert (row.repaired, row.repaired_at) == (0, None)
    repairs = [
        account.fact(DriftRepaired, mailbox_id=account.id_of(path), generation=1, missing=missing, surplus=1, flags=2)
        for path, missing in (("INBOX", 3), ("Sent", 0))
    ]
    await given(*repairs)
    row = await only(given, account)
    assert (row.repaired, row.repaired_at) == (9, START)


async def test_a_removed_account_is_gone_whatever_sync_still_says(given: Given, account: Account) -> None:
    await given(account.connected(), marked(account, "INBOX", 1, 1))
    [event] = await given(account.fact(AccountRemoved))
    assert isinstance(event, AccountStateChangedEvent)
    assert event.state is AccountState.DISABLED
    late = account.fact(AccountStateChanged, epoch=1, state=AccountState.LIVE)
    assert await given(late, marked(account, "INBOX", 1, 1)) == []
    async with given.db.acquire() as db:
        assert await reader.accounts(db, account.user_id) == {}
    assert await given.db.fetchval("SELECT count(*) FROM accounts_state.progress") == 0


async def test_accounts_are_those_of_the_user(given: Given, account: Account) -> None:
    await given(account.connected(), Account().connected())
    async with given.db.acquire() as db:
        assert list(await reader.accounts(db, account.user_id)) == [account.account_id]
