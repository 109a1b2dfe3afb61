"""Accounts are shared by the workers that live: each is synced by one, soon after it is there, and no more after it is gone."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from contracts import events
from contracts.codec import encode
from contracts.events import UserActive
from contracts.facts import SendFiled
from services.blobs import FolderBlobs
from services.log.leases import Lease
from services.parsing.pool import ParsePool
from services.sync import claims
from services.sync.claims import Claimer
from services.sync.ingest import Ingest
from services.sync.workers import most
from tests.services.sync.fleet import Fleet, fleet
from tests.support.processes import Installation, until

DAYS = 10


@pytest.fixture
async def many(installed: Installation, parsers: ParsePool, tmp_path: Path) -> AsyncIterator[Fleet]:
    ingest = Ingest(installed.db, FolderBlobs(tmp_path / "blobs"), parsers)
    async with fleet(installed, ingest) as it:
        yield it


@pytest.mark.parametrize(
    ("accounts", "workers", "kept"), [(400, 1, 400), (400, 2, 245), (400, 8, 65), (1000, 2, 400), (0, 3, 5), (7, 3, 8)]
)
def test_a_worker_keeps_its_share_and_a_little_more(accounts: int, workers: int, kept: int) -> None:
    assert most(accounts, workers, 400) == kept
    assert most(accounts, workers, 10**6) * workers >= accounts  # nobody is left over


async def test_an_account_is_synced_at_once_when_it_is_added_and_not_any_more_when_it_is_removed(many: Fleet) -> None:
    async with many.worker("one"):
        (account,) = await many.add()
        began = time.monotonic()
        server = many.servers[account.account_id]
        await until(lambda: server.watching)
        assert time.monotonic() - began < 5
        await many.installed.remove_accounts()
        await until(lambda: not server.watching and not server.open)
        assert await many.owners() == {}
        assert time.monotonic() - began < 10


async def test_accounts_are_found_without_a_notice_too(many: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    async def deaf(_: Claimer) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(claims, "EVERY", 0.5)
    monkeypatch.setattr(Claimer, "_hear", deaf)
    async with many.worker("one"):
        await asyncio.sleep(0.2)
        (account,) = await many.add()
        await until(lambda: many.servers[account.account_id].watching, seconds=5)
        await many.installed.remove_accounts()
        await until(lambda: not many.servers[account.account_id].open, seconds=5)


async def test_a_second_worker_is_given_its_share_and_takes_all_when_the_first_falls_silent(
    many: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = {account.account_id for account in await many.add(40, seen_days_ago=DAYS)}

    async def all_have(*names: str) -> bool:
        owners = await many.owners()
        return owners.keys() == accounts and {*owners.values()} == {*names}

    release = Lease.release

    async def silent(lease: Lease) -> None:
        """It hangs: nothing is renewed, and nothing is given back."""
        if lease.owner != "one":
            await release(lease)

    async with many.worker("two"):
        async with many.worker("one"):

            async def shared() -> bool:
                counts = Counter((await many.owners()).values())
                return counts.total() == 40 and max(counts.values()) <= most(40, 2, 400)

            await until(shared, seconds=30)
            monkeypatch.setattr(Lease, "release", silent)
        fell_silent = time.monotonic()
        assert not await all_have("two")
        await until(lambda: all_have("two"), seconds=30)
        assert time.monotonic() - fell_silent < 3 * 1.5 + 3  # as 90 s are to a lease of 60


async def test_a_worker_takes_no_more_than_it_may(many: Fleet) -> None:
    await many.add(5, seen_days_ago=DAYS)
    async with many.worker("one", MAX_ACCOUNTS_PER_WORKER="3"):

        async def three() -> bool:
            return len(await many.owners()) == 3

        await until(three)
        await asyncio.sleep(1)
        assert await three()
        async with many.worker("two", MAX_ACCOUNTS_PER_WORKER="3"):

            async def shared() -> bool:
                return Counter((await many.owners()).values()) == {"one": 3, "two": 2}

            await until(shared)


async def test_four_hundred_accounts_are_given_back_within_seconds_of_being_told(many: Fleet) -> None:
    accounts = await many.add(400, seen_days_ago=DAYS)
    async with many.worker("one", LEASE_TTL="30"):

        async def looked() -> bool:
            return sum(bool(many.servers[account.account_id].looks) for account in accounts) == 400

        await until(looked, seconds=60)
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert await many.owners() == {}


async def test_somebody_who_comes_back_is_watched_over_within_five_seconds(many: Fleet) -> None:
    near, away = (await many.add(1))[0], (await many.add(1, seen_days_ago=DAYS))[0]
    async with many.worker("one", POLL_COLD="900"):
        await until(lambda: many.servers[near.account_id].watching)
        server = many.servers[away.account_id]
        await until(lambda: server.looks)
        await asyncio.sleep(claims.EVERY / 30)
        assert not server.watching
        server.inbox.add(b"Subject: while away\r\n\r\nx\r\n")
        began = time.monotonic()
        subject = f"event.{away.user_id}.{events.name(UserActive)}"
        await many.installed.gateway.publish(subject, encode(UserActive(user_id=away.user_id)))
        await until(lambda: server.watching)

        async def arrived() -> bool:
            return await many.arrived(away) == 1

        await until(arrived)
        assert time.monotonic() - began < 5


async def test_what_outbound_filed_is_found_at_once(many: Fleet) -> None:
    away = (await many.add(1, seen_days_ago=DAYS))[0]
    async with many.worker("one", POLL_COLD="900"):
        server = many.servers[away.account_id]
        await until(lambda: server.looks)
        server.inbox.add(b"Subject: an answer\r\n\r\nx\r\n")
        filed = SendFiled(
            user_id=away.user_id, account_id=away.account_id, at=datetime.now(UTC), outbox_id=uuid4(), copy="appended"
        )
        await many.installed.gateway.publish(away.send(filed.outbox_id), encode(filed))

        async def arrived() -> bool:
            return await many.arrived(away) == 1

        await until(arrived, seconds=5)


async def test_who_was_there_is_known_after_a_restart(many: Fleet) -> None:
    (account,) = await many.add(seen_days_ago=DAYS)
    db = many.installed.db
    session = "INSERT INTO sessions (user_id, token_hash, expires_at) VALUES ($1, $2, now() + interval '1 day')"
    await db.execute(session, account.user_id, account.user_id.bytes)
    await db.execute("DELETE FROM sessions WHERE user_id = $1", account.user_id)  # signed out again
    async with many.worker("one"):
        await until(lambda: many.servers[account.account_id].watching)


async def test_only_as_many_as_may_be_hot_are_waited_on(many: Fleet) -> None:
    accounts = await many.add(6)
    async with many.worker("one", HOT_BUDGET_PER_WORKER="2"):
        await until(lambda: all(many.servers[account.account_id].looks for account in accounts))
        await until(lambda: sum(server.watching for server in many.servers.values()) == 2)
        await asyncio.sleep(1)
        assert sum(server.watching for server in many.servers.values()) == 2
