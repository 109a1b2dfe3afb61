"""Signing up, in and out; what a session is worth and when it ends."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx
import pytest
from nats.aio.msg import Msg

from contracts.codec import decode_event
from contracts.events import UserActive
from services.gateway.auth.passwords import Passwords
from services.gateway.deps import Gateway

PASSWORD = "correct horse battery"
Browsers = Callable[..., Any]


def code(answer: httpx.Response) -> str:
    error = answer.json()["error"]
    assert set(error) == {"code", "message"}
    assert error["message"]
    return str(error["code"])


async def test_whoever_signs_up_is_signed_in(browser: Any) -> None:
    me = await browser.sign_up("Anna.Nowak")
    assert me["handle"] == "anna.nowak@mail.test"
    assert (me["settings"]["tz"], me["settings"]["language"]) == ("Europe/Warsaw", "pl")
    assert (await browser.get("/api/auth/me")).json() == me


async def test_the_session_cookie_is_for_this_host_over_tls_and_not_for_scripts(browser: Any) -> None:
    await browser.sign_up("anna")
    answer = await browser.sign_in("anna")
    session, csrf = sorted(answer.headers.get_list("set-cookie"), key=lambda cookie: "csrf" in cookie)
    for cookie in (session, csrf):
        assert {"Secure", "Path=/", "SameSite=lax", f"Max-Age={30 * 86400}"} <= set(cookie.split("; "))
        assert "Domain" not in cookie
    assert session.startswith("__Host-session=")
    assert "HttpOnly" in session
    assert "HttpOnly" not in csrf


@pytest.mark.parametrize("handle", ["anna", "ANNA", " anna@mail.test "])
async def test_one_signs_in_by_the_localpart_or_all_of_the_handle(open_browser: Browsers, handle: str) -> None:
    await open_browser().sign_up("anna")
    assert (await open_browser().sign_in(handle)).status_code == 200


@pytest.mark.parametrize("handle", ["nobody-here", "anna@elsewhere.test", "", "an\0nette", "x" * 9000])
async def test_an_unknown_handle_is_answered_like_a_wrong_password(open_browser: Browsers, handle: str) -> None:
    await open_browser().sign_up("anna")
    unknown, wrong = await open_browser().sign_in(handle), await open_browser().sign_in("anna", "wrong wrong wrong")
    assert (unknown.status_code, unknown.json()) == (wrong.status_code, wrong.json())
    assert unknown.status_code == 401
    assert code(unknown) == "invalid_credentials"


async def test_an_unknown_handle_costs_as_much_work() -> None:
    passwords = Passwords()
    known = await passwords.hash(PASSWORD)
    assert await passwords.verify(known, PASSWORD)
    assert known.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert passwords.nobodys.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert not await passwords.verify(None, "of nobody")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"localpart": "ab"}, "invalid_handle"),
        ({"localpart": "a" * 31}, "invalid_handle"),
        ({"localpart": ".anna"}, "invalid_handle"),
        ({"localpart": "an..na"}, "invalid_handle"),
        ({"localpart": "anna-"}, "invalid_handle"),
        ({"localpart": "żółć"}, "invalid_handle"),
        ({"localpart": "anna@x"}, "invalid_handle"),
        ({"localpart": "an\0na"}, "invalid_handle"),
        ({"localpart": "Postmaster"}, "reserved_handle"),
        ({"localpart": "no.reply"}, "reserved_handle"),
        ({"password": "short"}, "weak_password"),
        ({"password": "password123"}, "weak_password"),
        ({"password": "a" * 257}, "weak_password"),
        ({"password": "aaaaaaaaaaaa"}, "weak_password"),
        ({"tz": "Europe/Atlantis"}, "invalid_timezone"),
        ({"tz": "../../etc/passwd"}, "invalid_timezone"),
        ({"language": "tlh"}, "invalid_request"),
        ({"admin": True}, "invalid_request"),
    ],
)
async def test_a_bad_registration_says_what_is_wrong(browser: Any, change: dict[str, Any], expected: str) -> None:
    body = {"localpart": "anna", "password": PASSWORD, "tz": "UTC", "language": "en"}
    answer = await browser.post("/api/auth/register", json={**body, **change})
    assert answer.status_code == 400
    assert code(answer) == expected


async def test_a_handle_is_taken_once_whatever_its_case(open_browser: Browsers) -> None:
    await open_browser().sign_up("anna")
    body = {"localpart": "ANNA", "password": PASSWORD, "tz": "UTC", "language": "en"}
    answer = await open_browser().post("/api/auth/register", json=body)
    assert (answer.status_code, code(answer)) == (409, "handle_taken")


async def test_two_who_want_one_handle_at_once_do_not_both_get_it(open_browser: Browsers) -> None:
    body = {"localpart": "anna", "password": PASSWORD, "tz": "UTC", "language": "en"}
    answers = await asyncio.gather(*(open_browser().post("/api/auth/register", json=body) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]


async def test_after_signing_out_the_cookie_is_worth_nothing(browser: Any) -> None:
    await browser.sign_up("anna")
    token = browser.cookies["__Host-session"]
    assert (await browser.post("/api/auth/logout")).status_code == 204
    assert "__Host-session" not in browser.cookies
    answer = await browser.get("/api/auth/me", headers={"Cookie": f"__Host-session={token}"})
    assert (answer.status_code, code(answer)) == (401, "not_signed_in")


async def test_signing_in_again_ends_the_session_that_the_browser_had(browser: Any) -> None:
    await browser.sign_up("anna")
    old = browser.cookies["__Host-session"]
    await browser.sign_in("anna")
    assert browser.cookies["__Host-session"] != old
    assert (await browser.get("/api/auth/me")).status_code == 200
    answer = await browser.get("/api/auth/me", headers={"Cookie": f"__Host-session={old}"})
    assert answer.status_code == 401


async def test_only_a_hash_of_the_token_is_kept(browser: Any, parts: Gateway) -> None:
    await browser.sign_up("anna")
    kept = await parts.db.fetchval("SELECT encode(token_hash, 'escape') || sessions::text FROM sessions")
    assert browser.cookies["__Host-session"] not in kept


async def test_a_session_slides_while_it_is_used_and_expires_when_not(
    browser: Any, parts: Gateway, database: str
) -> None:
    await browser.sign_up("anna")
    sql = "UPDATE sessions SET last_seen_at = now() - interval '29 days', expires_at = now() + interval '1 day'"
    await parts.db.execute(sql)
    assert (await browser.get("/api/auth/me")).status_code == 200
    left = await parts.db.fetchval("SELECT expires_at - now() FROM sessions")
    assert left.days == 29
    await parts.db.execute("UPDATE sessions SET expires_at = now()")
    answer = await browser.get("/api/auth/me")
    assert (answer.status_code, code(answer)) == (401, "not_signed_in")


async def test_ten_wrong_passwords_lock_a_handle_for_every_network(open_browser: Browsers) -> None:
    await open_browser("192.0.2.9").sign_up("anna")
    for n in range(10):
        assert (await open_browser(f"192.0.2.{n}").sign_in("anna", "wrong wrong wrong")).status_code == 401
    answer = await open_browser("198.51.100.7").sign_in("ANNA@mail.test")
    assert (answer.status_code, code(answer)) == (429, "too_many_attempts")
    assert 0 < int(answer.headers["retry-after"]) <= 900


async def test_ten_wrong_passwords_lock_a_network_for_every_handle(open_browser: Browsers) -> None:
    await open_browser().sign_up("anna")
    for n in range(10):
        assert (await open_browser(f"2001:db8:1:1::{n:x}").sign_in(f"who-{n}", "wrong wrong wrong")).status_code == 401
    assert (await open_browser("2001:db8:1:1::ffff").sign_in("anna")).status_code == 429
    assert (await open_browser("2001:db8:1:2::1").sign_in("anna")).status_code == 200


async def test_attempts_made_at_once_are_all_counted(open_browser: Browsers) -> None:
    await open_browser().sign_up("anna")
    tries = (open_browser(f"192.0.2.{n}").sign_in("anna", "wrong wrong wrong") for n in range(14))
    answers = await asyncio.gather(*tries)
    assert sorted(answer.status_code for answer in answers) == [401] * 10 + [429] * 4


async def test_good_logins_are_not_counted(open_browser: Browsers) -> None:
    await open_browser().sign_up("anna")
    for _ in range(12):
        assert (await open_browser().sign_in("anna")).status_code == 200


async def test_a_lock_ends_with_its_window(open_browser: Browsers, parts: Gateway) -> None:
    await open_browser().sign_up("anna")
    for _ in range(11):
        await open_browser().sign_in("anna", "wrong wrong wrong")
    assert (await open_browser().sign_in("anna")).status_code == 429
    await parts.db.execute("UPDATE attempts SET opened_at = opened_at - interval '15 minutes'")
    assert (await open_browser().sign_in("anna")).status_code == 200


async def test_signing_in_tells_sync_that_somebody_is_looking(browser: Any, parts: Gateway) -> None:
    heard: asyncio.Queue[Msg] = asyncio.Queue()
    subscription = await parts.log.subscribe("event.*.user.active", cb=heard.put)
    me = await browser.sign_up("anna")
    message = await asyncio.wait_for(heard.get(), 5)
    assert message.subject == f"event.{me['user_id']}.user.active"
    assert decode_event(message.data) == UserActive(user_id=UUID(me["user_id"]))
    await subscription.unsubscribe()
