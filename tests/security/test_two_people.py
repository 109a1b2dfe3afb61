"""Two people on one running installation: nothing of the one reaches the other, by event, by link or by a guessed name."""

import asyncio
import http.client
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import websockets

from services.embedded.browser import ApiError
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.installation import Person, Product, connect, product

SECRET = "heronlantern"
MAIL = f"""\
Message-ID: <{SECRET}@anna.test>
From: {SECRET} <{SECRET}@anna.test>
Subject: {SECRET} %d
MIME-Version: 1.0
Content-Type: multipart/related; boundary=x

--x
Content-Type: text/html

<p>{SECRET} <img src="cid:picture@anna"></p>
--x
Content-Type: image/png; name="{SECRET}.png"
Content-ID: <picture@anna>
Content-Transfer-Encoding: base64

iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
--x--
""".replace("\n", "\r\n")


class Two(NamedTuple):
    """Anna, who gets mail, and Ben, who would like to see it."""

    running: Product
    dovecot: Dovecot
    hers: User
    anna: Person
    ben: Person


@pytest.fixture(scope="module")
def two(dovecot: Dovecot) -> Iterator[Two]:
    hers, his = dovecot.user(), dovecot.user()
    dovecot.load(hers.name, [Mail((MAIL % 1).encode())])
    with product() as running:
        anna, ben = running.register("anna"), running.register("ben")
        connect(anna, dovecot, hers)
        connect(ben, dovecot, his)
        running.until(lambda: threads(anna), seconds=40)
        yield Two(running, dovecot, hers, anna, ben)


def threads(person: Person) -> list[dict[str, Any]]:
    page: dict[str, Any] = person.browser.get("/api/threads?view=unified")
    return page["threads"]


def cookies(person: Person) -> str:
    return person.browser.cookies


def status(person: Person | None, path: str, address: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    connection.request("GET", path, headers={"Cookie": cookies(person)} if person else {})
    answer = connection.getresponse()
    told = answer.status, answer.read()
    connection.close()
    return told


async def heard(two: Two, person: Person, frames: list[dict[str, Any]], joined: asyncio.Event) -> None:
    """Everything that a socket of this person is told."""
    address = two.running.address.replace("http://", "ws://")
    async with websockets.connect(f"{address}/api/ws", additional_headers={"Cookie": cookies(person)}) as socket:
        await socket.send('{"type":"ping"}')
        async for frame in socket:
            frames.append(json.loads(frame))
            joined.set()


async def test_events_of_arriving_mail_reach_its_owner_alone(two: Two) -> None:
    hers: list[dict[str, Any]] = []
    his: list[dict[str, Any]] = []
    joined = [asyncio.Event(), asyncio.Event()]
    listening = [
        asyncio.create_task(heard(two, two.anna, hers, joined[0])),
        asyncio.create_task(heard(two, two.ben, his, joined[1])),
    ]
    async with asyncio.timeout(30):
        for event in joined:
            await event.wait()
        await asyncio.to_thread(two.dovecot.deliver, two.hers.name, (MAIL % 2).replace(SECRET, "second").encode())
        while "message.new" not in {frame["event"] for frame in hers}:
            await asyncio.sleep(0.05)
    me = two.anna.browser.get("/api/auth/me")["user_id"]
    own = {me, *(value for frame in hers for value in frame["payload"].values() if isinstance(value, str))}
    assert me not in json.dumps(his)
    assert [frame for frame in his if own & set(map(str, frame["payload"].values()))] == []
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)


def test_her_links_open_nothing_for_him_or_a_stranger(two: Two) -> None:
    message = next(
        one
        for line in threads(two.anna)
        for one in two.anna.browser.get(f"/api/threads/{line['id']}")["messages"]
        if SECRET in one["subject"]
    )
    whole = two.anna.browser.get(f"/api/messages/{message['id']}")
    attachment = whole["attachments"][0]["id"]
    of_message = f"/api/messages/{message['id']}"
    links = [
        f"/api/attachments/{attachment}",
        f"/api/attachments/{attachment}?inline=1",
        f"{of_message}/cid/picture@anna",
        f"{of_message}/html",
        f"{of_message}/raw",
        of_message,
        f"/api/threads/{whole['thread_id']}",
    ]
    address = two.running.address
    for link in links:
        assert status(two.anna, link, address)[0] == 200, link
        for other, refusal in ((two.ben, 404), (None, 401)):
            answered, body = status(other, link, address)
            assert answered == refusal, link
            assert SECRET.encode() not in body


def test_her_words_are_found_by_no_search_or_list_of_his(two: Two) -> None:
    (account,) = two.anna.browser.get("/api/accounts")["accounts"]
    views = ["unified", f"account:{account['id']}", *(f"mailbox:{one['id']}" for one in account["mailboxes"])]
    for view in views:
        assert SECRET not in json.dumps(two.ben.browser.get(f"/api/threads?view={view}"))
    assert SECRET in json.dumps(two.anna.browser.get(f"/api/threads?view=search&q={SECRET}"))
    assert SECRET not in json.dumps(two.ben.browser.get(f"/api/threads?view=search&q={SECRET}"))
    assert two.ben.browser.get(f"/api/recipients/suggest?q={SECRET[:5]}") == {"recipients": []}


def test_he_changes_nothing_of_hers(two: Two) -> None:
    ids = [line["id"] for line in threads(two.anna)]
    before = threads(two.anna)
    with pytest.raises(ApiError) as refused:
        two.ben.browser.post("/api/actions", {"action": "trash", "thread_ids": ids})
    assert refused.value.status == 404
    assert threads(two.anna) == before
