"""A partition of the log that is a list: what the laws of the engine are tested with."""

import asyncio
import bisect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from uuid import UUID

from contracts.facts import Fact
from projections.documents.document import Document
from projections.engine.log import Recorded


class MemoryLog:
    """Facts get ascending sequences; purging leaves holes, as in the real one."""

    def __init__(self, facts: Iterable[Fact] = (), partition: int = 0) -> None:
        self.partition = partition
        self.facts: list[Recorded[Fact]] = []
        self._last = 0
        for fact in facts:
            self.append(fact)

    def append(self, fact: Fact) -> int:
        self._last += 1
        self.facts.append(Recorded(self._last, fact))
        return self._last

    def repeat(self) -> "MemoryLog":
        """The same log, every fact told twice at its sequence."""
        log = MemoryLog(partition=self.partition)
        log.facts = [recorded for recorded in self.facts for _ in range(2)]
        log._last = self._last
        return log

    def only(self, wanted: Callable[[Fact], bool]) -> "MemoryLog":
        """The log as if it had never held the other facts; these stand where they stood, since facts name sequences."""
        log = MemoryLog(partition=self.partition)
        log.facts = [recorded for recorded in self.facts if wanted(recorded.fact)]
        log._last = self._last
        return log

    def purge(self, account_id: UUID) -> None:
        self.facts = [recorded for recorded in self.facts if recorded.fact.account_id != account_id]

    async def read(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        start = bisect.bisect_right(self.facts, after, key=lambda recorded: recorded.sequence)
        return self.facts[start : start + limit]

    async def slice(self, user_id: UUID, upto: int) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        mine = [r for r in self.facts if r.fact.user_id == user_id and r.sequence <= upto]
        for start in range(0, len(mine), 7):
            yield mine[start : start + 7]

    async def coming(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        while not (facts := await self.read(after, limit)):
            await asyncio.sleep(0.002)
        return facts


class MemoryDocuments:
    """Documents by blob; a missing one is a KeyError, as a missing blob stops a partition."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents = dict(documents)

    async def fetch(self, user_id: UUID, blobs: Mapping[str, str], *, texts: bool) -> Mapping[str, Document]:
        return {blob: self.documents[blob] for blob in blobs}
