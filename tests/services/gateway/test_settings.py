"""What a user sets is kept, one by one, and does what it says."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from services.state.settings import DEFAULT
from tests.support.given import mail

REMOTE = '<img src="https://tracker.example/p.png">'
HTML = "MIME-Version: 1.0\r\nContent-Type: text/html\r\n"


@pytest.fixture
async def anna(browser: Any) -> Any:
    await browser.enter("anna")
    return browser


async def test_settings_change_one_by_one_and_stay(anna: Any) -> None:
    assert (await anna.patch("/api/settings", json={"thread_order": "desc"})).status_code == 200
    assert (await anna.patch("/api/settings", json={"tz": "Asia/Tokyo", "undo_window": 30})).status_code == 200
    expected = {"thread_order": "desc", "tz": "Asia/Tokyo", "language": "en", "theme": "system", "undo_window": 30}
    assert (await anna.get("/api/settings")).json() == expected
    assert (await anna.get("/api/auth/me")).json()["settings"] == expected


@pytest.mark.parametrize("seconds", [-1, 61, 1.5, "long"])
async def test_an_undo_window_is_a_minute_at_most(anna: Any, seconds: object) -> None:
    assert (await anna.patch("/api/settings", json={"undo_window": seconds})).status_code == 400
    assert (await anna.get("/api/settings")).json()["undo_window"] == DEFAULT.undo_window


async def test_a_conversation_comes_in_the_order_that_its_reader_set(
    browser: Any, mail_of: Callable[..., Awaitable[Any]]
) -> None:
    inbox = await mail_of(await browser.enter("anna"))
    first = await inbox.arrived(mail("Plan", key="1"))
    second = await inbox.arrived(mail("Re: Plan", key="2", answers="1", days=1))
    thread = (await browser.get(f"/api/messages/{first}")).json()["thread_id"]

    async def order(query: str = "") -> list[str]:
        answer = await browser.get(f"/api/threads/{thread}{query}")
        return [message["id"] for message in answer.json()["messages"]]

    assert await order() == [first, second]
    await browser.patch("/api/settings", json={"thread_order": "desc"})
    assert await order() == [second, first]
    assert await order("?sort=asc") == [first, second]


async def test_a_sender_who_is_taken_off_the_list_is_asked_for_again(
    browser: Any, mail_of: Callable[..., Awaitable[Any]]
) -> None:
    inbox = await mail_of(await browser.enter("anna"))
    message = await inbox.arrived(mail("Look", key="1", more=HTML, body=REMOTE))
    await browser.post(f"/api/messages/{message}/allow-remote-images", json={"scope": "sender"})

    async def allowed() -> bool:
        shown = (await browser.get(f"/api/messages/{message}")).json()
        return bool(shown["remote_images"]["allowed"])

    assert await allowed()
    senders = (await browser.get("/api/settings/image-senders")).json()["senders"]
    assert len(senders) == 1
    taken_off = await browser.request("DELETE", "/api/settings/image-senders", json={"sender": senders[0].upper()})
    assert taken_off.status_code == 204
    assert not await allowed()
    assert (await browser.get("/api/settings/image-senders")).json() == {"senders": []}
    again = await browser.request("DELETE", "/api/settings/image-senders", json={"sender": senders[0]})
    assert again.status_code == 404
