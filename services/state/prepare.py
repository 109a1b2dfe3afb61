"""A database ready for every process: plain tables, the control schema, the memo of documents, an empty schema a projection."""

from collections.abc import Iterable

import asyncpg

from projections.documents import memo
from projections.engine import control
from projections.engine.projection import Projection
from services.state.migrate import migrate


async def prepare(dsn: str, projections: Iterable[Projection], partitions: int) -> list[str]:
    """Make what is missing, as the owner of the database; gives the names of the migrations that were applied.

    Rows of a projection whose version changed are left alone: only a rebuild replaces them.
    """
    applied = migrate(dsn)
    db = await asyncpg.connect(dsn)
    try:
        async with db.transaction():
            await control.prepare(db)
            await memo.prepare(db)
        await control.install(db, projections, partitions)
    finally:
        await db.close()
    return applied
