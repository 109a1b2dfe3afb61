"""Publish what was committed: events leave the outbox in order, and a row goes only after its event is acknowledged."""

from collections.abc import Awaitable, Callable

from projections.sql import Pool

Publish = Callable[[str, bytes, str], Awaitable[None]]
"""Subject, payload and the message id by which the stream knows a repeated one; returns once acknowledged."""

PAGE = 500

_OLDEST = """SELECT partition, sequence, projection, n, subject, payload FROM control.outbox
             WHERE partition = $1 ORDER BY sequence, projection, n LIMIT $2"""
_DONE = "DELETE FROM control.outbox WHERE partition = $1 AND sequence = $2 AND projection = $3 AND n = $4"


async def announce(db: Pool, partition: int, publish: Publish) -> int:
    """Publish one page of a partition's events; how many. Only the holder of the partition's lease may call it."""
    rows = await db.fetch(_OLDEST, partition, PAGE)
    for row in rows:
        await publish(row["subject"], row["payload"], f"{row['projection']}.{partition}.{row['sequence']}.{row['n']}")
    await db.executemany(_DONE, [(partition, row["sequence"], row["projection"], row["n"]) for row in rows])
    return len(rows)
