"""A submission server that does what a test wants: refuses, is slow, hangs up, and delivers what it takes."""

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from tests.support.beside import beside

Step = Literal["auth", "mail", "rcpt", "data", "content", "taken", "answered"]
"""Where it may be held or hang up. `content`: in the middle of it, if it is more than buffers hold; `taken`: it is delivered, and nobody was told."""


@dataclass(frozen=True)
class Taken:
    """A message that it accepted."""

    raw: bytes
    sender: str
    recipients: list[str]
    options: str


class Held:
    """A conversation that came to a step and waits there."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()

    async def until_reached(self, seconds: float = 30) -> None:
        async with asyncio.timeout(seconds):
            await self.reached.wait()


@dataclass
class Sink:
    """`users`: who may log in; empty: everybody. `refuse`: by recipient, an answer; `content`: the answer to contents."""

    users: dict[str, str] = field(default_factory=dict)
    extensions: list[str] = field(default_factory=lambda: ["SIZE 10485760", "8BITMIME", "SMTPUTF8"])
    refuse: dict[str, str] = field(default_factory=dict)
    sender: str = "250 ok"
    data: str = "354 go on"
    content: str = "250 2.0.0 taken"
    hang_up: set[Step] = field(default_factory=set)
    deliver: Callable[[Taken], Awaitable[None]] | None = None
    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    open: int = 0
    most: int = 0
    waiting: list[Held] = field(default_factory=list)
    holding: list[Held] = field(default_factory=list)

    def hold(self, step: Step) -> Held:
        """The next conversation that comes to this step waits there."""
        held = Held(step)
        self.waiting.append(held)
        return held

    def ids(self) -> list[bytes]:
        """The Message-IDs of what was taken, one for each time."""
        found = []
        for one in self.taken:
            lines = one.raw.split(b"\r\n\r\n")[0].split(b"\r\n")
            found += [line.split(b":", 1)[1].strip() for line in lines if line.lower().startswith(b"message-id:")]
        return found

    async def step(self, step: Step) -> None:
        """Raises ConnectionError where it is to hang up."""
        held = next((one for one in self.waiting if one.step == step), None)
        if held is not None:
            self.waiting.remove(held)
            self.holding.append(held)
            held.reached.set()
            await held.go_on.wait()
        if step in self.hang_up:
            raise ConnectionError(step)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await Conversation(self, reader, writer).run()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self.open -= 1
            writer.close()


class Conversation:
    def __init__(self, sink: Sink, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._sink, self._reader, self._writer = sink, reader, writer
        self._sender = self._options = ""
        self._recipients: list[str] = []

    async def run(self) -> None:
        await self._say("220 sink ESMTP")
        while line := (await self._reader.readline()).decode(errors="replace").strip():
            self._sink.lines.append(line.partition(" ")[0] if line.upper().startswith("AUTH") else line)
            match line.split()[0].upper():
                case "EHLO":
                    announced = ["sink", *self._sink.extensions, "AUTH PLAIN XOAUTH2"]
                    await self._say("\r\n".join(f"250-{one}" for one in announced[:-1]) + f"\r\n250 {announced[-1]}")
                case "AUTH":
                    await self._sink.step("auth")
                    await self._say("235 welcome" if self._known(line.split()[-1]) else "535 5.7.8 bad credentials")
                case "MAIL":
                    await self._mail(line)
                case "RCPT":
                    await self._rcpt(_address(line))
                case "DATA":
                    await self._data()
                case "QUIT":
                    await self._say("221 bye")
                    return
                case _:
                    await self._say("502 not here")

    def _known(self, said: str) -> bool:
        decoded = base64.b64decode(said).decode()
        _, user, password = decoded.split("\0") if decoded.startswith("\0") else ("", *_token(decoded))
        return not self._sink.users or self._sink.users.get(user) == password

    async def _mail(self, line: str) -> None:
        await self._sink.step("mail")
        self._sender, self._options, self._recipients = _address(line), line.partition("> ")[2], []
        await self._say(self._sink.sender)

    async def _rcpt(self, address: str) -> None:
        await self._sink.step("rcpt")
        refusal = self._sink.refuse.get(address)
        if refusal is None:
            self._recipients.append(address)
        await self._say(refusal or "250 ok")

    async def _data(self) -> None:
        await self._sink.step("data")
        await self._say(self._sink.data)
        if not self._sink.data.startswith("354"):
            return
        first = await self._reader.readline()
        await self._sink.step("content")
        raw = await self._rest(first)
        if self._sink.content.startswith("2"):
            one = Taken(raw, self._sender, self._recipients, self._options)
            self._sink.taken.append(one)
            if self._sink.deliver is not None:
                await self._sink.deliver(one)
        await self._sink.step("taken")
        await self._say(self._sink.content)
        await self._sink.step("answered")

    async def _rest(self, line: bytes) -> bytes:
        """Up to the dot; a conversation that ends before it was no message (RFC 5321 §4.1.1.4)."""
        lines = []
        while line != b".\r\n":
            if not line.endswith(b"\r\n"):
                raise ConnectionError("ended in the middle")
            lines.append(line[1:] if line.startswith(b".") else line)
            line = await self._reader.readline()
        return b"".join(lines)

    async def _say(self, line: str) -> None:
        self._writer.write(line.encode() + b"\r\n")
        await self._writer.drain()


@asynccontextmanager
async def sink() -> AsyncIterator[Sink]:
    """Listening on this machine, without TLS."""
    one = Sink()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        server.close()
        for held in [*one.waiting, *one.holding]:
            held.go_on.set()


def sink_beside() -> AbstractContextManager[Sink]:
    """For tests that run no loop. Holding is for those that do."""
    return beside(sink())


def _address(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]


def _token(decoded: str) -> tuple[str, str]:
    user, bearer, *_ = decoded.split("\1")
    return user.removeprefix("user="), bearer.removeprefix("auth=Bearer ")
