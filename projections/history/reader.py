"""Questions about what was asked for and what became of it."""

from uuid import UUID

from projections import sql
from projections.history.rows import RequestRow, Touched
from projections.sql import Connection

query = sql.Statements("projections.history", "read.sql")

NEWEST = 2**63 - 1
"""The sequence before which everything is."""


async def newest(db: Connection, user_id: UUID, *, before: int = NEWEST, limit: int = 50) -> list[RequestRow]:
    """Requests before a sequence, newest first."""
    return await requests(db, user_id, [row["id"] for row in await db.fetch(query.newest, user_id, before, limit)])


async def of_thread(db: Connection, user_id: UUID, thread_id: UUID, *, limit: int = 100) -> list[RequestRow]:
    """What was asked of messages that are in a thread today, newest first."""
    return await requests(
        db, user_id, [row["id"] for row in await db.fetch(query.of_thread, user_id, thread_id, limit)]
    )


async def requests(db: Connection, user_id: UUID, request_ids: list[UUID]) -> list[RequestRow]:
    """Those of these that are known, newest first."""
    return [RequestRow(**row) for row in await db.fetch(query.entries, user_id, request_ids)]


async def touched(db: Connection, user_id: UUID, request_id: UUID) -> list[Touched]:
    """The messages of a request."""
    return [Touched(**row) for row in await db.fetch(query.touched, user_id, request_id)]


async def attempts(db: Connection, user_id: UUID, request_id: UUID) -> int:
    """Requests that ever were to take this one back."""
    count: int = await db.fetchval(query.attempts, user_id, request_id)
    return count
