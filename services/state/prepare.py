"""A database ready for every process: plain tables, the control schema, the memo of documents, an empty schema a projection."""

import asyncpg

from projections import catalog
from projections.documents import memo
from projections.engine import control
from services.state.migrate import migrate


async def prepare(dsn: str, partitions: int) -> list[str]:
    """Make what is missing, as the owner of the database; gives the names of the migrations that were applied.

    Rows of a projection whose version changed are left alone: only a rebuild replaces them.
    """
    applied = migrate(dsn)
    db = await asyncpg.connect(dsn)
    try:
        async with db.transaction():
            await control.prepare(db)
            await memo.prepare(db)
        await control.install(db, catalog.ALL, partitions)
    finally:
        await db.close()
    return applied
