"""Read your writes: wait until the read models have folded what was just appended (design §3)."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import asyncpg
import structlog

from contracts import ids, subjects
from projections.engine.control import MOVED
from projections.sql import Connection, Pool, Statements
from services.database import hearing
from services.log import api
from services.log.connection import Connection as Log

PATIENCE = 0.5
"""Seconds that a person is kept waiting."""

_FIRST_PAUSE = 0.003
_PAUSE = 0.05
_AGAIN = 1.0
"""Seconds until a lost connection is made anew."""

query = Statements("services", "positions.sql")

log = structlog.get_logger()


class Positions:
    """Where the read models stand, as the projector's commits tell; what is asked while nobody listens is asked of the database."""

    def __init__(self, db: Pool, database_url: str, partitions: int) -> None:
        self._db = db
        self._database_url = database_url
        self._partitions = partitions
        self._known: dict[tuple[str, int], int] = {}
        self._hearing = False
        self._news = asyncio.Event()

    async def listen(self) -> None:
        """Hear of commits until cancelled."""
        while True:
            try:
                async with hearing(self._database_url, MOVED, self._told) as lost:
                    for row in await self._db.fetch(query.all_positions):
                        place = (row["schema"], row["partition"])
                        self._known[place] = max(row["sequence"], self._known.get(place, 0))
                    self._hearing = True
                    await lost.wait()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("not hearing of commits", error=type(error).__name__)
            finally:
                self._hearing = False
                self._known.clear()
                self._wake()
            await asyncio.sleep(_AGAIN)

    async def wait(
        self, user_id: UUID, schemas: Sequence[str], sequence: int, *, patience: float | None = None
    ) -> bool:
        """Whether all of `schemas` have folded `sequence` of the user's partition before our patience ended."""
        deadline = time.monotonic() + (PATIENCE if patience is None else patience)
        while self._hearing and time.monotonic() < deadline:
            if self._folded(user_id, schemas) >= sequence:
                return True
            with suppress(TimeoutError):
                async with asyncio.timeout(deadline - time.monotonic()):
                    await self._news.wait()
        pause = _FIRST_PAUSE
        while await folded(self._db, user_id, self._partitions, schemas) < sequence:
            if time.monotonic() + pause > deadline:
                return False
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _PAUSE)
        return True

    async def folded(self, user_id: UUID, schemas: Sequence[str]) -> int:
        """Up to where every one of `schemas` has folded the user's partition, at least."""
        if self._hearing:
            return self._folded(user_id, schemas)
        return await folded(self._db, user_id, self._partitions, schemas)

    def _folded(self, user_id: UUID, schemas: Sequence[str]) -> int:
        partition = ids.partition(user_id, self._partitions)
        return min(self._known.get((schema, partition), 0) for schema in schemas)

    def _told(self, *notice: Any) -> None:
        schema, partition, sequence = notice[-1].split()
        self._known[schema, int(partition)] = int(sequence)
        self._wake()

    def _wake(self) -> None:
        """Everybody who waits now; who waits later, waits for the next."""
        self._news.set()
        self._news = asyncio.Event()


async def asked(nc: Log, user_id: UUID, partitions: int) -> int:
    """The sequence of the last request of the user, of whatever account; 0 without one. By the log's leader."""
    partition = ids.partition(user_id, partitions)
    last = await api.last(nc, partition, subjects.requests(partition, user_id))
    return last.sequence if last else 0


async def folded(db: Connection | Pool, user_id: UUID, partitions: int, schemas: Sequence[str]) -> int:
    """Up to where every one of `schemas` has folded the user's partition: the position that an answer carries."""
    position: int = await db.fetchval(query.folded, list(schemas), ids.partition(user_id, partitions))
    return position
