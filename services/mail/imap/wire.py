"""One IMAP connection: aioimaplib's protocol class with its core replaced (docs/decisions/0004).

One command is in flight at a time. A timeout or a cancelled command ends the connection: one that was half read is
never used again. Arguments are never logged, shown in a repr or put into an error.
"""

import asyncio
import re
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aioimaplib.aioimaplib import IMAP4ClientProtocol
from msgspec import Struct

from contracts.provider import ProviderError
from services.mail.imap import errors, parse
from services.mail.imap.framer import Framer, Reply
from services.mail.imap.names import Literal
from services.mail.imap.parse import Status

FORBIDDEN = re.compile(rb"[\r\n\0]")
SMALL = 4096  # RFC 7888 §5; more than that is worth asking whether it is wanted


class Limits(Struct, frozen=True, kw_only=True):
    """Seconds and bytes, each phase's own.

    `inactivity` counts from the last byte that moved, so that a slow line may take its time. A literal may not be slower
    than `floor` bytes a second over `patience` seconds. `total` is for one command; at `floor`, what literals hold comes on top.
    """

    connect: float = 20.0  # name, TCP and greeting
    tls: float = 20.0
    login: float = 60.0  # from the greeting to the first command that is about mail
    inactivity: float = 60.0
    floor: float = 1024.0
    patience: float = 60.0
    total: float = 900.0
    line: int = 64 * 2**20
    literal: int = 64 * 2**20
    answer: int = 256 * 2**20  # all replies to one command


class Answer(Struct, frozen=True):
    """What the server said to one command: its tagged status and every untagged reply before it, in order."""

    status: Status
    replies: list[Reply]


class _Command:
    """The command in flight. Nothing here shows its arguments."""

    __slots__ = ("changed", "changes", "continued", "done", "replies", "size", "tag", "to_send", "verb")

    def __init__(
        self, verb: str, tag: bytes, to_send: deque[bytes], changes: Callable[[Reply], bool] | None = None
    ) -> None:
        loop = asyncio.get_running_loop()
        self.verb = verb
        self.tag = tag
        self.to_send = to_send
        self.changes = changes  # for IDLE: which replies end it
        self.replies: list[Reply] = []
        self.size = 0
        self.done: asyncio.Future[Answer] = loop.create_future()
        self.continued: asyncio.Future[None] = loop.create_future()
        self.changed: asyncio.Future[None] = loop.create_future()

    def __repr__(self) -> str:
        return f"<{self.verb}>"


