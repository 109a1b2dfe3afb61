"""There and back: the browser is sent to a provider, and what it brings back is taken once, in the same session."""

import base64
import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import httpx
import pytest
from nats.aio.msg import Msg

from contracts import codec
from contracts.facts import AccountChanged, AccountConnected
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services import positions, vault
from services.gateway.accounts import oauth
from services.gateway.deps import Gateway, as_user
from services.log import api
from services.oauth import pkce

SYNC_KEY = bytes(range(32))
BACK = "https://mail.test/api/accounts/oauth/callback"
WISH = {"provider": "microsoft", "email": "anna@outlook.com", "display_name": "Anna"}


class Sync:
    """Answers as the sync worker does, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: bytes = b'{"ok": true}'

    async def take(self, message: Msg) -> None:
        self.asked.append(json.loads(message.data))
        await message.respond(self.answer)


@pytest.fixture
async def sync(parts: Gateway) -> AsyncIterator[Sync]:
    fake = Sync()
    subscription = await parts.log.subscribe(oauth.SUBJECT, cb=fake.take)
    yield fake
    await subscription.unsubscribe()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No projector runs here, so there is nothing to wait for."""
    monkeypatch.setattr(positions, "PATIENCE", 0)


@pytest.fixture
async def anna(browser: Any) -> dict[str, Any]:
    me: dict[str, Any] = await browser.enter("anna")
    return me


async def begun(browser: Any, **other: str) -> dict[str, str]:
    """What the provider is told."""
    answer = await browser.post("/api/accounts/oauth/start", json={**WISH, **other})
    assert answer.status_code == 200, answer.text
    return dict(parse_qsl(urlsplit(answer.json()["url"]).query))


async def back(browser: Any, **brought: str) -> dict[str, str]:
    """Where the browser is sent on to: the wizard, and what it is told."""
    answer: httpx.Response = await browser.get("/api/accounts/oauth/callback", params=brought)
    assert answer.status_code == 303, answer.text
    where = urlsplit(answer.headers["location"])
    assert where.path == "/settings/accounts/new"
    return dict(parse_qsl(where.query))


async def last_fact(parts: Gateway, me: dict[str, Any], account_id: str) -> object:
    user_id = UUID(me["user_id"])
    subject = AccountSubjects(parts.partition(user_id), user_id, UUID(account_id)).account
    stored = await api.last(parts.log, parts.partition(user_id), subject)
    return codec.decode(stored.data) if stored else None


async def test_an_account_is_connected_by_a_code_that_only_sync_reads(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    page = await begun(browser)
    assert (page["redirect_uri"], page["login_hint"]) == (BACK, WISH["email"])
    told = await back(browser, state=page["state"], code="the code")
    (account,) = (await browser.get("/api/accounts")).json()["accounts"]
    assert told == {"connected": account["id"]}
    assert (account["email"], account["display_name"]) == (WISH["email"], "Anna")
    assert account["imap"]["auth"] == "oauth:microsoft"
    assert isinstance(await last_fact(parts, anna, account["id"]), AccountConnected)
    (asked,) = sync.asked
    code, proof = (vault.unseal(SYNC_KEY, base64.b64decode(asked[name])).decode() for name in ("code", "verifier"))
    assert (code, pkce.challenge(proof)) == ("the code", page["code_challenge"])
    assert asked["redirect_uri"] == BACK
    assert (asked["imap"]["host"], asked["imap"]["username"]) == ("outlook.office365.com", WISH["email"])


async def test_a_state_is_good_once(browser: Any, anna: dict[str, Any], sync: Sync) -> None:
    page = await begun(browser)
    assert "connected" in await back(browser, state=page["state"], code="c")
    assert await back(browser, state=page["state"], code="c") == {"sign_in": "too_late"}
    assert len(sync.asked) == 1


async def test_a_state_is_good_in_its_own_session(
    browser: Any, anna: dict[str, Any], open_browser: Callable[..., Any], sync: Sync
) -> None:
    """Whoever is sent a link with somebody else's code gets nobody else's mail."""
    page = await begun(browser)
    other = open_browser()
    await other.enter("ben")
    assert await back(other, state=page["state"], code="c") == {"sign_in": "too_late"}
    nobody = open_browser()
    assert (await nobody.get("/api/accounts/oauth/callback", params={"state": page["state"]})).status_code == 401
    assert sync.asked == []
    assert "connected" in await back(browser, state=page["state"], code="c")


async def test_a_state_is_good_for_ten_minutes(browser: Any, anna: dict[str, Any], owner: Pool, sync: Sync) -> None:
    page = await begun(browser)
    left = await owner.fetchval("SELECT extract(epoch FROM max(expires_at) - now())::int FROM sign_ins")
    assert 590 < left <= 600
    await owner.execute("UPDATE sign_ins SET expires_at = now()")
    assert await back(browser, state=page["state"], code="c") == {"sign_in": "too_late"}
    assert sync.asked == []


@pytest.mark.parametrize("state", ["", "x", "\0", "é" * 5000])
async def test_a_state_that_nobody_began_is_none(browser: Any, anna: dict[str, Any], sync: Sync, state: str) -> None:
    assert await back(browser, state=state, code="c") == {"sign_in": "too_late"}


async def test_who_says_no_at_the_provider_comes_back_with_nothing(
    browser: Any, anna: dict[str, Any], sync: Sync
) -> None:
    page = await begun(browser)
    assert await back(browser, state=page["state"], error="access_denied") == {"sign_in": "denied"}
    assert sync.asked == []
    assert (await browser.get("/api/accounts")).json() == {"accounts": []}


@pytest.mark.parametrize("code", ["sign_in_failed", "not_set_up", "auth_failed"])
async def test_what_does_not_work_leaves_nothing(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync, code: str
) -> None:
    sync.answer = json.dumps({"error": {"code": code, "detail": "no"}}).encode()
    page = await begun(browser)
    assert await back(browser, state=page["state"], code="c") == {"sign_in": code}
    async with as_user(parts.db, UUID(anna["user_id"])) as db:
        assert await db.fetchval("SELECT count(*) FROM accounts") == 0


async def test_an_account_is_connected_again_by_its_address(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    page = await begun(browser)
    first = await back(browser, state=page["state"], code="c")
    page = await begun(browser, email="ANNA@outlook.com")
    async with as_user(parts.db, UUID(anna["user_id"])) as db:
        await db.execute("UPDATE accounts SET untold = '{credentials}'")  # as a new secret has it noted
    assert await back(browser, state=page["state"], code="d") == first
    assert [one["account_id"] for one in sync.asked] == [first["connected"]] * 2
    fact = await last_fact(parts, anna, first["connected"])
    assert isinstance(fact, AccountChanged)
    assert fact.fields == ["credentials"]


async def test_a_provider_that_is_not_set_up_is_said_to_be_none(browser: Any, anna: dict[str, Any]) -> None:
    answer = await browser.post("/api/accounts/oauth/start", json={**WISH, "provider": "google"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_set_up")
    assert (await browser.get("/api/config")).json()["oauth"] == ["microsoft"]


@pytest.mark.parametrize(
    "change", [{"email": "anna"}, {"provider": "other"}, {"display_name": "a\0b"}, {"account_id": "x"}]
)
async def test_a_wish_that_can_not_be_is_refused(browser: Any, anna: dict[str, Any], change: dict[str, str]) -> None:
    assert (await browser.post("/api/accounts/oauth/start", json={**WISH, **change})).status_code == 400
