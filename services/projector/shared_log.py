"""One partition read once for all projections: those that follow closely are told from memory."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from contracts.facts import Fact
from projections.engine.log import Log, Recorded

REMEMBERED = 4_000
"""Facts; a few megabytes. A projection that is further behind reads for itself."""


@dataclass
class _Waiting:
    """For facts after a sequence; ends with the last of its users."""

    after: int
    task: "asyncio.Task[None]"
    users: int = 0


class SharedLog:
    """Implements `projections.engine.log.Log` over another. What is remembered is contiguous: (`_after`, last fact]."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._after = 0
        self._facts: list[Recorded[Fact]] = []
        self._reading = asyncio.Lock()
        self._waiting: _Waiting | None = None

    @property
    def partition(self) -> int:
        return self._log.partition

    async def read(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        """At most `limit` facts after a sequence; empty at the head. Raises what the log raises."""
        async with self._reading:
            if not self._after <= after < self._end:
                facts = await self._log.read(after, limit)
                self._remember(after, facts)
                return facts
        return [recorded for recorded in self._facts if recorded.sequence > after][:limit]

    def slice(self, user_id: UUID, upto: int) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """All facts of one user up to and including a sequence, in batches."""
        return self._log.slice(user_id, upto)

    async def grown(self, after: int) -> None:
        """Return when there may be facts after a sequence. Those who wait at one place wait together: one listens for all."""
        if self._after <= after < self._end:
            return
        waiting = self._waiting
        if waiting is None or waiting.after != after or waiting.task.done():
            waiting = self._waiting = _Waiting(after, asyncio.create_task(self._log.grown(after)))
        waiting.users += 1
        try:
            await asyncio.shield(waiting.task)
        finally:
            waiting.users -= 1
            if not waiting.users:
                if self._waiting is waiting:
                    self._waiting = None  # nobody joins what is being cancelled
                waiting.task.cancel()

    @property
    def _end(self) -> int:
        return self._facts[-1].sequence if self._facts else self._after

    def _remember(self, after: int, facts: Sequence[Recorded[Fact]]) -> None:
        if after < self._after:
            return  # somebody far behind: what the others share stays
        if after != self._end:
            self._after, self._facts = after, []
        self._facts.extend(facts)
        if len(self._facts) > REMEMBERED:
            forgotten = len(self._facts) - REMEMBERED
            self._after = self._facts[forgotten - 1].sequence
            del self._facts[:forgotten]
