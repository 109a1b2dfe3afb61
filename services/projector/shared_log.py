"""One partition read once for all projections: those that follow closely are told from memory."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.facts import Fact
from projections.engine.log import Log, Recorded, Tail

REMEMBERED = 4_000
"""Facts; a few megabytes. A projection that is further behind reads for itself."""

Facts = Sequence[Recorded[Fact]]


class Partition(Log, Tail, Protocol):
    """What is read."""


@dataclass
class _Waiting:
    """For facts after a sequence; ends with the last of its users."""

    after: int
    task: asyncio.Task[Facts]
    users: int = 0


class SharedLog:
    """Implements `projections.engine.log.Tail` over a partition. What is remembered is contiguous: (`_after`, last fact]."""

    def __init__(self, log: Partition) -> None:
        self._log = log
        self._after = 0
        self._facts: list[Recorded[Fact]] = []
        self._waiting: _Waiting | None = None

    async def coming(self, after: int, limit: int) -> Facts:
        """At most `limit` facts after a sequence, waited for. Those who wait at one place wait together. Raises what the log raises."""
        if self._after <= after < self._end:
            start = bisect_right(self._facts, after, key=_sequence)
            return self._facts[start : start + limit]
        if after < self._after and (facts := await self._log.read(after, limit)):
            return facts
        return (await self._together(max(after, self._end), limit))[:limit]

    async def _together(self, after: int, limit: int) -> Facts:
        """Facts after the last that anybody knows: one reads on for all."""
        waiting = self._waiting
        if waiting is None or waiting.after != after or waiting.task.done():
            waiting = self._waiting = _Waiting(after, asyncio.create_task(self._read_on(after, limit)))
        waiting.users += 1
        try:
            return await asyncio.shield(waiting.task)
        finally:
            waiting.users -= 1
            if not waiting.users:
                if self._waiting is waiting:
                    self._waiting = None  # nobody joins what is being cancelled
                waiting.task.cancel()

    async def _read_on(self, after: int, limit: int) -> Facts:
        facts = await self._log.coming(after, limit)
        self._remember(after, facts)
        return facts

    @property
    def _end(self) -> int:
        return self._facts[-1].sequence if self._facts else self._after

    def _remember(self, after: int, facts: Facts) -> None:
        if after < self._after:
            return  # somebody far behind: what the others share stays
        if after != self._end:
            self._after, self._facts = after, []
        self._facts.extend(facts)
        if len(self._facts) > REMEMBERED:
            forgotten = len(self._facts) - REMEMBERED
            self._after = self._facts[forgotten - 1].sequence
            del self._facts[:forgotten]


def _sequence(recorded: Recorded[Fact]) -> int:
    return recorded.sequence
