"""Leaving for good: with the password, at once, and nobody comes back by what is left."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from contracts.codec import decode
from contracts.facts import AccountRemoved
from contracts.subjects import AccountSubjects
from services.gateway.deps import Gateway
from services.log import api
from services.state import links
from tests.services.gateway.test_passkeys import make, sign
from tests.support.authenticator import Authenticator

PASSWORD = "correct horse battery"
Browsers = Callable[..., Any]


async def leave(browser: Any, password: str = PASSWORD) -> httpx.Response:
    answer: httpx.Response = await browser.request("DELETE", "/api/auth/me", json={"password": password})
    return answer


@pytest.mark.parametrize("password", ["wrong wrong wrong", ""])
async def test_nobody_leaves_without_the_password(browser: Any, password: str) -> None:
    await browser.sign_up("anna")
    assert (await leave(browser, password)).status_code == 403
    assert (await browser.get("/api/auth/me")).status_code == 200


async def test_whoever_left_can_not_come_back_by_any_way(open_browser: Browsers, parts: Gateway) -> None:
    anna, other, device = open_browser(), open_browser(), Authenticator("https://mail.test")
    me = await anna.sign_up("anna")
    await make(anna, device)
    await other.sign_in("anna")
    link = await links.reset(parts.db, UUID(me["user_id"]))
    answer = await leave(anna)
    assert answer.status_code == 204
    assert "__Host-session" not in anna.cookies
    assert (await other.get("/api/auth/me")).status_code == 401
    assert (await open_browser().sign_in("anna")).status_code == 401
    assert (await sign(open_browser(), device)).status_code == 401
    reset = await open_browser().post("/api/auth/password/reset", json={"token": link, "new_password": PASSWORD})
    assert reset.status_code == 400


async def test_every_account_is_removed_and_the_log_told(
    open_browser: Browsers, parts: Gateway, mail_of: Callable[..., Awaitable[Any]], database: str
) -> None:
    anna, bob = open_browser(), open_browser()
    me = await anna.sign_up("anna")
    first, second = await mail_of(me, "a@example.org"), await mail_of(me, "b@example.org")
    bobs = await mail_of(await bob.enter("bob"), "b@example.org")
    assert (await leave(anna)).status_code == 204
    for mail in (first, second):
        subject = AccountSubjects(0, mail.account.user_id, mail.account.account_id).account
        told = await api.last(parts.log, 0, subject)
        assert told is not None
        assert isinstance(decode(told.data), AccountRemoved)
    with psycopg.connect(database) as owner:
        left = owner.execute("SELECT id, status, settled FROM accounts ORDER BY status").fetchall()
    assert [(status, settled) for _, status, settled in left] == [
        ("active", True),
        ("removed", True),
        ("removed", True),
    ]
    assert left[0][0] == bobs.account.account_id
    assert (await bob.get("/api/auth/me")).status_code == 200


async def test_the_handle_is_nobodys_until_everything_is_erased(open_browser: Browsers) -> None:
    anna = open_browser()
    await anna.sign_up("anna")
    await leave(anna)
    body = {"localpart": "anna", "password": PASSWORD, "tz": "UTC", "language": "en"}
    answer = await open_browser().post("/api/auth/register", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "handle_taken")
