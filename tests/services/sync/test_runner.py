"""One account's runner: how closely it watches, and what it makes of every trouble a server can be."""

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from contracts.facts import AccountState
from contracts.provider import ProviderAuthError, ProviderConnectError, ProviderNotSupported
from contracts.subjects import AccountSubjects
from services.blobs import FolderBlobs
from services.mail import working
from services.mail.budget import HostBudget
from services.parsing.pool import ParsePool
from services.sync import account as step
from services.sync import runner
from services.sync.ingest import Ingest
from tests.services.sync.fleet import HOST, Fleet, Server, fleet
from tests.support.processes import Installation, until

DAYS = 10
MAIL = b"Subject: one\r\n\r\nHello.\r\n"
TOO_MANY = ProviderConnectError("too_many_connections", "enough of you")


@pytest.fixture
async def some(installed: Installation, parsers: ParsePool, tmp_path: Path) -> AsyncIterator[Fleet]:
    ingest = Ingest(installed.db, FolderBlobs(tmp_path / "blobs"), parsers)
    async with fleet(installed, ingest) as it:
        yield it


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RETRY", 0.2)
    monkeypatch.setattr(runner, "SPREAD", 0.2)
    monkeypatch.setattr(working, "LINGER", 0.2)


async def started(some: Fleet, *, seen_days_ago: float = 0) -> tuple[AccountSubjects, Server]:
    (account,) = await some.add(seen_days_ago=seen_days_ago)
    return account, some.servers[account.account_id]


async def state(some: Fleet, account: AccountSubjects) -> tuple[AccountState, str] | None:
    states = await some.installed.states(account)
    return (states[-1].state, states[-1].code) if states else None


@pytest.mark.parametrize("condstore", [True, False], ids=["with CONDSTORE", "without"])
async def test_a_hot_account_reads_news_by_the_connection_that_was_told_where_that_can_miss_nothing(
    some: Fleet, condstore: bool
) -> None:
    account, server = await started(some)
    server.condstore = condstore
    async with some.worker("one"):
        await until(lambda: server.watching == 1 and server.open == 1)
        opened = server.opened
        began = time.monotonic()
        server.deliver(MAIL)

        async def arrived() -> bool:
            return await some.arrived(account) == 1

        await until(arrived)
        assert time.monotonic() - began < 2
        await until(lambda: server.watching == 1 and server.open == 1)
        assert server.opened == opened + (not condstore)


async def test_a_warm_account_has_no_connection_between_its_looks(some: Fleet) -> None:
    account, server = await started(some, seen_days_ago=1)
    async with some.worker("one", POLL_WARM="1", TIER_HOT_ACTIVITY_H="0"):
        await until(lambda: len(server.looks) >= 3)
        assert not server.watching
        await until(lambda: not server.open)
        server.deliver(MAIL)

        async def arrived() -> bool:
            return await some.arrived(account) == 1

        await until(arrived, seconds=4)


async def test_what_a_hot_account_does_not_wait_on_is_looked_at_as_often_as_a_warm_one(some: Fleet) -> None:
    _, server = await started(some)
    async with some.worker("one", POLL_WARM="1"):
        await until(lambda: server.watching and len(server.looks) >= 3)


