"""One partition of the log, read in order by batched direct get; the engine's `Log`."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

import structlog

from contracts import codec, subjects
from contracts.facts import Fact
from contracts.streams import facts_name
from projections.engine.log import Recorded
from services.log import api, headers
from services.log.api import Stored
from services.log.connection import NO_ANSWER, Connection
from services.log.errors import Refused, Unavailable
from services.log.signs import Signs

BATCH = 1000
POLL = 15.0
"""Seconds after which `coming` returns without a sign, for facts whose sign was lost."""

_SOON = 0.001
_RETRY = 0.05
_RETRY_MOST = 2.0

log = structlog.get_logger()


class PartitionLog:
    """Waits out a log that does not answer; what it returns is in order, complete, and was written by a writer of ours.

    `only`: the filter of what it reads and hears of, for a reader that wants nothing else.
    """

    def __init__(self, nc: Connection, partition: int, *, only: str = "") -> None:
        self._nc = nc
        self._partition = partition
        self._stream = facts_name(partition)
        self._everything = only or f"{subjects.PREFIX}.{partition}.{subjects.REST}"
        self._signs = Signs(nc, self._everything)
        self._signed = sys.maxsize  # whatever comes after it, a sign was heard of

    @property
    def partition(self) -> int:
        return self._partition

    async def read(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        """At most `limit` facts after a sequence; empty at the head, by the leader's word. Raises UnknownFact, MisplacedFact."""
        while messages := await self._next(self._everything, after, limit):
            facts = self._facts(messages)
            if facts:
                return facts
            after = messages[-1].sequence
        return []

    async def slice(self, user_id: UUID, upto: int) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """All facts of one user up to and including a sequence, in batches."""
        async for facts in self.history(subjects.user(self._partition, user_id), upto):
            yield facts

    async def history(self, under: str, upto: int, *, after: int = 0) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """The facts under a subject or filter, after one sequence and up to another, in batches."""
        while after < upto and (messages := await self._next(under, after, BATCH)):
            after = messages[-1].sequence
            facts = self._facts([message for message in messages if message.sequence <= upto])
            if facts:
                yield facts

    async def head(self) -> int:
        """The last sequence that the stream gave out, by its leader, also when its fact was erased."""
        pause = _RETRY
        while True:
            try:
                info = await api.ask(self._nc, f"STREAM.INFO.{self._stream}")
                return int(info["state"]["last_seq"])
            except (Refused, Unavailable) as error:
                pause = await self._wait(error, pause)

    async def coming(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        """At most `limit` facts after a sequence, soon after they are committed; none when nothing came for `POLL` seconds.

        For one reader, who goes on from what it was told. Raises UnknownFact, MisplacedFact.
        """
        while messages := await self._coming(after, limit):
            facts = self._facts(messages)
            if facts:
                return facts
            after = messages[-1].sequence
        return []

    async def _coming(self, after: int, limit: int) -> list[Stored]:
        if not self._signs.listening:
            messages = await self._glance(after, limit)
            if messages:  # behind: there is no need to listen yet
                self._signs.read(messages)
                return messages
            await self._listen()
        if after < self._signed:
            messages = await self._next(self._everything, after, limit)
            self._signs.read(messages)
            self._signed = self._signed if messages else after
            return messages
        if not self._signs.owed and not self._signs.lapsed:
            await self._signs.another(POLL)
        messages = await self._owed(after, limit) or await self._next(self._everything, after, limit)
        self._signs.read(messages)
        return messages

    async def _listen(self) -> None:
        self._signed = sys.maxsize
        try:
            await self._signs.listen()
        except NO_ANSWER as error:
            await self._wait(error, _RETRY)

    async def _owed(self, after: int, limit: int) -> list[Stored]:
        """What is on its way after a sequence, asked for until it is stored, or until who listens has to begin anew."""
        pause = _SOON
        while self._signs.listening and (owed := self._signs.owed):
            messages = await self._glance(after, limit)
            if messages:
                return messages
            await self._signs.another(pause)
            pause = _SOON if self._signs.owed > owed else min(pause * 2, 0.1)
        return []

    async def _glance(self, after: int, limit: int) -> list[Stored]:
        """What some replica knows of after a sequence, if it answers."""
        try:
            return (await api.listed(self._nc, self._stream, self._query(self._everything, after, limit))).messages
        except (Refused, Unavailable):
            return []

    async def _next(self, under: str, after: int, limit: int) -> list[Stored]:
        """The next messages under a filter; empty only when the leader says that there are none.

        Any replica may answer, and one that lags behind knows less, but never a message out of order.
        """
        pause = _RETRY
        query = self._query(under, after, limit)
        while True:
            try:
                found = await api.listed(self._nc, self._stream, query)
                if found.messages:
                    return found.messages
                if found.complete and await self._leaders_next(under, after) is None:
                    return []
                pause = await self._wait(None, pause)
            except (Refused, Unavailable) as error:
                pause = await self._wait(error, pause)

    @staticmethod
    def _query(under: str, after: int, limit: int) -> dict[str, object]:
        return {"seq": after + 1, "batch": min(limit, BATCH), "next_by_subj": under}

    async def _leaders_next(self, under: str, after: int) -> Stored | None:
        pause = _RETRY
        while True:
            try:
                return await api.from_leader(self._nc, self._stream, {"seq": after + 1, "next_by_subj": under})
            except (Refused, Unavailable) as error:
                pause = await self._wait(error, pause)

    async def _wait(self, error: Exception | None, pause: float) -> float:
        say = log.info if pause < _RETRY_MOST else log.warning
        say("partition waits for the log", partition=self._partition, error=type(error).__name__)
        await asyncio.sleep(pause)
        return min(pause * 2, _RETRY_MOST)

    def _facts(self, messages: Sequence[Stored]) -> list[Recorded[Fact]]:
        facts: list[Recorded[Fact]] = []
        for message in messages:
            if headers.WRITTEN_BY in message.headers:
                facts.append(Recorded(message.sequence, codec.decode_at(message.subject, message.data)))
            else:
                log.error("not written by us, passed over", partition=self._partition, sequence=message.sequence)
        return facts
