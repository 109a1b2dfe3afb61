"""Publish what was committed: events are sent in order, and their rows go only after all are acknowledged."""

import asyncio
from collections.abc import Awaitable, Callable

from asyncpg import Record

from projections.sql import Pool

Publish = Callable[[str, bytes, str], Awaitable[None]]
"""Subject, payload and the message id by which the stream knows a repeated one; returns once acknowledged."""

PAGE = 200

_OLDEST = """SELECT partition, sequence, projection, n, subject, payload FROM control.outbox
             WHERE partition = $1 ORDER BY sequence, projection, n LIMIT $2"""
_DONE = """DELETE FROM control.outbox o
           USING unnest($2::bigint[], $3::text[], $4::int[]) AS done (sequence, projection, n)
           WHERE o.partition = $1 AND o.sequence = done.sequence AND o.projection = done.projection AND o.n = done.n"""


async def announce(db: Pool, partition: int, publish: Publish) -> int:
    """Publish one page of a partition's events; how many. Only the holder of the partition's lease may call it."""
    rows = await db.fetch(_OLDEST, partition, PAGE)
    await asyncio.gather(*(publish(row["subject"], row["payload"], _name(row)) for row in rows))
    done = [[row[name] for row in rows] for name in ("sequence", "projection", "n")]
    if rows:
        await db.execute(_DONE, partition, *done)
    return len(rows)


def _name(row: Record) -> str:
    return f"{row['projection']}.{row['partition']}.{row['sequence']}.{row['n']}"