class Wire(IMAP4ClientProtocol):  # type: ignore[misc]  # aioimaplib is untyped
    """`pushed` is told each reply that comes while no command is in flight, `ended` once that the connection is over."""

    transport: Any  # asyncio.Transport once connected

    def __init__(self, limits: Limits, pushed: Callable[[Reply], None], ended: Callable[[], None]) -> None:
        super().__init__(asyncio.get_running_loop())
        self.limits = limits
        self._pushed = pushed
        self._ended = ended
        self._framer = Framer(max_line=limits.line, max_literal=limits.literal)
        self._one_at_a_time = asyncio.Lock()
        self._greeting: asyncio.Future[Status] = self.loop.create_future()
        self._command: _Command | None = None
        self._bye: Status | None = None
        self._failure: ProviderError | None = None
        self.small_literals = False  # sent without waiting for `+` (RFC 7888)
        self._moved = self.loop.time()  # when a byte last came or went
        self._bulk = 0  # bytes of literals so far, either way
        self._unsent = 0
        self._unasked = 0  # replies since the last command ended

    @property
    def closed(self) -> bool:
        return self._failure is not None

    async def greeting(self) -> Status:
        """OK or PREAUTH (RFC 3501 §7.1); a BYE is raised."""
        await self._settle("the greeting", self._greeting)
        return self._greeting.result()

    async def execute(self, verb: str, *arguments: bytes | Literal, answers: Sequence[bytes] = ()) -> Answer:
        """Sends a command and gives the server's answer, OK, NO or BAD.

        `answers` are sent one after each `+` that asks for no literal (SASL); any further `+` gets an empty line.
        """
        async with self._commanding(verb, arguments, answers) as command:
            await self._settle(verb, command.done)
        return command.done.result()

    async def idle(self, seconds: float, changes: Callable[[Reply], bool]) -> Answer:
        """IDLE (RFC 2177) until a reply for which `changes` is true, or for some seconds; then DONE."""
        async with self._commanding("IDLE", (), (), changes) as command:
            await self._settle("IDLE", command.done, command.continued)
            if not command.done.done():
                await asyncio.wait(
                    (command.done, command.changed), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
                )
            if not command.done.done():
                self._send(b"DONE\r\n")
            await self._settle("IDLE", command.done)
        return command.done.result()

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Turns the connection into TLS after a STARTTLS that was answered OK (RFC 3501 §6.2.1).

        Bytes that came in the clear after the answer would be taken for the server's protected words: refused.
        """
        if self._unasked or not self._framer.idle:
            self.abort()
            raise errors.protocol("the server spoke between STARTTLS and TLS")
        self.transport = await self.loop.start_tls(
            self.transport, self, context, server_hostname=host, ssl_handshake_timeout=self.limits.tls
        )

    def abort(self) -> None:
        """Ends the connection at once, without a word."""
        self._fail(errors.lost("the connection was given up"))

    # -- asyncio.Protocol

    def data_received(self, data: bytes) -> None:
        self._moved = self.loop.time()
        if self._failure is not None:
            return
        within = self._framer.within_literal
        try:
            for reply in self._framer.feed(data):
                self._dispatch(reply)
        except ProviderError as error:
            self._fail(error)
            return
        if within or self._framer.within_literal:
            self._bulk += len(data)
        # A tagged answer in the same chunk knows better than BYE what was wrong, so BYE comes last.
        if self._bye is not None:
            self._fail(errors.ended(self._bye))

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(errors.unconnected(exc) if isinstance(exc, ssl.SSLError) else errors.lost("the connection ended"))

    # -- the conversation

    @asynccontextmanager
    async def _commanding(
        self,
        verb: str,
        arguments: Sequence[bytes | Literal],
        answers: Sequence[bytes],
        changes: Callable[[Reply], bool] | None = None,
    ) -> AsyncIterator[_Command]:
        """Sends a command and keeps its place until the block ends; a block that is left early ends the connection."""
        async with self._one_at_a_time:
            if self._failure is not None:
                raise type(self._failure)(self._failure.code, self._failure.detail)
            tag = str(self.new_tag()).encode("ascii")
            chunks = _chunks(tag, verb, arguments, answers, SMALL if self.small_literals else -1)
            command = _Command(verb, tag, chunks, changes)
            self._command = command
            try:
                self._send(command.to_send.popleft())
                yield command
            except BaseException:
                self.abort()
                raise
            finally:
                self._command = None

    async def _settle(self, verb: str, *futures: asyncio.Future[Any]) -> None:
        """Waits for the first of these, as long as bytes move and literals are not slower than they may be."""
        limits = self.limits
        began = window = self.loop.time()
        bulk = counted = self._bulk
        within = False
        while True:
            now = self.loop.time()
            self._look_at_upload(now)
            moved = max(self._moved, began)
            if now >= moved + limits.inactivity:
                raise errors.silent(verb, now - moved)
            last = began + limits.total + (self._bulk - bulk) / limits.floor
            if now >= last:
                raise errors.endless(verb, now - began)
            if now >= window + limits.patience:
                if within and self._framer.within_literal and self._bulk - counted < limits.floor * limits.patience:
                    raise errors.trickle(verb, (self._bulk - counted) / (now - window))
                window, counted, within = now, self._bulk, self._framer.within_literal
            end = min(moved + limits.inactivity, last, window + limits.patience)
            done, _ = await asyncio.wait(futures, timeout=end - now, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return

    def _send(self, data: bytes) -> None:
        self.transport.write(data)
        self._unsent = self.transport.get_write_buffer_size()

    def _look_at_upload(self, now: float) -> None:
        """What has left since we looked is a sign of life too: a server says nothing while it is sent a message."""
        left = 0 if self.transport is None else self.transport.get_write_buffer_size()
        if left < self._unsent:
            self._moved = now
            self._bulk += self._unsent - left
        self._unsent = left

    def _dispatch(self, reply: Reply) -> None:
        line = reply[0]
        if not self._greeting.done():
            self._greet(line)
        elif line.startswith(b"* "):
            self._untagged(reply)
        elif line.startswith(b"+"):
            self._continue()
        else:
            self._tagged(line)

    def _greet(self, line: bytes) -> None:
        if not line.startswith(b"* "):
            raise errors.protocol(f"this is no IMAP server: {line[:80].decode('latin-1')}")
        greeting = parse.status(line[2:])
        if greeting.kind in ("OK", "PREAUTH"):
            self._greeting.set_result(greeting)
        else:
            self._bye = greeting

    def _untagged(self, reply: Reply) -> None:
        if reply[0][2:6].upper() in (b"BYE", b"BYE "):
            self._bye = parse.status(reply[0][2:])
        command = self._command
        if command is None or command.done.done():
            self._unasked += 1
            self._pushed(reply)
            return
        command.size += sum(map(len, reply))
        if command.size > self.limits.answer:
            raise errors.protocol(f"more than {self.limits.answer} bytes in answer to {command.verb}")
        command.replies.append(reply)
        if command.changes is not None and not command.changed.done() and command.changes(reply):
            command.changed.set_result(None)

    def _continue(self) -> None:
        command = self._command
        if command is None or command.done.done():
            self._unasked += 1
        elif command.changes is not None:
            if not command.continued.done():
                command.continued.set_result(None)
        else:
            self._send(command.to_send.popleft() if command.to_send else b"\r\n")

    def _tagged(self, line: bytes) -> None:
        tag, _, rest = line.partition(b" ")
        command = self._command
        if command is None or command.done.done() or tag != command.tag:
            raise errors.protocol("an answer to no command of ours")
        answer = parse.status(rest)
        if answer.kind not in ("OK", "NO", "BAD"):
            raise errors.protocol("an answer without OK, NO or BAD")
        self._unasked = 0
        command.done.set_result(Answer(answer, command.replies))

    def _fail(self, error: ProviderError) -> None:
        """Ends the connection; whoever waits learns of it now. The first reason is the one that counts."""
        if self._failure is not None:
            return
        self._failure = error
        self._ended()
        if self.transport is not None:
            self.transport.abort()
        waiting = self._greeting if self._command is None else self._command.done
        if not waiting.done():
            waiting.set_exception(error)
            waiting.exception()  # seen: nobody may be waiting any more


def _chunks(
    tag: bytes, verb: str, arguments: Sequence[bytes | Literal], answers: Sequence[bytes], at_once: int
) -> deque[bytes]:
    """What is sent at once and what after each `+`; literals of at most `at_once` bytes need none."""
    chunks = [tag + b" " + verb.encode("ascii")]
    for argument in arguments:
        if not isinstance(argument, Literal):
            if FORBIDDEN.search(argument):
                raise ValueError(f"a line break or NUL in an argument of {verb}")
            chunks[-1] += b" " + argument
        elif len(argument.data) <= at_once:
            chunks[-1] += b" %b{%d+}\r\n%b" % (argument.before, len(argument.data), argument.data + argument.after)
        else:
            chunks[-1] += b" %b{%d}\r\n" % (argument.before, len(argument.data))
            chunks.append(argument.data + argument.after)
    chunks[-1] += b"\r\n"
    return deque([*chunks, *(answer + b"\r\n" for answer in answers)])
