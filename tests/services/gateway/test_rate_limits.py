"""Guessing is slow for whoever guesses and for nobody else."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from services.gateway.auth.passwords import AT_ONCE, WAITING, Passwords
from services.gateway.deps import Gateway
from services.gateway.errors import Refused

Browsers = Callable[..., Any]
WRONG = "wrong wrong wrong"


async def attempt(browser: Any, handle: str) -> httpx.Response:
    answer: httpx.Response = await browser.sign_in(handle, WRONG)
    return answer


async def test_two_hundred_attempts_at_once_at_one_handle_are_ten(open_browser: Browsers) -> None:
    """From two hundred networks; the rest are sent away with the time to wait, before any work is done for them."""
    await open_browser("203.0.113.1").sign_up("anna")
    tries = [attempt(open_browser(f"198.51.{n}.7"), "anna") for n in range(200)]
    answers = await asyncio.gather(*tries)
    assert Counter(answer.status_code for answer in answers) == {401: 10, 429: 190}
    waits = {int(answer.headers["retry-after"]) for answer in answers if answer.status_code == 429}
    assert all(0 < wait <= 900 for wait in waits)


async def test_two_hundred_attempts_at_once_from_one_network_are_ten(open_browser: Browsers) -> None:
    tries = [attempt(open_browser("198.51.100.7"), f"handle-{n}") for n in range(200)]
    answers = await asyncio.gather(*tries)
    assert Counter(answer.status_code for answer in answers) == {401: 10, 429: 190}


async def test_two_hundred_people_at_once_wait_in_a_queue_that_ends(
    open_browser: Browsers, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each from a network of their own with a handle of their own; meanwhile everybody else is served."""
    hashing = threading.Event()
    monkeypatch.setattr(parts.passwords, "_matches", lambda *_: not hashing.wait(30))
    other = open_browser("203.0.113.1")
    await other.enter("bob")
    room = WAITING + AT_ONCE
    tries = [asyncio.create_task(attempt(open_browser(f"198.51.{n}.7"), f"handle-{n}")) for n in range(200)]
    try:
        async with asyncio.timeout(20):
            while sum(one.done() for one in tries) < 200 - room:
                assert (await other.get("/api/settings")).status_code == 200
        sent_away = [one.result() for one in tries if one.done()]
    finally:
        hashing.set()
    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in sent_away} == {(503, "busy")}
    assert {answer.headers["retry-after"] for answer in sent_away} == {"10"}
    answers = await asyncio.gather(*tries)
    assert Counter(answer.status_code for answer in answers) == {401: room, 503: 200 - room}


async def test_nobody_waits_behind_a_full_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords()
    monkeypatch.setattr(passwords, "_waiting", WAITING + AT_ONCE)
    with pytest.raises(Refused) as refusal:
        await passwords.verify(None, WRONG)
    assert (refusal.value.status, refusal.value.code) == (503, "busy")


async def test_whoever_was_sent_away_is_not_in_the_queue_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords()
    monkeypatch.setattr(passwords, "_matches", lambda *_: True)
    waiting = [asyncio.create_task(passwords.verify("hash", WRONG)) for _ in range(WAITING)]
    await asyncio.sleep(0)
    for task in waiting[::2]:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert passwords._waiting == 0
    assert await passwords.verify("hash", WRONG)


async def test_signing_up_is_counted_by_network(open_browser: Browsers) -> None:
    answers = [
        await open_browser("198.51.100.7").post(
            "/api/auth/register",
            json={"localpart": f"user-{n}", "password": "correct horse battery", "tz": "UTC", "language": "en"},
        )
        for n in range(61)
    ]
    assert Counter(answer.status_code for answer in answers) == {201: 60, 429: 1}
