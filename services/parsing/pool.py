"""The parent's side: as many children as the settings say, each given some messages at a time, replaced when it dies."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec
import structlog

from contracts import ids
from projections.documents import memo
from projections.documents.document import unreadable
from services.parsing import messages
from services.parsing.messages import Parsed

PROGRAM = ("-m", "services.parsing.child")
CHUNK = 50
CHUNK_BYTES = 2 << 20
TRIES = 3
DEADLINE = 120
"""Seconds of waiting for one chunk, and a second more for each megabyte: the children bound their own work, so this is
for one that hangs without working."""

Purpose = Literal["kept", "opened"]


class ParserUnavailable(Exception):
    """No child could be started: a fault of the installation, for which no message may be blamed."""


log = structlog.get_logger()


class ParsePool:
    """Shared by a whole process; `parse` may be called by many tasks at once and gives answers in order.

    `purpose`: whether documents come without HTML (`kept`), or with it, for somebody who waits (`opened`).
    """

    def __init__(self, children: int, purpose: Purpose = "kept") -> None:
        self._idle: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        self._children = [_Child(purpose) for _ in range(children)]
        for child in self._children:
            self._idle.put_nowait(child)

    async def start(self) -> None:
        """So that the first message need not wait for a child. Raises ParserUnavailable."""
        for child in self._children:
            await child.start()

    async def parse(self, raws: Sequence[bytes | Path]) -> list[Parsed]:
        """What each message is parsed into. Never raises for a message, however hostile."""
        async with asyncio.TaskGroup() as group:
            share = -(-len(raws) // len(self._children))
            chunks = [group.create_task(self._chunk(chunk)) for chunk in _chunks(raws, min(share, CHUNK))]
        return [parsed for chunk in chunks for parsed in chunk.result()]

    async def close(self) -> None:
        for child in self._children:
            await child.end()

    async def _chunk(self, raws: list[bytes | Path]) -> list[Parsed]:
        """The whole chunk at once; when that kills the child, each message by itself."""
        answer = await self._ask(raws)
        if answer is not None:
            return answer
        if len(raws) > 1:
            return [parsed for raw in raws for parsed in await self._chunk([raw])]
        for _ in range(TRIES - 1):
            answer = await self._ask(raws)
            if answer is not None:
                return answer
        log.warning("message given up by the parser", size=_size(raws[0]))
        return [_given_up(_size(raws[0]))]

    async def _ask(self, raws: list[bytes | Path]) -> list[Parsed] | None:
        """None when the child died, hung or answered nonsense; it is replaced at the next call."""
        child = await self._idle.get()
        try:
            return await child.ask(raws)
        finally:
            self._idle.put_nowait(child)


@asynccontextmanager
async def parse_pool(children: int, purpose: Purpose = "kept") -> AsyncIterator[ParsePool]:
    """A pool for as long as the block lasts. Raises ParserUnavailable."""
    pool = ParsePool(children, purpose)
    try:
        await pool.start()
        yield pool
    finally:
        await pool.close()


class _Child:
    def __init__(self, purpose: Purpose) -> None:
        self._purpose = purpose
        self._process: Process | None = None

    async def ask(self, raws: list[bytes | Path]) -> list[Parsed] | None:
        answered = False
        try:
            async with asyncio.timeout(DEADLINE + (sum(map(_size, raws)) >> 20)):
                answer = await self._exchange(raws)
            answered = len(answer) == len(raws)
        except (ConnectionError, EOFError, TimeoutError, msgspec.MsgspecError) as error:
            log.warning("parsing child failed", error=type(error).__name__, messages=len(raws))
        else:
            return answer if answered else None
        finally:
            if not answered:  # also when cancelled: what it is doing is of no use to the next one
                await self.end()
        return None

    async def _exchange(self, raws: list[bytes | Path]) -> list[Parsed]:
        process = self._process or await self.start()
        stdin, stdout = _pipes(process)
        stdin.write(messages.job(raws))
        await stdin.drain()
        (length,) = messages.LENGTH.unpack(await stdout.readexactly(messages.LENGTH.size))
        if length > messages.FRAME_LIMIT:
            raise EOFError
        return messages.read_answer(await stdout.readexactly(length))

    async def start(self) -> Process:
        """A new process; raises ParserUnavailable when it ends before it is given anything."""
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", *PROGRAM, self._purpose, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env={}
        )
        try:
            await _pipes(process)[1].readexactly(len(messages.READY))
        except EOFError as error:
            raise ParserUnavailable("a parsing child ended before it was given anything") from error
        return process

    async def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()  # closes its pipes


def _chunks(raws: Sequence[bytes | Path], most: int) -> Iterator[list[bytes | Path]]:
    """At most so many messages and about CHUNK_BYTES each."""
    chunk: list[bytes | Path] = []
    size = 0
    for raw in raws:
        weight = _size(raw)
        if chunk and (len(chunk) == most or size + weight > CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(raw)
        size += weight
    if chunk:
        yield chunk


def _pipes(process: Process) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
    if process.stdin is None or process.stdout is None:
        raise ParserUnavailable("a parsing child has no pipes")
    return process.stdin, process.stdout


def _size(raw: bytes | Path) -> int:
    return raw.stat().st_size if isinstance(raw, Path) else len(raw)


def _given_up(size: int) -> Parsed:
    reason = "the parser gave this message up three times"
    return Parsed(memo.encode(unreadable(reason, size)), ids.evidence(b"", b"", b""), reason)
