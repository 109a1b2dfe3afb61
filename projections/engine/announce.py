"""Publish what was committed: events are sent in order, and their rows go only after all are acknowledged."""

from collections.abc import Awaitable, Callable, Sequence

from asyncpg import Record

from projections.sql import Pool

Publish = Callable[[Sequence[tuple[str, bytes, str]]], Awaitable[None]]
"""Subjects, payloads and the message ids by which the stream knows repeated ones; returns once all are acknowledged."""

PAGE = 200

_OLDEST = """SELECT partition, sequence, projection, n, subject, payload FROM control.outbox
             WHERE partition = $1 ORDER BY sequence, projection, n LIMIT $2"""
_DONE = """DELETE FROM control.outbox o
           USING unnest($2::bigint[], $3::text[], $4::int[]) AS done (sequence, projection, n)
           WHERE o.partition = $1 AND o.sequence = done.sequence AND o.projection = done.projection AND o.n = done.n"""


async def announce(db: Pool, partition: int, publish: Publish) -> int:
    """Publish one page of a partition's events; how many. Only the holder of the partition's lease may call it."""
    rows = await db.fetch(_OLDEST, partition, PAGE)
    if rows:
        await publish([(row["subject"], row["payload"], _name(row)) for row in rows])
        await db.execute(_DONE, partition, *([row[name] for row in rows] for name in ("sequence", "projection", "n")))
    return len(rows)


def _name(row: Record) -> str:
    return f"{row['projection']}.{row['partition']}.{row['sequence']}.{row['n']}"
