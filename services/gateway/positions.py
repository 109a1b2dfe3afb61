"""Read your writes: wait until the read models have folded what was just appended (design §3)."""

import asyncio
import time
from collections.abc import Sequence
from uuid import UUID

from contracts import ids, subjects
from projections.sql import Connection, Pool, Statements
from services.log import api
from services.log.connection import Connection as Log

PATIENCE = 0.5
_FIRST_PAUSE = 0.003
_PAUSE = 0.05

query = Statements("services.gateway", "positions.sql")


async def wait(db: Pool, user_id: UUID, partitions: int, schemas: Sequence[str], sequence: int) -> bool:
    """Whether all of `schemas` have folded `sequence` of the user's partition before our patience ended."""
    deadline = time.monotonic() + PATIENCE
    pause = _FIRST_PAUSE
    while await folded(db, user_id, partitions, schemas) < sequence:
        if time.monotonic() + pause > deadline:
            return False
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _PAUSE)
    return True


async def asked(nc: Log, user_id: UUID, partitions: int) -> int:
    """The sequence of the last request of the user, of whatever account; 0 without one. By the log's leader."""
    partition = ids.partition(user_id, partitions)
    last = await api.last(nc, partition, subjects.requests(partition, user_id))
    return last.sequence if last else 0


async def folded(db: Connection | Pool, user_id: UUID, partitions: int, schemas: Sequence[str]) -> int:
    """Up to where every one of `schemas` has folded the user's partition: the position that an answer carries."""
    position: int = await db.fetchval(query.folded, list(schemas), ids.partition(user_id, partitions))
    return position
