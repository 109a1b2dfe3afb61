"""An account's name, colour, pause, password and servers change: in effect at once, told to the log by name, never by value."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest
from nats.aio.msg import Msg

from contracts import codec
from contracts.facts import AccountChanged, AccountConnected, AccountState
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services import positions, vault
from services.gateway.accounts import changing, connect
from services.gateway.deps import Gateway
from services.log import api
from services.log.errors import Unavailable
from services.log.reader import PartitionLog
from services.state.accounts import Endpoint
from services.sync import accounts as sync_accounts
from tests.services.gateway.test_connecting_accounts import IMAP, SMTP, SYNC_KEY, WISH
from tests.support.postgres_server import Postgres

OTHER = {**IMAP, "host": "imap.other.example", "password": "new s3cret"}
VAULT = vault.Vault(bytes(32))


class Sync:
    """Keeps what works as the sync worker does, with its rights; `refuses` says why nothing does."""

    def __init__(self, db: Pool) -> None:
        self.refuses = ""
        self._db = db

    async def take(self, message: Msg) -> None:
        if self.refuses:
            await message.respond(self.refuses.encode())
            return
        asked = json.loads(message.data)
        credentials = vault.Credentials.decoded(vault.unseal(SYNC_KEY, base64.b64decode(asked["sealed"])))
        smtp = Endpoint(**asked["smtp"]) if asked["smtp"] else None
        tried = sync_accounts.Tried(Endpoint(**asked["imap"]), smtp, credentials)
        kept = await sync_accounts.keep(self._db, VAULT, UUID(asked["user_id"]), UUID(asked["account_id"]), tried)
        assert kept is not None
        await message.respond(b'{"ok": true}')


@pytest.fixture
async def sync(parts: Gateway, postgres: Postgres, database: str) -> AsyncIterator[Sync]:
    async with asyncpg.create_pool(postgres.dsn_as("sync", database), min_size=1, max_size=2) as db:
        worker = Sync(db)
        subscription = await parts.log.subscribe(connect.SUBJECT, cb=worker.take)
        yield worker
        await subscription.unsubscribe()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0)


class Mine:
    """Anna's account."""

    def __init__(self, browser: Any, parts: Gateway, user_id: UUID, account_id: UUID) -> None:
        self.browser = browser
        self.user_id = user_id
        self.id = account_id
        self.subjects = AccountSubjects(parts.partition(user_id), user_id, account_id)
        self._parts = parts

    async def change(self, **fields: object) -> httpx.Response:
        answer: httpx.Response = await self.browser.patch(f"/api/accounts/{self.id}", json=fields)
        return answer

    async def reconnect(self, imap: object, smtp: object = None) -> httpx.Response:
        body = {"imap": imap, "smtp": smtp}
        answer: httpx.Response = await self.browser.post(f"/api/accounts/{self.id}/reconnect", json=body)
        return answer

    async def shown(self) -> dict[str, Any]:
        account: dict[str, Any] = (await self.browser.get("/api/accounts")).json()["accounts"][0]
        return account

    async def last(self) -> object:
        stored = await api.last(self._parts.log, self.subjects.partition, self.subjects.account)
        assert stored is not None
        return codec.decode(stored.data)

    async def told(self) -> list[str]:
        fact = await self.last()
        assert isinstance(fact, AccountChanged)
        return fact.fields


@pytest.fixture
async def mine(browser: Any, parts: Gateway, sync: Sync) -> Mine:
    me = await browser.enter("anna")
    answer = await browser.post("/api/accounts", json=WISH)
    assert answer.status_code == 201, answer.text
    return Mine(browser, parts, UUID(me["user_id"]), UUID(answer.json()["id"]))