async def test_what_was_read_for_the_first_time_is_compared_soon_after_and_not_at_every_start(
    some: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PROOF", 0.5)
    account, server = await started(some)
    server.deliver(MAIL)

    async def compared() -> list[tuple[int, int, bool]]:
        rows = await some.installed.db.fetch(
            "SELECT held, on_server, equal FROM sync_checks WHERE account_id = $1", account.account_id
        )
        return [tuple(row) for row in rows]

    async with some.worker("one"):
        await until(compared)
        assert await compared() == [(1, 1, True)]
    before = server.compared
    async with some.worker("two"):
        looks = len(server.looks)
        await until(lambda: server.watching and len(server.looks) > looks)
    assert server.compared == before == 1


async def test_a_refused_password_is_not_tried_again(some: Fleet) -> None:
    account, server = await started(some)
    server.trouble = ProviderAuthError("auth_failed", "no")
    async with some.worker("one", POLL_WARM="1"):

        async def blocked() -> bool:
            return await state(some, account) == (AccountState.RECONNECT_REQUIRED, "auth_failed")

        await until(blocked)
        await asyncio.sleep(2)
        assert len(server.looks) == 1


async def test_a_server_that_is_away_is_tried_again_and_seldomer_each_time(some: Fleet) -> None:
    account, server = await started(some)
    server.trouble = ProviderConnectError("refused", "nobody")
    async with some.worker("one"):
        await until(lambda: len(server.looks) == 4)
        gaps = [after - before for before, after in pairwise(server.looks)]
        assert gaps[0] >= 0.2
        assert gaps[2] > 1.5 * gaps[0]
        assert await state(some, account) == (AccountState.ERROR, "refused")
        server.trouble = None
        await some.installed.until_live(account)


async def test_a_server_that_falls_silent_holds_nobody_for_ever(some: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    account, server = await started(some)
    monkeypatch.setattr(step, "STEP", 0.3)
    server.silent = True
    async with some.worker("one"):

        async def told() -> bool:
            return await state(some, account) == (AccountState.ERROR, "timeout")

        await until(told)
        server.silent = False
        await some.installed.until_live(account)


async def test_a_host_with_too_many_connections_is_left_alone_by_all_and_nobodys_account_is_called_broken(
    some: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "COOL", 2.0)
    account, server = await started(some)
    server.trouble = TOO_MANY
    async with some.worker("one") as worker:
        await until(lambda: server.looks)
        await until(lambda: worker._parts.cooldowns.left(HOST) > 0)
        _, other = await started(some)
        await asyncio.sleep(1)
        assert other.looks == []
        assert len(server.looks) == 1
        assert await state(some, account) == (AccountState.CONNECTING, "")
        server.trouble = None
        await some.installed.until_live(account)
        await until(lambda: other.looks)


async def test_a_host_that_does_not_recover_is_told_of(some: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "COOL", 0.1)
    account, server = await started(some)
    server.trouble = TOO_MANY
    async with some.worker("one"):

        async def told() -> bool:
            return await state(some, account) == (AccountState.ERROR, "too_many_connections")

        await until(told)


async def test_a_server_that_lets_in_one_connection_is_polled_and_its_host_is_not_cooled(some: Fleet) -> None:
    account, server = await started(some)
    server.refuses_to_wait = TOO_MANY
    async with some.worker("one", POLL_WARM="1") as worker:
        await some.installed.until_live(account)
        await until(lambda: len(server.looks) >= 3)
        assert worker._parts.cooldowns.left(HOST) == 0
        assert await state(some, account) == (AccountState.LIVE, "")


async def test_a_server_without_idle_is_polled(some: Fleet) -> None:
    account, server = await started(some)
    server.refuses_to_wait = ProviderNotSupported("not_supported", "no IDLE")
    async with some.worker("one", POLL_WARM="1"):
        await some.installed.until_live(account)
        server.deliver(MAIL)

        async def arrived() -> bool:
            return await some.arrived(account) == 1

        await until(arrived, seconds=4)


async def test_more_accounts_than_places_at_a_host_are_all_read_and_none_is_in_error(some: Fleet) -> None:
    some.budget = HostBudget(2, rotate=0.5)
    accounts = await some.add(8)
    async with some.worker("one", POLL_WARM="1"):
        for account in accounts:
            some.servers[account.account_id].deliver(MAIL)

        async def all_arrived() -> bool:
            return [await some.arrived(account) for account in accounts] == [1] * 8

        await until(all_arrived, seconds=30)
        assert sum(server.open for server in some.servers.values()) <= 2
        for account in accounts:
            assert AccountState.ERROR not in {told.state for told in await some.installed.states(account)}
