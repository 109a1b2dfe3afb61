"""Every phase has a deadline of its own, and what is slow but honest is waited for."""

import asyncio
import errno
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from contracts.provider import ErrorCode, ProviderConnectError
from services.mail import dial as module
from services.mail.dial import dial
from services.mail.imap.wire import Limits
from tests.services.imap.conftest import Connect, ConnectWriter
from tests.support.dovecot import User
from tests.support.scripted_imap import Conversation, ScriptedImap

USER = User("alice", "pw")
DATE = datetime(2024, 1, 1, tzinfo=UTC)


async def silence(conversation: Conversation, _: bytes) -> None:
    await conversation.reader.read()


@pytest.mark.parametrize(
    ("limits", "script", "code", "words"),
    [
        (Limits(login=0.3), {"LOGIN": silence}, "timeout", "the login"),
        (Limits(login=0.3), {"CAPABILITY": silence}, "timeout", "the login"),
        (Limits(inactivity=0.3), {"EXAMINE": silence}, "timeout", "silent"),
    ],
)
async def test_a_phase_that_does_not_end_is_named(
    connect: Connect, limits: Limits, script: dict[str, object], code: ErrorCode, words: str
) -> None:
    async with ScriptedImap(script) as server:  # type: ignore[arg-type] # functions and bytes
        began = time.monotonic()
        with pytest.raises(ProviderConnectError) as caught:
            await connect(server.port, USER, limits=limits).status("INBOX")
    assert caught.value.code == code
    assert words in caught.value.detail
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("tls", ["ssl", "starttls"])
async def test_a_handshake_that_does_not_end_is_given_up(connect: Connect, tls: str) -> None:
    async with ScriptedImap(
        {"STARTTLS": b"$ OK begin\r\n"}, greeting=b"" if tls == "ssl" else b"* OK hi\r\n"
    ) as server:
        began = time.monotonic()
        with pytest.raises(ProviderConnectError) as caught:
            await connect(server.port, USER, tls=tls, limits=Limits(tls=0.3)).status("INBOX")
    assert caught.value.code == "connect_timeout"
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(("pause", "passes"), [(0.005, True), (0.1, False)])
async def test_a_literal_may_be_slow_but_not_slower_than_the_floor(
    connect: Connect, pause: float, *, passes: bool
) -> None:
    async def trickle(conversation: Conversation, rest: bytes) -> None:
        if b"BODY" not in rest:
            conversation.say(b"* 1 FETCH (UID 1 RFC822.SIZE 1000)\r\n$ OK done\r\n")
            return
        conversation.say(b"* 1 FETCH (UID 1 FLAGS () BODY[] {1000}\r\n")
        for _ in range(100):
            conversation.say(b"x" * 10)
            await asyncio.sleep(pause)
        conversation.say(b")\r\n$ OK done\r\n")

    async with ScriptedImap({"UID FETCH": trickle}) as server:
        provider = connect(server.port, USER, limits=Limits(inactivity=2, floor=400, patience=0.2))
        batches = provider.fetch("INBOX", [1], uidvalidity=7)
        if passes:
            assert [message.size for message in (await anext(batches)).messages] == [1000]
            return
        with pytest.raises(ProviderConnectError) as caught:
            await anext(batches)
    assert caught.value.code == "timeout"
    assert "bytes a second" in caught.value.detail


async def test_an_upload_that_moves_is_no_silence(connect_writer: ConnectWriter) -> None:
    size = 24 * 2**20

    async def take(conversation: Conversation, _: bytes) -> None:
        conversation.say(b"+ go ahead\r\n")
        left = size + 2
        while left > 0:
            left -= len(await conversation.reader.read(2**20))
            await asyncio.sleep(0.02)
        conversation.say(b"$ OK [APPENDUID 7 9] done\r\n")

    script = {"APPEND": take, "STATUS": b"* STATUS Sent (UIDVALIDITY 7 UIDNEXT 9 MESSAGES 0)\r\n$ OK done\r\n"}
    async with ScriptedImap(script) as server:
        writer = connect_writer(server.port, USER, limits=Limits(inactivity=2, total=1, floor=2**20))
        message = b"Subject: x\r\n\r\n" + b"y" * (size - 16) + b"\r\n"
        assert (await writer.append("Sent", message, flags=frozenset(), date=DATE)).uid == 9


# -- the way to the server


@pytest.fixture
def nowhere() -> Iterator[tuple[str, int]]:
    """An address that swallows whatever is sent to it, as IPv6 does where a network only seems to have it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.9", 0))
        listener.listen(0)
        address = listener.getsockname()
        crowd = [socket.socket() for _ in range(4)]
        for one in crowd:
            one.setblocking(False)
            one.connect_ex(address)
        yield address
        for one in crowd:
            one.close()


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: tuple[str, int]) -> None:
    async def found(*_: object, **__: object) -> list[module.AddressInfo]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", found)


async def test_an_address_that_leads_nowhere_costs_a_moment(
    monkeypatch: pytest.MonkeyPatch, connect: Connect, nowhere: tuple[str, int]
) -> None:
    async with ScriptedImap() as server:
        resolving(monkeypatch, nowhere, ("127.0.0.1", server.port))
        began = time.monotonic()
        await connect(server.port, USER, host="mail.example.test").status("INBOX")
    assert module.STAGGER <= time.monotonic() - began < 3


async def test_only_addresses_that_lead_nowhere_are_a_timeout(
    monkeypatch: pytest.MonkeyPatch, nowhere: tuple[str, int]
) -> None:
    resolving(monkeypatch, nowhere, nowhere)
    with pytest.raises(ProviderConnectError) as caught:
        await dial("mail.example.test", 1, 0.6)
    assert caught.value.code == "connect_timeout"


async def test_an_address_that_refuses_is_passed_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptedImap() as server:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            resolving(monkeypatch, unused.getsockname(), ("127.0.0.1", server.port))
            began = time.monotonic()
            with await dial("mail.example.test", 1, 5) as connection:
                assert connection.getpeername()[1] == server.port
                assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= 9 * 60
            assert time.monotonic() - began < module.STAGGER


def test_families_are_tried_in_turn() -> None:
    infos = [
        (family, socket.SOCK_STREAM, 6, "", (name, 1))
        for family, name in ((socket.AF_INET6, "a"), (socket.AF_INET6, "b"), (socket.AF_INET, "c"))
    ]
    assert [target[0] for *_, target in module._by_turns(infos)] == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "unavailable", "the network does not reach"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "unavailable", "the network does not reach"),
        (OSError(errno.EMFILE, "Too many open files"), "unavailable", "Too many open files"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "connection_lost", "closed"),
    ],
)
def test_trouble_on_the_way_says_whose_it_is(error: OSError, code: ErrorCode, words: str) -> None:
    told = module.unconnected(error)
    assert told.code == code
    assert words in told.detail
