"""Passkeys: made, looked after, and signed in by; and every way to sign in by one that is not yours fails alike."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from services.gateway.deps import Gateway
from tests.support.authenticator import PRESENT, Authenticator

PASSWORD = "correct horse battery"
ORIGIN = "https://mail.test"
Browsers = Callable[..., Any]


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def make(browser: Any, device: Authenticator, name: str = "laptop") -> httpx.Response:
    begun = await browser.post("/api/auth/passkeys/options", json={"password": PASSWORD})
    assert begun.status_code == 200, begun.text
    credential = device.create(begun.json()["options"])
    return await browser.post("/api/auth/passkeys", json={"name": name, "credential": credential})


async def sign(browser: Any, device: Authenticator) -> httpx.Response:
    begun = await browser.post("/api/auth/passkeys/challenge")
    credential = device.get(begun.json()["options"])
    return await browser.post("/api/auth/passkeys/login", json={"credential": credential})


@pytest.fixture
async def anna(browser: Any) -> Any:
    await browser.sign_up("anna")
    return browser


@pytest.fixture
async def device(anna: Any) -> Authenticator:
    """One that Anna has made a key in."""
    device = Authenticator(ORIGIN)
    assert (await make(anna, device)).status_code == 201
    return device


@pytest.mark.parametrize("counts", [True, False])
async def test_one_signs_in_by_a_passkey_and_nothing_else(anna: Any, open_browser: Browsers, counts: bool) -> None:
    device = Authenticator(ORIGIN, counts=counts)
    assert (await make(anna, device)).status_code == 201
    other = open_browser()
    for _ in range(2):
        answer = await sign(other, device)
        assert (answer.status_code, answer.json()["handle"]) == (200, "anna@mail.test")
    assert (await other.get("/api/auth/me")).json() == (await anna.get("/api/auth/me")).json()
    assert "__Host-passkey" not in other.cookies


async def test_the_challenges_cookie_is_for_this_host_and_not_for_scripts(browser: Any) -> None:
    answer = await browser.post("/api/auth/passkeys/challenge")
    (cookie,) = answer.headers.get_list("set-cookie")
    assert cookie.startswith("__Host-passkey=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=strict", "Max-Age=300"} <= set(cookie.split("; "))
    assert answer.json()["options"]["userVerification"] == "required"


async def test_a_passkey_needs_the_password_once_more(anna: Any) -> None:
    answer = await anna.post("/api/auth/passkeys/options", json={"password": "wrong wrong wrong"})
    assert refused(answer) == (403, "wrong_password")


async def test_passkeys_are_listed_renamed_and_removed(
    anna: Any, device: Authenticator, open_browser: Browsers
) -> None:
    (key,) = (await anna.get("/api/auth/passkeys")).json()["passkeys"]
    assert (key["name"], key["last_used_at"]) == ("laptop", None)
    address = f"/api/auth/passkeys/{key['id']}"
    assert (await anna.patch(address, json={"name": "  old \0 laptop "})).json()["name"] == "old laptop"
    assert refused(await anna.patch(address, json={"name": " \t"})) == (400, "invalid_name")
    assert (await sign(open_browser(), device)).status_code == 200
    (key,) = (await anna.get("/api/auth/passkeys")).json()["passkeys"]
    assert key["last_used_at"] is not None
    assert (await anna.delete(address)).status_code == 204
    assert (await anna.get("/api/auth/passkeys")).json() == {"passkeys": []}
    assert refused(await sign(open_browser(), device)) == (401, "passkey_unknown")


async def test_a_device_learns_which_keys_there_are_and_makes_no_second(anna: Any, device: Authenticator) -> None:
    options = (await anna.post("/api/auth/passkeys/options", json={"password": PASSWORD})).json()["options"]
    assert len(options["excludeCredentials"]) == 1
    assert options["rp"]["id"] == "mail.test"
    assert refused(await make(anna, device)) == (409, "passkey_exists")


async def test_one_user_has_twenty_at_most(anna: Any, parts: Gateway) -> None:
    insert = (
        "INSERT INTO passkeys (user_id, credential_id, public_key, sign_count, name) "
        "SELECT u.id, convert_to(n::text, 'UTF8'), '', 0, 'x' FROM users u, generate_series(1, 20) n"
    )
    await parts.db.execute(insert)
    answer = await anna.post("/api/auth/passkeys/options", json={"password": PASSWORD})
    assert refused(answer) == (409, "too_many_passkeys")


async def test_a_challenge_is_answered_once(anna: Any, device: Authenticator, open_browser: Browsers) -> None:
    other = open_browser()
    options = (await other.post("/api/auth/passkeys/challenge")).json()["options"]
    cookie = {"Cookie": f"__Host-passkey={other.cookies['__Host-passkey']}"}
    body = {"credential": device.get(options)}
    answers = await asyncio.gather(
        *(open_browser().post("/api/auth/passkeys/login", json=body, headers=cookie) for _ in range(3))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401]


async def test_a_challenge_is_the_browsers_that_asked_for_it(device: Authenticator, open_browser: Browsers) -> None:
    """Whoever has seen one pass by can't use it elsewhere, nor make somebody sign in as themselves."""
    victim, attacker = open_browser(), open_browser()
    options = (await victim.post("/api/auth/passkeys/challenge")).json()["options"]
    await attacker.post("/api/auth/passkeys/challenge")
    body = {"credential": device.get(options)}
    assert refused(await attacker.post("/api/auth/passkeys/login", json=body)) == (401, "passkey_unknown")
    assert refused(await open_browser().post("/api/auth/passkeys/login", json=body)) == (401, "passkey_unknown")


