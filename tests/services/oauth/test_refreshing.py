"""One refresh whoever wants one; what nobody knows the end of is not asked again, and the account waits for its owner."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest

from contracts.provider import ProviderAuthError, ProviderConnectError
from projections.sql import Pool
from services import http
from services.oauth.errors import GrantOver, NotNow
from services.state import logins
from services.state.accounts import Endpoint
from services.state.errors import GrantLost
from services.sync import accounts, oauth_refresh
from services.sync.accounts import Tried
from services.sync.oauth_refresh import Grant, Refresher
from services.vault import Credentials, Tokens, Vault
from tests.services.oauth.conftest import Speak
from tests.support.oauth_server import OAuthServer, Trouble
from tests.support.postgres_server import Postgres

ANNA = "anna@example.test"
IMAP = Endpoint(host="imap.example.test", port=993, tls="ssl", username=ANNA, auth="oauth:microsoft")
VAULT = Vault(bytes(32))


@pytest.fixture
async def db(postgres: Postgres, database: str) -> AsyncIterator[Pool]:
    """With the rights of sync."""
    async with asyncpg.create_pool(postgres.dsn_as("sync", database), min_size=1, max_size=8) as pool:
        yield pool


@pytest.fixture
async def owner(database: str) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=2) as pool:
        yield pool


@pytest.fixture
def worker(db: Pool, speak: Speak) -> Callable[[], Refresher]:
    """Makes workers, each as good as a process of its own: they share nothing but Postgres."""
    return lambda: Refresher(db, VAULT, {"microsoft": speak()})


class Anna:
    """Her account, whose access token is at its end."""

    def __init__(self, db: Pool, owner: Pool, server: OAuthServer, user_id: UUID, account_id: UUID) -> None:
        self.db, self.owner, self.server = db, owner, server
        self.user_id, self.account_id = user_id, account_id

    async def signs_in(self, *, left: float = 1.0) -> Grant:
        """With an access token that is good for so many seconds more."""
        first = Tokens(
            provider="microsoft",
            refresh_token=self.server.grant(ANNA),
            access_token="first",
            expires_at=time.time() + left,
        )
        kept = Tried(IMAP, None, Credentials(oauth=first))
        assert await accounts.keep(self.db, VAULT, self.user_id, self.account_id, kept)
        return await self.grant()

    async def grant(self) -> Grant:
        authority = await accounts.authority(self.db, self.user_id, self.account_id)
        assert authority is not None
        return Grant(self.user_id, self.account_id, authority.credential_version)

    async def row(self) -> asyncpg.Record:
        found = await self.owner.fetchrow("SELECT * FROM account_secrets WHERE account_id = $1", self.account_id)
        assert found is not None
        return found

    async def is_locked_out(self, grant: Grant) -> None:
        """The secret is no more, whoever worked with it has no authority, and no other refresh is tried."""
        row, asked = await self.row(), len(self.server.asked)
        assert (row["sealed"], row["version"], row["refresher"]) == (b"", grant.version + 1, None)
        with pytest.raises(GrantLost):
            await logins.login(self.db, VAULT, self.user_id, self.account_id)
        assert asked == len(self.server.asked)


@pytest.fixture
async def anna(db: Pool, owner: Pool, server: OAuthServer) -> Anna:
    user: UUID = await owner.fetchval("INSERT INTO users (handle, password_hash) VALUES ('anna', '') RETURNING id")
    account: UUID = await owner.fetchval(
        "INSERT INTO accounts (user_id, email, imap, status, settled) VALUES ($1, $2, '{}', 'active', true) RETURNING id",
        user,
        ANNA,
    )
    return Anna(db, owner, server, user, account)


async def test_a_token_that_is_good_is_used_as_it_is(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in(left=3600)
    assert (await worker().tokens(grant)).access_token == "first"
    assert anna.server.asked == []


async def test_workers_that_want_one_at_once_refresh_it_once(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in()
    anna.server.may_answer.clear()
    wanting = [asyncio.create_task(worker().tokens(grant)) for _ in range(6)]
    while not anna.server.asked:
        await asyncio.sleep(0.01)
    late = asyncio.create_task(worker().tokens(grant))
    await asyncio.sleep(3 * oauth_refresh.WAIT)
    anna.server.may_answer.set()
    got = await asyncio.gather(*wanting, late)
    assert len({one.access_token for one in got}) == 1
    assert (len(anna.server.asked), anna.server.rotations) == (1, 1)
    row = await anna.row()
    assert (row["version"], row["revision"], row["refresher"]) == (grant.version, 2, None)


async def test_a_refresh_leaves_work_that_is_under_way_alone(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in()
    before = await accounts.authority(anna.db, anna.user_id, anna.account_id)
    await worker().tokens(grant)
    assert await accounts.authority(anna.db, anna.user_id, anna.account_id) == before


async def test_tokens_that_hardly_live_are_refreshed_once_a_use(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in()
    anna.server.lives = 60
    one = worker()
    first, second = await one.tokens(grant), await one.tokens(grant)
    assert first.refresh_token != second.refresh_token
    assert anna.server.rotations == 2


@pytest.mark.parametrize("trouble", ["lost", "silent", "broken", "garbage", "moved"])
async def test_what_nobody_knows_the_end_of_is_asked_once(
    anna: Anna, worker: Callable[[], Refresher], trouble: Trouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "POST_SECONDS", 0.5)
    grant = await anna.signs_in()
    anna.server.trouble = trouble
    answers = await asyncio.gather(*(worker().tokens(grant) for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in answers] == [GrantOver] * 3
    assert (len(anna.server.asked), anna.server.rotations) == (1, 1)
    await anna.is_locked_out(grant)


async def test_a_grant_that_is_over_locks_out_at_once(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in()
    anna.server.revoke(ANNA)
    with pytest.raises(GrantOver):
        await worker().tokens(grant)
    await anna.is_locked_out(grant)


@pytest.mark.parametrize("trouble", ["busy", "unknown_client"])
async def test_a_provider_that_does_not_look_at_it_is_asked_again_later(
    anna: Anna, worker: Callable[[], Refresher], trouble: Trouble
) -> None:
    grant = await anna.signs_in()
    anna.server.trouble = trouble
    for _ in range(3):
        with pytest.raises(NotNow):
            await worker().tokens(grant)
    assert len(anna.server.asked) == 1
    anna.server.trouble = None
    await anna.owner.execute("UPDATE account_secrets SET refresh_after = now()")
    assert (await worker().tokens(grant)).access_token in anna.server.given


@pytest.mark.parametrize(
    ("said", "waits"), [("", 60), ("5", 60), ("600", 600), ("99999999", 3600), ("tomorrow", 60), ("Mon, 30 Nov", 60)]
)
async def test_a_provider_is_left_alone_for_as_long_as_it_asks_but_not_for_ever(
    anna: Anna, worker: Callable[[], Refresher], said: str, waits: int
) -> None:
    grant = await anna.signs_in()
    anna.server.trouble, anna.server.retry_after = "busy", said
    with pytest.raises(NotNow):
        await worker().tokens(grant)
    row = await anna.owner.fetchrow(
        "SELECT extract(epoch FROM refresh_after - now())::float AS left FROM account_secrets"
    )
    assert row is not None
    assert waits - 10 < row["left"] <= waits


async def test_a_name_that_is_not_found_costs_nothing(anna: Anna, db: Pool, speak: Speak) -> None:
    grant = await anna.signs_in()
    lost = Refresher(db, VAULT, {"microsoft": speak(host="nowhere.example")})
    with pytest.raises(NotNow):
        await lost.tokens(grant)
    row = await anna.row()
    assert (row["version"], row["revision"], row["refresher"]) == (grant.version, 1, None)


async def test_what_a_worker_took_to_its_grave_is_not_asked_again(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in()
    await anna.owner.execute("UPDATE account_secrets SET refresher = gen_random_uuid(), refresher_until = now()")
    with pytest.raises(GrantOver):
        await worker().tokens(grant)
    assert anna.server.asked == []
    await anna.is_locked_out(grant)


async def test_who_is_told_to_stop_knows_the_end_first(anna: Anna, worker: Callable[[], Refresher]) -> None:
    grant = await anna.signs_in()
    anna.server.may_answer.clear()
    stopped = asyncio.create_task(worker().tokens(grant))
    while not anna.server.asked:
        await asyncio.sleep(0.01)
    stopped.cancel()
    anna.server.may_answer.set()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    assert (await anna.row())["revision"] == 2


async def test_an_owner_who_signs_in_again_meanwhile_wins(anna: Anna, worker: Callable[[], Refresher]) -> None:
    before = await anna.signs_in()
    anna.server.may_answer.clear()
    old = asyncio.create_task(worker().tokens(before))
    while not anna.server.asked:
        await asyncio.sleep(0.01)
    now = await anna.signs_in(left=3600)
    kept = (await anna.row())["sealed"]
    anna.server.may_answer.set()
    with pytest.raises(GrantOver):
        await old
    assert (await anna.row())["sealed"] == kept
    assert now.version == before.version + 1


async def test_an_access_token_is_looked_for_when_it_is_needed(anna: Anna, worker: Callable[[], Refresher]) -> None:
    await anna.signs_in()
    login = await logins.login(anna.db, VAULT, anna.user_id, anna.account_id)
    entrance = worker().entrance(login)
    assert callable(entrance)
    first, second = await entrance(), await entrance()
    assert (first.username, first.access_token) == (ANNA, second.access_token)
    assert len(anna.server.asked) == 1


async def test_trouble_is_told_in_a_providers_words(anna: Anna, worker: Callable[[], Refresher]) -> None:
    await anna.signs_in()
    login = await logins.login(anna.db, VAULT, anna.user_id, anna.account_id)
    entrance = worker().entrance(login)
    assert callable(entrance)
    anna.server.trouble = "busy"
    with pytest.raises(ProviderConnectError):
        await entrance()
    anna.server.trouble = "lost"
    await anna.owner.execute("UPDATE account_secrets SET refresh_after = now()")
    with pytest.raises(ProviderAuthError):
        await entrance()


async def test_tokens_are_refreshed_before_they_end(
    anna: Anna, worker: Callable[[], Refresher], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that whoever may only read them finds good ones; two workers look, and one asks."""
    monkeypatch.setattr(oauth_refresh, "EVERY", 0.05)
    await anna.signs_in(left=oauth_refresh.AHEAD.total_seconds() - 10)
    running = [asyncio.create_task(worker().run()) for _ in range(2)]
    try:
        async with asyncio.timeout(10):
            while (await anna.row())["revision"] == 1:
                await asyncio.sleep(0.02)
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)
    assert len(anna.server.asked) == 1
    assert (await anna.row())["fresh_until"] is not None


async def test_a_paused_account_is_left_alone(anna: Anna, worker: Callable[[], Refresher]) -> None:
    await anna.signs_in()
    await anna.owner.execute("UPDATE accounts SET paused = true")
    due = await anna.db.fetch(oauth_refresh.query.due, timedelta(hours=1), 10)
    assert due == []
