"""Every error has one shape, and nothing is changed for a page that is not ours."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import psycopg
import pytest

from services.gateway.app import BODY_LIMIT
from services.gateway.deps import Gateway

Browsers = Callable[..., Any]
CHANGE = {"theme": "dark"}


def code(answer: httpx.Response) -> str:
    error = answer.json()["error"]
    assert set(answer.json()) == {"error"}
    assert set(error) == {"code", "message"}
    assert error["message"]
    return str(error["code"])


@pytest.fixture
async def anna(browser: Any) -> Any:
    await browser.enter("anna")
    return browser


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/api/nowhere", None, (404, "not_found")),
        ("GET", "/api", None, (404, "not_found")),
        ("DELETE", "/api/accounts/not-an-id", None, (404, "not_found")),
        ("GET", "/api/openapi", None, (404, "not_found")),
        ("GET", "/api/openapi/anything", None, (404, "not_found")),
        ("PUT", "/api/settings", b"{}", (405, "method_not_allowed")),
        ("POST", "/somewhere", None, (405, "method_not_allowed")),
        ("PATCH", "/api/settings", b"{", (400, "invalid_request")),
        ("PATCH", "/api/settings", b"", (400, "invalid_request")),
        ("PATCH", "/api/settings", b"[]", (400, "invalid_request")),
        ("PATCH", "/api/settings", b'{"theme":"pink"}', (400, "invalid_request")),
        ("PATCH", "/api/settings", b'{"colour":"pink"}', (400, "invalid_request")),
        ("PATCH", "/api/settings", b'{"tz":"Mars"}', (400, "invalid_timezone")),
        ("PATCH", "/api/settings", b"\xff\xfe", (400, "invalid_request")),
        ("PATCH", "/api/settings", b" " * (BODY_LIMIT + 1), (413, "too_large")),
        ("DELETE", "/api/accounts/00000000-0000-0000-0000-000000000000", None, (404, "not_found")),
    ],
)
async def test_each_failure_of_the_framework_has_the_one_shape(
    anna: Any, method: str, path: str, body: bytes | None, expected: tuple[int, str]
) -> None:
    headers = {"Content-Type": "application/json"} if body is not None else {}
    answer = await anna.request(method, path, content=body, headers=headers)
    assert (answer.status_code, code(answer)) == expected
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_fault_of_ours_says_nothing_of_itself(anna: Any, parts: Gateway) -> None:
    await parts.db.execute("UPDATE users SET settings = '{\"theme\": 7}'")
    answer = await anna.get("/api/settings")
    assert (answer.status_code, code(answer)) == (500, "internal")
    assert "theme" not in answer.text


async def test_while_the_database_is_away_requests_are_told_to_come_again(
    anna: Any, database: str, parts: Gateway
) -> None:
    """Never a fault of ours, and as soon as it is back all is well."""
    with psycopg.connect(database, autocommit=True) as owner:
        for _ in range(3):
            asked = asyncio.create_task(asyncio.wait_for(_ask_until_served(anna), 20))
            owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'webmail_gateway'")
            assert await asked <= {200, 503}


async def _ask_until_served(anna: Any) -> set[int]:
    seen = set()
    for _ in range(20):
        answer = await anna.get("/api/threads")
        seen.add(answer.status_code)
    while answer.status_code != 200:
        answer = await anna.get("/api/threads")
    return seen


async def test_a_refused_value_is_not_repeated(anna: Any) -> None:
    answer = await anna.post("/api/auth/register", json={"localpart": "x", "password": 12345678901, "tz": "UTC"})
    assert code(answer) == "invalid_request"
    assert "12345678901" not in answer.text


@pytest.mark.parametrize("token", ["", "x", None])
async def test_a_change_without_the_csrf_token_is_refused(anna: Any, token: str | None) -> None:
    headers = {"X-CSRF": ""} if token is None else {"X-CSRF": token}
    answer = await anna.patch("/api/settings", json=CHANGE, headers=headers)
    assert (answer.status_code, code(answer)) == (403, "csrf")


async def test_the_token_of_another_session_is_refused(anna: Any, open_browser: Browsers) -> None:
    other = open_browser()
    await other.enter("bob")
    theirs = other.cookies["__Host-csrf"]
    cookies = f"__Host-session={anna.cookies['__Host-session']}; __Host-csrf={theirs}"
    answer = await anna.patch("/api/settings", json=CHANGE, headers={"X-CSRF": theirs, "Cookie": cookies})
    assert (answer.status_code, code(answer)) == (403, "csrf")


async def test_the_header_alone_is_not_enough(anna: Any) -> None:
    cookies = f"__Host-session={anna.cookies['__Host-session']}"
    answer = await anna.patch("/api/settings", json=CHANGE, headers={"Cookie": cookies})
    assert (answer.status_code, code(answer)) == (403, "csrf")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Origin": "https://mail.test.evil.test"},
        {"Origin": "https://mail.test:8443"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/api/auth/login", "/api/auth/register", "/api/auth/logout"])
async def test_another_sites_page_is_refused_before_anything_else(
    anna: Any, path: str, headers: dict[str, str]
) -> None:
    answer = await anna.post(path, json={"handle": "anna", "password": "x"}, headers=headers)
    assert (answer.status_code, code(answer)) == (403, "foreign_origin")


async def test_our_own_page_is_let_through(anna: Any) -> None:
    headers = {"Origin": "https://mail.test", "Sec-Fetch-Site": "same-origin"}
    answer = await anna.patch("/api/settings", json=CHANGE, headers=headers)
    assert answer.json()["theme"] == "dark"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
async def test_a_form_can_not_send_what_only_scripts_may(browser: Any, kind: str) -> None:
    body = json.dumps({"handle": "anna", "password": "x"}).encode()
    answer = await browser.post("/api/auth/login", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, code(answer)) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("address", "secure"),
    [
        ("https://mail.test", True),
        ("http://localhost:8080", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("http://mail.test", False),
        ("http://192.168.1.5", False),
    ],
)
async def test_the_client_is_told_where_cookies_can_not_work(browser: Any, address: str, secure: bool) -> None:
    answer = await browser.get(f"{address}/api/config")
    expected = {"app_domain": "mail.test", "registration": "open", "secure": secure, "recovery": False}
    assert answer.json() == {**expected, "oauth": ["microsoft"]}