async def test_a_challenge_expires(device: Authenticator, browser: Any, open_browser: Browsers, parts: Gateway) -> None:
    other = open_browser()
    options = (await other.post("/api/auth/passkeys/challenge")).json()["options"]
    await parts.db.execute("UPDATE challenges SET expires_at = now()")
    answer = await other.post("/api/auth/passkeys/login", json={"credential": device.get(options)})
    assert refused(answer) == (401, "passkey_unknown")


async def test_a_key_made_for_one_session_is_not_taken_from_another(anna: Any, open_browser: Browsers) -> None:
    options = (await anna.post("/api/auth/passkeys/options", json={"password": PASSWORD})).json()["options"]
    credential = Authenticator(ORIGIN).create(options)
    other = open_browser()
    await other.sign_in("anna")
    answer = await other.post("/api/auth/passkeys", json={"name": "x", "credential": credential})
    assert refused(answer) == (400, "passkey_refused")


@pytest.mark.parametrize("lie", ["origin", "unverified", "copied", "another key", "another user", "no user"])
async def test_what_does_not_prove_its_owner_signs_nobody_in(
    device: Authenticator, open_browser: Browsers, lie: str
) -> None:
    browser = open_browser()
    match lie:
        case "origin":
            device.origin = "https://mail.test.evil.test"
        case "unverified":
            device.flags = PRESENT
        case "copied":
            device.count = -1  # the next one is 0, which has been
        case "another key":
            device._key = Authenticator(ORIGIN)._key
        case "another user":
            device.user = bytes(16)
        case "no user":
            device.user = b""
    assert refused(await sign(browser, device)) == (401, "passkey_unknown")
    assert (await browser.get("/api/auth/me")).status_code == 401


async def test_a_counter_that_stands_still_is_a_copied_key(device: Authenticator, open_browser: Browsers) -> None:
    assert (await sign(open_browser(), device)).status_code == 200
    device.count -= 1
    assert refused(await sign(open_browser(), device)) == (401, "passkey_unknown")


@pytest.mark.parametrize("lie", ["origin", "unverified", "another site"])
async def test_a_key_that_is_not_for_us_is_not_taken(anna: Any, lie: str) -> None:
    device = Authenticator("https://evil.test" if lie == "origin" else ORIGIN)
    if lie == "unverified":
        device.flags = PRESENT
    options = (await anna.post("/api/auth/passkeys/options", json={"password": PASSWORD})).json()["options"]
    if lie == "another site":
        options["rp"]["id"] = "evil.test"
    answer = await anna.post("/api/auth/passkeys", json={"name": "x", "credential": device.create(options)})
    assert refused(answer) == (400, "passkey_refused")


@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"id": 7},
        {"id": "", "response": {}},
        {"id": "é", "response": None},
        {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {"userHandle": "AAAA"}},
        {"id": "AAAA", "response": {"attestationObject": "////", "clientDataJSON": "////"}},
    ],
)
async def test_bytes_that_are_no_credential_are_refused(anna: Any, open_browser: Browsers, credential: object) -> None:
    other = open_browser()
    await other.post("/api/auth/passkeys/challenge")
    answer = await other.post("/api/auth/passkeys/login", json={"credential": credential})
    assert refused(answer) == (401, "passkey_unknown")
    await anna.post("/api/auth/passkeys/options", json={"password": PASSWORD})
    answer = await anna.post("/api/auth/passkeys", json={"name": "x", "credential": credential})
    assert refused(answer) == (400, "passkey_refused")


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://mail.test", "mail.test"),
        ("https://webmail.mail.test:8443", "mail.test"),
        ("https://elsewhere.test", "elsewhere.test"),
        ("https://notmail.test", "notmail.test"),
    ],
)
async def test_keys_are_for_the_domain_of_handles_or_for_the_pages_own_host(
    browser: Any, address: str, site: str
) -> None:
    answer = await browser.post(f"{address}/api/auth/passkeys/challenge")
    assert answer.json()["options"]["rpId"] == site


async def test_ten_bad_passkeys_lock_the_network(device: Authenticator, open_browser: Browsers) -> None:
    device.user = b""
    for _ in range(10):
        assert (await sign(open_browser("198.51.100.7"), device)).status_code == 401
    answer = await sign(open_browser("198.51.100.7"), device)
    assert refused(answer) == (429, "too_many_attempts")