@pytest.fixture
async def owner(database: str) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=2) as db:
        yield db


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_changed_name_and_colour_are_shown_at_once_and_told_without_their_values(mine: Mine) -> None:
    answer = await mine.change(display_name="Anna at work", color="#123abc")
    assert (answer.status_code, answer.json()["display_name"], answer.json()["color"]) == (
        200,
        "Anna at work",
        "#123abc",
    )
    assert await mine.shown() == answer.json()
    assert await mine.told() == ["color", "display_name"]
    await mine.change(display_name="")
    assert ((await mine.shown())["display_name"], (await mine.shown())["color"]) == ("", "#123abc")
    assert await mine.told() == ["display_name"]


async def test_what_stays_as_it_was_is_not_told(mine: Mine) -> None:
    shown = await mine.shown()
    assert (await mine.change()).json() == shown
    assert (await mine.change(display_name="Anna", paused=False)).json() == shown
    assert isinstance(await mine.last(), AccountConnected)


@pytest.mark.parametrize(
    "wish", [{"color": ""}, {"color": "red"}, {"display_name": "x" * 1001}, {"display_name": "a\0b"}]
)
async def test_what_can_not_be_shown_is_refused(mine: Mine, wish: dict[str, str]) -> None:
    answer = await mine.change(**wish)
    assert error(answer) == (400, "invalid_account")
    assert answer.json()["error"]["message"].startswith(f"{next(iter(wish))}: ")


async def test_servers_change_only_together_with_a_password(mine: Mine) -> None:
    """Or whoever has a session could have the kept password sent to a server of theirs."""
    assert error(await mine.change(imap={"host": "evil.example"})) == (400, "invalid_request")


async def test_the_gateway_itself_may_not_change_servers(mine: Mine, parts: Gateway) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await parts.db.execute("UPDATE accounts SET imap = '{}'")


async def test_a_paused_account_is_readable_and_says_so_and_goes_on(mine: Mine, owner: Pool) -> None:
    assert (await mine.change(paused=True)).json()["paused"] is True
    assert await mine.told() == ["paused"]
    assert [account.id for account in await sync_accounts.active(owner)] == [mine.id]
    assert await sync_accounts.authority(owner, mine.user_id, mine.id) is None
    assert (await mine.change(paused=False)).json()["paused"] is False
    assert await sync_accounts.authority(owner, mine.user_id, mine.id) is not None


async def test_another_password_is_kept_only_when_it_works(mine: Mine, owner: Pool, sync: Sync) -> None:
    before = await kept(owner, mine)
    sync.refuses = '{"error": {"code": "auth_failed", "detail": "[AUTHENTICATIONFAILED] No"}}'
    answer = await mine.reconnect({**IMAP, "password": "wrong"}, SMTP)
    assert error(answer) == (422, "auth_failed")
    assert answer.json()["error"]["message"].endswith("The server said: [AUTHENTICATIONFAILED] No")
    assert await kept(owner, mine) == before
    assert isinstance(await mine.last(), AccountConnected)
    sync.refuses = ""
    assert (await mine.reconnect({**IMAP, "password": "right"}, SMTP)).status_code == 200
    assert (await kept(owner, mine)).imap_password == "right"
    assert await mine.told() == ["credentials"]


async def test_servers_change_with_the_password_that_was_tried_there(mine: Mine, owner: Pool) -> None:
    answer = await mine.reconnect(OTHER)
    assert answer.status_code == 200, answer.text
    shown = {"host": "imap.other.example", "port": 993, "tls": "ssl", "username": "anna", "auth": "password"}
    assert answer.json()["imap"] == shown
    assert answer.json()["smtp"] is None
    assert (await kept(owner, mine)).imap_password == OTHER["password"]
    assert await mine.told() == ["credentials", "imap", "smtp"]
    assert str(OTHER["password"]) not in answer.text


async def test_reconnecting_counts_as_knocking_at_a_server(mine: Mine, sync: Sync) -> None:
    sync.refuses = '{"error": {"code": "refused"}}'
    for _ in range(connect.TRIES - 1):  # one was spent on connecting
        assert (await mine.reconnect(IMAP)).status_code == 422
    assert error(await mine.reconnect(IMAP)) == (429, "too_many_attempts")


