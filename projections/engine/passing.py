"""Positions moved past facts that change no rows: all projections that pass them at one moment do it in one statement."""

import asyncio

from projections.engine.control import MOVED
from projections.sql import Pool

# A row that somebody has locked (a rebuild that switches) keeps no other waiting.
_PASS = f"""
WITH free AS (
    SELECT p.schema, asked.after, asked.to
    FROM unnest($2::text[], $3::bigint[], $4::bigint[]) asked (schema, after, "to")
    JOIN control.positions p ON p.schema = asked.schema AND p.partition = $1
    FOR UPDATE OF p SKIP LOCKED
)
UPDATE control.positions p SET sequence = free.to
FROM free WHERE p.schema = free.schema AND p.partition = $1 AND p.sequence = free.after
RETURNING p.schema, pg_notify('{MOVED}', p.schema || ' ' || p.partition || ' ' || p.sequence)
"""


class Passes:
    """Of the live schemas in one partition."""

    def __init__(self, db: Pool, partition: int) -> None:
        self._db = db
        self._partition = partition
        self._asked: dict[str, tuple[int, int]] = {}
        self._turn: asyncio.Task[set[str]] | None = None

    async def move(self, schema: str, after: int, to: int) -> bool:
        """Whether its position was moved from `after` to `to`; not, when it stands elsewhere or is locked just now."""
        self._asked[schema] = (after, to)
        if self._turn is None:
            self._turn = asyncio.create_task(self._move())
        return schema in await asyncio.shield(self._turn)

    async def _move(self) -> set[str]:
        asked, self._asked, self._turn = self._asked, {}, None  # who asks from here on has the next turn
        columns = zip(*((schema, *places) for schema, places in asked.items()), strict=True)
        return {row["schema"] for row in await self._db.fetch(_PASS, self._partition, *map(list, columns))}
