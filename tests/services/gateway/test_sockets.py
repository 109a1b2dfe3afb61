"""Events reach the browsers of the user whose they are, and a revoked session's socket ends within a second, anywhere."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
import websockets

from contracts import events, subjects
from contracts.codec import encode
from contracts.events import Event, MessageNew, ThreadUpdated, UserActive
from services.config import Settings
from services.gateway.__main__ import server
from services.gateway.deps import Gateway
from services.gateway.realtime import hub
from services.gateway.realtime.hub import Hub, Socket

PASSWORD = "correct horse battery"


class Served:
    """A real server on a port of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.http = f"http://127.0.0.1:{port}"

    @asynccontextmanager
    async def socket(self, cookies: str, origin: str | None = None) -> AsyncIterator[websockets.ClientConnection]:
        headers = {"Cookie": cookies, **({"Origin": origin} if origin else {})}
        async with websockets.connect(f"ws://127.0.0.1:{self.port}/api/ws", additional_headers=headers) as connection:
            yield connection


@asynccontextmanager
async def serving(parts: Gateway) -> AsyncIterator[Served]:
    running = server(parts)
    running.config.port = 0
    task = asyncio.create_task(running.serve())
    listening = asyncio.create_task(parts.hub.listen())
    while not running.started:
        await asyncio.sleep(0.01)
    yield Served(running.servers[0].sockets[0].getsockname()[1])
    running.should_exit = True
    await task
    listening.cancel()


@pytest.fixture
async def served(parts: Gateway) -> AsyncIterator[Served]:
    async with serving(parts) as it:
        yield it


class Person:
    """Signed in, as a program that keeps its cookies by itself."""

    def __init__(self, user_id: UUID, session: str, csrf: str) -> None:
        self.user_id = user_id
        self.session = session
        self.csrf = csrf

    @property
    def cookies(self) -> str:
        return f"__Host-session={self.session}; __Host-csrf={self.csrf}"


SignUp = Callable[[str], Awaitable[Person]]


@pytest.fixture
def sign_up(served: Served) -> SignUp:
    async def make(localpart: str) -> Person:
        body = {"localpart": localpart, "password": PASSWORD, "tz": "UTC", "language": "en"}
        async with httpx.AsyncClient() as client:
            answer = await client.post(f"{served.http}/api/auth/register", json=body)
        cookies = dict(cookie.partition(";")[0].split("=", 1) for cookie in answer.headers.get_list("set-cookie"))
        return Person(UUID(answer.json()["user_id"]), cookies["__Host-session"], cookies["__Host-csrf"])

    return make


async def announce(parts: Gateway, event: Event, to: UUID | None = None) -> None:
    await parts.log.publish(subjects.event(to or event.user_id, events.name(event)), encode(event))


async def heard(socket: websockets.ClientConnection) -> dict[str, Any]:
    frame: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), 5))
    return frame


async def ready(socket: websockets.ClientConnection) -> None:
    """A pong says that the socket has joined."""
    await socket.send('{"type":"ping"}')
    assert await heard(socket) == {"event": "pong", "payload": {}}


async def closed(socket: websockets.ClientConnection, within: float = 5) -> int:
    await asyncio.wait_for(socket.wait_closed(), within)
    assert socket.close_code is not None
    return socket.close_code


async def test_events_reach_every_socket_of_their_user_and_no_other(
    served: Served, sign_up: SignUp, parts: Gateway
) -> None:
    anna, bob = await sign_up("anna"), await sign_up("bob")
    async with (
        served.socket(anna.cookies) as one,
        served.socket(anna.cookies) as two,
        served.socket(bob.cookies) as his,
    ):
        for socket in (one, two, his):
            await ready(socket)
        event = MessageNew(
            user_id=anna.user_id,
            position=7,
            account_id=uuid4(),
            mailbox_id=uuid4(),
            message_id=uuid4(),
            thread_id=uuid4(),
        )
        await announce(parts, event)
        payload = {
            name: str(getattr(event, name))
            for name in ("user_id", "account_id", "mailbox_id", "message_id", "thread_id")
        }
        for socket in (one, two):
            assert await heard(socket) == {"event": "message.new", "payload": {**payload, "position": 7}}
        await ready(his)


async def test_what_is_not_for_browsers_or_not_whose_it_seems_is_not_relayed(
    served: Served, sign_up: SignUp, parts: Gateway
) -> None:
    anna, bob = await sign_up("anna"), await sign_up("bob")
    async with served.socket(anna.cookies) as socket:
        await ready(socket)
        await announce(parts, UserActive(user_id=anna.user_id))
        await announce(parts, ThreadUpdated(user_id=bob.user_id, thread_id=uuid4()), to=anna.user_id)
        await parts.log.publish(subjects.event(anna.user_id, "thread.updated"), b"{}")
        await parts.log.publish(subjects.event(anna.user_id, "session.stolen"), b'{"event":"session.stolen"}')
        await parts.log.flush()
        await ready(socket)