async def test_settings_that_can_not_work_are_not_tried_again_either(mine: Mine, sync: Sync) -> None:
    sync.refuses = "never asked"
    assert error(await mine.reconnect({**IMAP, "port": 0})) == (400, "invalid_account")


async def test_how_full_the_server_is_stands_beside_the_account(mine: Mine, owner: Pool) -> None:
    assert (await mine.shown())["quota"] is None
    await owner.execute("INSERT INTO account_quotas SELECT id, user_id, 5, 9 FROM accounts WHERE id = $1", mine.id)
    assert (await mine.shown())["quota"] == {"used": 5, "limit": 9}


async def test_a_chosen_mailbox_is_told_too(mine: Mine, owner: Pool) -> None:
    await owner.execute(
        "UPDATE accounts SET special_uses = $2 WHERE id = $1", mine.id, json.dumps({"sent": str(mine.id)})
    )
    answer = await mine.browser.patch(f"/api/accounts/{mine.id}/special-uses", json={"sent": None})
    assert answer.json()["special_uses"] == {}
    assert await mine.told() == ["special_uses"]


async def test_a_change_that_the_log_did_not_hear_is_told_later(
    mine: Mine, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: object, **__: object) -> int:
        raise Unavailable("the log is away")

    with monkeypatch.context() as away:
        away.setattr(changing, "append", lost)
        assert (await mine.change(display_name="Work")).json()["display_name"] == "Work"
        assert (await mine.change(color="#123abc")).status_code == 200
    assert isinstance(await mine.last(), AccountConnected)
    monkeypatch.setattr(connect, "ABANDONED", timedelta(0))
    await connect.finish(parts)
    assert await mine.told() == ["color", "display_name"]
    assert await parts.db.fetch("SELECT * FROM unsettled_accounts(interval '0')") == []


async def test_a_change_while_another_is_told_is_not_taken_for_told(
    mine: Mine, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, told_twice = changing.append, asyncio.Event()

    async def meanwhile(*given: Any, **more: Any) -> int:
        if not told_twice.is_set():
            told_twice.set()
            await mine.change(display_name="Second")
        return await append(*given, **more)

    monkeypatch.setattr(changing, "append", meanwhile)
    await mine.change(display_name="First")
    assert (await mine.shown())["display_name"] == "Second"
    assert await parts.db.fetch("SELECT * FROM unsettled_accounts(interval '0')") == []
    facts = [fact async for fact in _facts(parts, mine)]
    assert [fact.fields for fact in facts if isinstance(fact, AccountChanged)] == [["display_name"]] * 2


async def _facts(parts: Gateway, mine: Mine) -> AsyncIterator[object]:
    log = PartitionLog(parts.log, mine.subjects.partition)
    async for batch in log.history(mine.subjects.account, await log.head()):
        for _, fact in batch:
            yield fact


async def test_a_paused_account_gets_no_job(mine: Mine, parts: Gateway, owner: Pool) -> None:
    await owner.execute(
        "INSERT INTO accounts_state.accounts (user_id, account_id, state, code, epoch, worker, repaired, repaired_by) "
        "VALUES ($1, $2, $3, 'paused', 1, '', 0, 0)",
        mine.user_id,
        mine.id,
        AccountState.DISABLED,
    )
    answer = await mine.browser.post("/api/sync", json={})
    assert answer.status_code == 409
    assert [one["reason"] for one in answer.json()["skipped"]] == ["paused"]


async def kept(db: Pool, mine: Mine) -> vault.Credentials:
    sealed = await db.fetchval("SELECT sealed FROM account_secrets WHERE account_id = $1", mine.id)
    return vault.Credentials.decoded(VAULT.open(mine.id, sealed))
