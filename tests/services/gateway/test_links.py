"""Links of the operator's: to sign up where not everybody may, and to choose a new password. Each works once."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from services.gateway.deps import Gateway
from services.state import links

PASSWORD = "correct horse battery"
NEW = "another horse battery"
Browsers = Callable[..., Any]


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture
def only(configured: Callable[..., None]) -> Callable[[str], None]:
    """Says who may sign up."""
    return lambda registration: configured(registration=registration)


async def register(browser: Any, localpart: str, invitation: str = "", password: str = PASSWORD) -> httpx.Response:
    body = {"localpart": localpart, "password": password, "tz": "UTC", "language": "en", "invitation": invitation}
    answer: httpx.Response = await browser.post("/api/auth/register", json=body)
    return answer


async def test_where_registration_is_closed_no_link_opens_it(
    browser: Any, parts: Gateway, only: Callable[[str], None]
) -> None:
    only("closed")
    invitation = await links.invite(parts.db, timedelta(days=1))
    assert refused(await register(browser, "anna", invitation)) == (403, "registration_closed")
    assert (await browser.get("/api/config")).json()["registration"] == "closed"


async def test_an_invitation_lets_one_person_in(
    open_browser: Browsers, parts: Gateway, only: Callable[[str], None]
) -> None:
    only("invite")
    invitation = await links.invite(parts.db, timedelta(days=1))
    assert refused(await register(open_browser(), "anna")) == (403, "invitation_needed")
    assert refused(await register(open_browser(), "anna", "made-up")) == (403, "invitation_needed")
    assert refused(await register(open_browser(), "anna", invitation, "short")) == (400, "weak_password")
    answers = await asyncio.gather(*(register(open_browser(), name, invitation) for name in ("anna", "bob", "eve")))
    assert sorted(answer.status_code for answer in answers) == [201, 403, 403]
    assert refused(await register(open_browser(), "carol", invitation)) == (403, "invitation_needed")


async def test_whose_handle_is_taken_keeps_the_invitation(
    open_browser: Browsers, parts: Gateway, only: Callable[[str], None]
) -> None:
    await open_browser().sign_up("anna")
    only("invite")
    invitation = await links.invite(parts.db, timedelta(days=1))
    assert refused(await register(open_browser(), "anna", invitation)) == (409, "handle_taken")
    assert (await register(open_browser(), "bob", invitation)).status_code == 201


async def test_an_invitation_expires(browser: Any, parts: Gateway, only: Callable[[str], None]) -> None:
    only("invite")
    invitation = await links.invite(parts.db, timedelta(0))
    assert refused(await register(browser, "anna", invitation)) == (403, "invitation_needed")


async def test_the_first_user_is_administrator_and_only_such_may_invite(
    open_browser: Browsers, only: Callable[[str], None]
) -> None:
    anna, bob = open_browser(), open_browser()
    assert (await anna.sign_up("anna"))["is_admin"] is True
    assert (await bob.sign_up("bob"))["is_admin"] is False
    assert (await anna.get("/api/auth/me")).json()["is_admin"] is True
    only("invite")
    assert refused(await bob.post("/api/auth/invitations")) == (403, "forbidden")
    page, _, token = (await anna.post("/api/auth/invitations")).json()["path"].partition("#")
    assert page == "/register"
    assert (await register(open_browser(), "carol", token)).status_code == 201


async def test_two_who_are_first_at_once_are_not_both_administrators(open_browser: Browsers) -> None:
    answers = await asyncio.gather(*(register(open_browser(), name) for name in ("anna", "bob", "carol", "dora")))
    assert sorted(answer.json()["is_admin"] for answer in answers) == [False, False, False, True]


async def reset(browser: Any, token: str, password: str = NEW) -> httpx.Response:
    answer: httpx.Response = await browser.post(
        "/api/auth/password/reset", json={"token": token, "new_password": password}
    )
    return answer


async def test_a_link_changes_the_password_once_and_ends_every_session(open_browser: Browsers, parts: Gateway) -> None:
    anna = open_browser()
    token = await links.reset(parts.db, UUID((await anna.sign_up("anna"))["user_id"]))
    assert refused(await reset(open_browser(), token, "short")) == (400, "weak_password")
    answers = await asyncio.gather(*(reset(open_browser(), token) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [204, 400, 400]
    assert (await anna.get("/api/auth/me")).status_code == 401
    assert (await open_browser().sign_in("anna")).status_code == 401
    assert (await open_browser().sign_in("anna", NEW)).status_code == 200
    assert refused(await reset(open_browser(), token, PASSWORD)) == (400, "link_useless")


async def test_a_link_signs_nobody_in(open_browser: Browsers, parts: Gateway) -> None:
    """The second factor is still asked for."""
    me = await open_browser().sign_up("anna")
    other = open_browser()
    assert (await reset(other, await links.reset(parts.db, UUID(me["user_id"])))).status_code == 204
    assert (await other.get("/api/auth/me")).status_code == 401


async def test_only_the_last_link_works_and_for_half_an_hour(open_browser: Browsers, parts: Gateway) -> None:
    user_id = UUID((await open_browser().sign_up("anna"))["user_id"])
    old, new = await links.reset(parts.db, user_id), await links.reset(parts.db, user_id)
    assert refused(await reset(open_browser(), old)) == (400, "link_useless")
    assert await parts.db.fetchval("SELECT expires_at - created_at FROM links") == timedelta(minutes=30)
    await links.invite(parts.db, timedelta(days=1))
    assert (await reset(open_browser(), new)).status_code == 204


@pytest.mark.parametrize("token", ["", "x", "\0", "é" * 1000])
async def test_a_made_up_token_is_answered_like_one_that_is_too_old(browser: Any, token: str) -> None:
    assert refused(await reset(browser, token)) == (400, "link_useless")


async def test_an_invitation_changes_no_password(browser: Any, parts: Gateway) -> None:
    invitation = await links.invite(parts.db, timedelta(days=1))
    assert refused(await reset(browser, invitation)) == (400, "link_useless")


async def test_guessing_tokens_is_counted(browser: Any) -> None:
    answers = [await reset(browser, f"guess {n}") for n in range(31)]
    assert [answer.status_code for answer in answers] == [400] * 30 + [429]
