"""Nothing is changed for a page that is not ours: every changing route of the API, walked from its own document."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.services.gateway.test_isolation import PUBLIC, SPEC

SOMETHING = "00000000-0000-0000-0000-000000000000"


def changes() -> Iterator[tuple[str, str]]:
    for path, methods in SPEC["paths"].items():
        for method in methods:
            if method not in {"get", "head", "options"}:
                yield method.upper(), path


def filled(path: str) -> str:
    return "/".join(SOMETHING if part.startswith("{") else part for part in path.split("/"))


def test_there_is_something_to_walk() -> None:
    assert len(list(changes())) > 25


@pytest.mark.parametrize(("method", "path"), [one for one in changes() if one[1] not in PUBLIC])
async def test_no_change_without_the_token(browser: Any, method: str, path: str) -> None:
    await browser.enter("anna")
    for token in ("", "x", browser.cookies["__Host-csrf"][:-1]):
        answer = await browser.request(method, filled(path), json={}, headers={"X-CSRF": token})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "csrf")


@pytest.mark.parametrize(("method", "path"), list(changes()))
@pytest.mark.parametrize("headers", [{"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}])
async def test_no_change_for_another_sites_page(browser: Any, method: str, path: str, headers: dict[str, str]) -> None:
    await browser.enter("anna")
    answer = await browser.request(method, filled(path), json={}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")


@pytest.mark.parametrize(("method", "path"), list(changes()))
async def test_no_change_by_what_a_form_can_send(browser: Any, method: str, path: str) -> None:
    await browser.enter("anna")
    answer = await browser.request(method, filled(path), content=b"{}", headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


PAGES = [
    *("/", "/login", "/register", "/reset", "/mail", "/mail/t/x", "/mail/search?q=x", "/anything/else"),
    *(
        "/settings/profile",
        "/settings/security",
        "/settings/accounts",
        "/settings/accounts/new",
        "/settings/appearance",
    ),
    *("/favicon.svg", "/no-such-file.js"),
]


@pytest.mark.parametrize("page", PAGES)
async def test_every_page_has_the_policy_of_the_client(browser: Any, page: str) -> None:
    answer = await browser.get(page)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    if answer.headers["content-type"].startswith("text/html"):
        assert "script-src 'self';" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["strict-transport-security"]


GETS = [path for path, methods in SPEC["paths"].items() if "get" in methods]


@pytest.mark.parametrize("path", GETS)
@pytest.mark.parametrize("signed_in", [True, False])
async def test_every_answer_of_the_api_has_a_policy_that_allows_nothing(
    browser: Any, path: str, signed_in: bool
) -> None:
    if signed_in:
        await browser.enter("anna")
    answer = await browser.get(filled(path))
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["cache-control"] == "no-store"
