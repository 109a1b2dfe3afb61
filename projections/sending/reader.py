"""Questions about what is to be sent and what became of it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg
import msgspec

from projections import sql
from projections.sending.rows import OutboxRow
from projections.sql import Connection

query = sql.Statements("projections.sending", "read.sql")


async def newest(
    db: Connection, user_id: UUID, limit: int, *, before: tuple[datetime, UUID] | None = None
) -> list[OutboxRow]:
    """Newest first. `before`: when the last one of the page before was queued, and its id."""
    if before is None:
        return _rows(await db.fetch(query.newest, user_id, limit))
    return _rows(await db.fetch(query.older, user_id, limit, *before))


async def some(db: Connection, user_id: UUID, outbox_ids: Sequence[UUID]) -> list[OutboxRow]:
    """Those of them that are known."""
    return _rows(await db.fetch(query.some, user_id, outbox_ids))


async def one(db: Connection, user_id: UUID, outbox_id: UUID) -> OutboxRow | None:
    return next(iter(await some(db, user_id, [outbox_id])), None)


async def of_drafts(db: Connection, user_id: UUID, draft_ids: Sequence[UUID]) -> dict[UUID, OutboxRow]:
    """The last send of each draft that has one."""
    return {row.draft_id: row for row in _rows(await db.fetch(query.of_drafts, user_id, draft_ids))}


def _rows(found: Sequence[asyncpg.Record]) -> list[OutboxRow]:
    return msgspec.convert([dict(row) for row in found], list[OutboxRow])
