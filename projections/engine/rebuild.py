"""Fold the log again from the start into fresh tables, then switch to them while readers read."""

import asyncio
from collections.abc import Callable, Sequence

from projections.engine import control, verify
from projections.engine.follow import Folder
from projections.engine.log import Log
from projections.engine.prefetch import Documents
from projections.engine.projection import Projection
from projections.sql import Connection, Pool

LOAD = 1_000

Progress = Callable[[int, int], None]
"""Sequences folded so far, and how many there are, over all partitions."""


async def rebuild(
    projection: Projection,
    logs: Sequence[Log],
    db: Pool,
    documents: Documents,
    *,
    progress: Progress | None = None,
    compare: bool = False,
) -> None:
    """Make the projection's rows anew and serve them. Run by the schemas' owner; the live rows go on until the switch.

    `compare`: refuse to switch unless the new rows equal the live ones, which they must while the code is the same.
    An interrupted rebuild leaves a schema that the next one drops.
    """
    beside = f"{projection.name}_next"
    async with db.acquire() as connection, connection.transaction():
        await control.drop(connection, beside)
        await control.create(connection, projection, beside, len(logs))
    folders = [Folder(projection, log, db, documents, schema=beside) for log in logs]
    await _load(folders, await _positions(db, projection.name), progress)
    await _finish(projection, beside, db)
    await _catch_up(folders, await _positions(db, projection.name))
    await _switch(projection, folders, db, compare=compare)


async def _load(folders: Sequence[Folder], positions: Sequence[int], progress: Progress | None) -> None:
    """Never further than the live rows are: they could not be switched to."""
    done = [0] * len(folders)

    async def load(n: int) -> None:
        while (moved := await folders[n].advance(done[n], LOAD, upto=positions[n])) != done[n]:
            done[n] = moved
            if progress is not None:
                progress(sum(done), sum(positions))

    await asyncio.gather(*(load(n) for n in range(len(folders))))


async def _finish(projection: Projection, schema: str, db: Pool) -> None:
    """Indexes after the load, and statistics, so that the first reader finds good plans."""
    async with db.acquire() as connection, connection.transaction():
        await control.index(connection, projection, schema)
        for table in await control.tables(connection, schema):
            await connection.execute(f"ANALYZE {schema}.{table}")


async def _catch_up(folders: Sequence[Folder], positions: Sequence[int]) -> None:
    """Fold exactly as far as the live rows are, also where the facts that stood there are erased by now."""
    for folder, position in zip(folders, positions, strict=True):
        after = await folder.position()
        while (moved := await folder.advance(after, LOAD, upto=position)) != after:
            after = moved
        if after < position:
            await folder.tell([], after, position)


async def _switch(projection: Projection, folders: Sequence[Folder], db: Pool, *, compare: bool) -> None:
    """Swap the schemas in one transaction while both stand at the same positions.

    Locking the live positions makes live folding wait, not readers: a rename takes no lock of a table, and prepared
    statements follow it. With `compare` the rows are digested under that lock.
    """
    live, beside, old = projection.name, f"{projection.name}_next", f"{projection.name}_old"
    async with db.acquire() as connection, connection.transaction():
        await connection.execute(f"DROP SCHEMA IF EXISTS {old} CASCADE")
        await _catch_up(folders, await _positions(connection, live, lock="FOR UPDATE"))
        if compare:
            await verify.equal(connection, live, beside)
        await connection.execute(f"ALTER SCHEMA {live} RENAME TO {old}; ALTER SCHEMA {beside} RENAME TO {live}")
        await connection.execute("DELETE FROM control.positions WHERE schema = $1", beside)
        await control.record(connection, projection)
    async with db.acquire() as connection:
        await control.drop(connection, old)


async def _positions(db: Connection | Pool, schema: str, lock: str = "") -> list[int]:
    """The positions of a schema by partition."""
    statement = f"SELECT sequence FROM control.positions WHERE schema = $1 ORDER BY partition {lock}"
    return [row["sequence"] for row in await db.fetch(statement, schema)]
