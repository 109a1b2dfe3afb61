"""The client's files, compressed and kept as a browser should keep them, and its page for its own routes."""

from pathlib import Path
from typing import Any

import pytest

from services.gateway.security import APP_CSP
from services.gateway.static.bundle import load

ASSET = "/assets/app-Ab3dE_9x.js"


@pytest.mark.parametrize("path", ["/", "/mail", "/mail/t/0f6c", "/settings/accounts/new", "/login"])
async def test_every_route_of_the_client_is_its_page(browser: Any, path: str) -> None:
    answer = await browser.get(path)
    assert answer.status_code == 200
    assert answer.text == "<!doctype html><title>Webmail</title>"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"] == APP_CSP
    assert answer.headers["strict-transport-security"]


@pytest.mark.parametrize(
    ("accepts", "coding", "body"),
    [("br, gzip", "br", b"brotli"), ("gzip", "gzip", b"gzip"), ("", None, b"plain"), ("br;q=0, gzip", "gzip", b"gzip")],
)
async def test_an_asset_is_kept_for_ever_and_sent_compressed(
    browser: Any, accepts: str, coding: str | None, body: bytes
) -> None:
    async with browser.stream("GET", ASSET, headers={"Accept-Encoding": accepts}) as answer:
        sent = b"".join([piece async for piece in answer.aiter_raw()])
    assert sent == body
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["vary"] == "Accept-Encoding"


async def test_the_page_may_be_asked_for_without_its_body(browser: Any) -> None:
    answer = await browser.head("/mail")
    assert (answer.status_code, answer.content) == (200, b"")


async def test_a_file_without_a_hash_in_its_name_is_asked_for_again(browser: Any) -> None:
    answer = await browser.get("/favicon.svg")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    "path", ["/assets/gone-12345678.js", "/assets/app-Ab3dE_9x.js.br", "/..%2f..%2fetc/passwd.txt", "/.env"]
)
async def test_a_file_that_is_not_in_the_bundle_is_not_found(browser: Any, path: str) -> None:
    answer = await browser.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_an_unbuilt_bundle_is_empty(tmp_path: Path) -> None:
    assert load(tmp_path / "nothing").index is None
