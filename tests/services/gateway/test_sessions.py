"""Sessions: seen by their user, ended one by one or all at once, and worth nothing to whoever planted one."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx
import pytest

from services.gateway.deps import Gateway
from services.gateway.realtime.hub import REVOKED, Socket
from services.state import sessions

PASSWORD = "correct horse battery"
NEW = "another horse battery"
Browsers = Callable[..., Any]


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture
async def anna(browser: Any) -> Any:
    await browser.sign_up("anna")
    return browser


async def test_each_session_tells_its_browser_its_network_and_which_is_this_one(
    anna: Any, open_browser: Browsers
) -> None:
    phone = open_browser("2001:db8:1:2::7")
    phone.headers["User-Agent"] = "Phone/1.0"
    await phone.sign_in("anna")
    first, second = (await phone.get("/api/auth/sessions")).json()["sessions"]
    assert (first["user_agent"], first["network"], first["current"]) == ("Phone/1.0", "2001:db8:1:2::/64", True)
    assert (second["network"], second["current"]) == ("192.0.2.1", False)
    assert first["created_at"] <= first["last_seen_at"]


async def test_a_session_that_moves_is_seen_where_it_is(anna: Any, open_browser: Browsers) -> None:
    elsewhere = open_browser("203.0.113.9")
    elsewhere.cookies = anna.cookies
    (one,) = (await elsewhere.get("/api/auth/sessions")).json()["sessions"]
    assert one["network"] == "203.0.113.9"


async def test_what_is_ended_is_worth_nothing_at_once(anna: Any, open_browser: Browsers) -> None:
    other = open_browser()
    await other.sign_in("anna")
    (ended,) = [one for one in (await anna.get("/api/auth/sessions")).json()["sessions"] if not one["current"]]
    assert (await anna.delete(f"/api/auth/sessions/{ended['id']}")).status_code == 204
    assert (await other.get("/api/auth/me")).status_code == 401
    assert (await anna.get("/api/auth/me")).status_code == 200
    assert refused(await anna.delete(f"/api/auth/sessions/{ended['id']}")) == (404, "not_found")


async def test_all_others_end_at_once_and_their_sockets_too(anna: Any, open_browser: Browsers, parts: Gateway) -> None:
    others = [open_browser(), open_browser()]
    for other in others:
        await other.sign_in("anna")
    session = await sessions.find(parts.db, others[0].cookies["__Host-session"], 30)
    assert session is not None
    socket = Socket(session)
    async with parts.hub.joined(socket):
        assert (await anna.delete("/api/auth/sessions")).status_code == 204
        assert [frame async for frame in socket.frames()] == []
    assert socket.close_code == REVOKED
    assert [(await other.get("/api/auth/me")).status_code for other in others] == [401, 401]
    assert len((await anna.get("/api/auth/sessions")).json()["sessions"]) == 1


async def test_another_password_ends_all_other_sessions(anna: Any, open_browser: Browsers) -> None:
    other = open_browser()
    await other.sign_in("anna")
    change = {"password": PASSWORD, "new_password": NEW}
    assert (await anna.post("/api/auth/password", json=change)).status_code == 204
    assert (await other.get("/api/auth/me")).status_code == 401
    assert (await anna.get("/api/auth/me")).status_code == 200
    assert (await open_browser().sign_in("anna")).status_code == 401
    assert (await open_browser().sign_in("anna", NEW)).status_code == 200


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"password": "wrong wrong wrong", "new_password": NEW}, (403, "wrong_password")),
        ({"password": "x" * 300, "new_password": NEW}, (403, "wrong_password")),
        ({"password": PASSWORD, "new_password": "short"}, (400, "weak_password")),
        ({"password": PASSWORD, "new_password": "anna123"}, (400, "weak_password")),
    ],
)
async def test_a_password_is_changed_by_who_knows_it_to_one_that_will_do(
    anna: Any, open_browser: Browsers, change: dict[str, str], expected: tuple[int, str]
) -> None:
    assert refused(await anna.post("/api/auth/password", json=change)) == expected
    assert (await open_browser().sign_in("anna")).status_code == 200


async def test_a_session_alone_does_not_find_out_the_password(anna: Any) -> None:
    change = {"password": "wrong wrong wrong", "new_password": NEW}
    answers = [await anna.post("/api/auth/password", json=change) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [403] * 10 + [429]
    right = await anna.post("/api/auth/password", json={"password": PASSWORD, "new_password": NEW})
    assert refused(right) == (429, "too_many_attempts")


@pytest.mark.parametrize("planted", ["made up", "the attacker's own"])
async def test_a_session_planted_before_signing_in_is_not_the_one_afterwards(
    open_browser: Browsers, planted: str
) -> None:
    """Session fixation: whoever put a cookie into the browser must not share the session that follows."""
    await open_browser().sign_up("anna")
    attacker, victim = open_browser(), open_browser()
    await attacker.sign_up("mallory")
    token = attacker.cookies["__Host-session"] if planted != "made up" else "x" * 43
    body = {"handle": "anna", "password": PASSWORD}
    answer = await victim.post("/api/auth/login", json=body, headers={"Cookie": f"__Host-session={token}"})
    assert answer.status_code == 200
    assert victim.cookies["__Host-session"] != token
    held = await open_browser().get("/api/auth/me", headers={"Cookie": f"__Host-session={token}"})
    assert held.status_code == 401
    assert (await victim.get("/api/auth/me")).json()["handle"] == "anna@mail.test"


async def test_nothing_is_left_of_an_ended_session(anna: Any, parts: Gateway) -> None:
    me = (await anna.get("/api/auth/me")).json()
    await anna.post("/api/auth/logout")
    assert await sessions.listed(parts.db, UUID(me["user_id"])) == []