@pytest.mark.parametrize("origin", ["https://evil.test", "null", "http://127.0.0.1:1"])
async def test_a_foreign_page_is_refused_at_the_handshake(served: Served, sign_up: SignUp, origin: str) -> None:
    anna = await sign_up("anna")
    with pytest.raises(websockets.InvalidStatus) as refused:
        async with served.socket(anna.cookies, origin):
            pass
    assert refused.value.response.status_code == 403


async def test_our_own_page_is_let_in(served: Served, sign_up: SignUp) -> None:
    anna = await sign_up("anna")
    async with served.socket(anna.cookies, served.http) as socket:
        await ready(socket)


@pytest.mark.parametrize("cookies", ["", "__Host-session=x"])
async def test_without_a_session_the_socket_is_closed_with_4401(served: Served, cookies: str) -> None:
    async with served.socket(cookies) as socket:
        assert await closed(socket) == 4401


@pytest.mark.parametrize("said", ["", "x", "[]", '{"type":"shout"}', '{"type":"ping"', "\0"])
async def test_a_browser_may_say_nothing_but_ping(served: Served, sign_up: SignUp, said: str) -> None:
    anna = await sign_up("anna")
    async with served.socket(anna.cookies) as socket:
        await socket.send(said)
        assert await closed(socket) == 1008


async def test_a_long_frame_is_refused(served: Served, sign_up: SignUp) -> None:
    anna = await sign_up("anna")
    async with served.socket(anna.cookies) as socket:
        await socket.send('{"type":"ping","x":"' + "x" * 5000 + '"}')
        assert await closed(socket) == 1009


async def test_signing_out_closes_the_sessions_sockets_in_every_gateway_and_no_others(
    served: Served, sign_up: SignUp, parts: Gateway, known: Settings
) -> None:
    anna, bob = await sign_up("anna"), await sign_up("bob")
    elsewhere = Gateway(**{**parts.__dict__, "hub": Hub(parts.log, parts.db, known.database_url)})
    async with (
        serving(elsewhere) as other,
        served.socket(anna.cookies) as here,
        other.socket(anna.cookies) as there,
        other.socket(bob.cookies) as his,
    ):
        for socket in (here, there, his):
            await ready(socket)
        async with httpx.AsyncClient() as client:
            headers = {"Cookie": anna.cookies, "X-CSRF": anna.csrf}
            assert (await client.post(f"{served.http}/api/auth/logout", headers=headers)).status_code == 204
        assert await closed(here, within=1) == 4401
        assert await closed(there, within=1) == 4401
        await ready(his)


async def test_a_session_that_ends_while_postgres_can_not_tell_is_noticed_when_it_can(
    served: Served, sign_up: SignUp, parts: Gateway, database: str
) -> None:
    anna = await sign_up("anna")
    async with served.socket(anna.cookies) as socket:
        await ready(socket)
        await parts.db.execute("UPDATE sessions SET expires_at = now()")
        await cut_listeners(database)
        assert await closed(socket) == 4401


async def cut_listeners(database: str) -> None:
    owner = await asyncpg.connect(database)
    await owner.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    await owner.close()


async def test_a_browser_that_does_not_keep_up_is_dropped_and_told_to_come_again() -> None:
    socket = Socket(None)  # type: ignore[arg-type]
    for _ in range(hub.QUEUE + 1):
        socket.send(b"{}")
    assert [frame async for frame in socket.frames()] == []
    assert socket.close_code == 1013


async def test_who_connects_is_announced_to_sync_once_a_minute_and_again_while_still_there(
    served: Served, sign_up: SignUp, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: asyncio.Queue[Any] = asyncio.Queue()
    subscription = await parts.log.subscribe("event.*.user.active", cb=told.put)
    anna = await sign_up("anna")
    mine = f"event.{anna.user_id}.user.active"
    async with served.socket(anna.cookies) as socket, served.socket(anna.cookies) as other:
        await ready(socket)
        await ready(other)
        await parts.log.flush()
        assert (await asyncio.wait_for(told.get(), 5)).subject == mine
        assert told.empty()
        await parts.hub._announce_those_still_here()
        assert told.empty()
        monkeypatch.setattr(hub, "ACTIVE", 0)
        monkeypatch.setattr(hub, "STILL", 0)
        await parts.hub._announce_those_still_here()
        assert (await asyncio.wait_for(told.get(), 5)).subject == mine
    await parts.hub._announce_those_still_here()  # nobody is here any more
    assert parts.hub._active == {}
    await subscription.unsubscribe()


async def test_a_user_without_sockets_is_not_listened_for(served: Served, sign_up: SignUp, parts: Gateway) -> None:
    anna = await sign_up("anna")
    async with served.socket(anna.cookies) as socket:
        await ready(socket)
        assert parts.hub.listening == {anna.user_id}
    while parts.hub.listening:
        await asyncio.sleep(0.01)


async def test_health_is_told_in_both_places(served: Served) -> None:
    async with httpx.AsyncClient() as client:
        for prefix in ("", "/api"):
            assert (await client.get(f"{served.http}{prefix}/healthz")).json() == {"status": "ok"}
            ready = (await client.get(f"{served.http}{prefix}/readyz")).json()
            assert ready["status"] == "ok"
            assert ready["lag"]["mail"] >= 0
