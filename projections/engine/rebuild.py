"""Fold the log again from the start into fresh tables, then switch to them while readers read."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from projections.engine import control, verify
from projections.engine.follow import Folder
from projections.engine.log import Log
from projections.engine.prefetch import Documents
from projections.engine.projection import Projection
from projections.sql import Connection, Pool

LOAD = 1_000

Loading = Callable[[Sequence[int]], Awaitable[None]]
"""Has `load` done with the partitions of these positions, in whatever processes."""

_PROGRESS = """SELECT coalesce(sum(sequence) FILTER (WHERE schema = $1), 0)::bigint AS done,
                   coalesce(sum(sequence) FILTER (WHERE schema = $2), 0)::bigint AS live
               FROM control.positions WHERE schema IN ($1, $2)"""


async def rebuild(
    projection: Projection,
    logs: Sequence[Log],
    db: Pool,
    documents: Documents,
    *,
    loading: Loading | None = None,
    compare: bool = False,
) -> None:
    """Make the projection's rows anew and serve them. Run by the schemas' owner; the live rows go on until the switch.

    `loading`: who loads, when not this process. `compare`: refuse to switch unless the new rows equal the live ones,
    which they must while the code is the same. An interrupted rebuild leaves a schema that the next one drops.
    """
    async with db.acquire() as connection, connection.transaction():
        await control.drop(connection, _beside(projection))
        await control.create(connection, projection, _beside(projection), len(logs))
    positions = await _positions(db, projection.name)
    if loading is None:
        await load(projection, logs, db, documents, positions)
    else:
        await loading(positions)
    await _finish(projection, _beside(projection), db)
    folders = [_folder(projection, log, db, documents) for log in logs]
    await _catch_up(folders, await _positions(db, projection.name))
    await _switch(projection, folders, db, compare=compare)


async def load(
    projection: Projection, logs: Sequence[Log], db: Pool, documents: Documents, upto: Sequence[int]
) -> None:
    """Fold partitions into the schema beside, each up to a position: further than the live rows can't be switched to."""

    async def one(folder: Folder, last: int) -> None:
        after = await folder.position()
        while (moved := await folder.advance(after, LOAD, upto=last)) != after:
            after = moved

    folders = [_folder(projection, log, db, documents) for log in logs]
    await asyncio.gather(*(one(folder, last) for folder, last in zip(folders, upto, strict=True)))


async def progress(projection: Projection, db: Pool) -> tuple[int, int]:
    """Sequences that a running rebuild has folded, and those that the live rows stand for, over all partitions."""
    row = await db.fetchrow(_PROGRESS, _beside(projection), projection.name)
    return (row["done"], row["live"]) if row else (0, 0)


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
    live, beside, old = projection.name, _beside(projection), f"{projection.name}_old"
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


def _beside(projection: Projection) -> str:
    return f"{projection.name}_next"


def _folder(projection: Projection, log: Log, db: Pool, documents: Documents) -> Folder:
    return Folder(projection, log, db, documents, schema=_beside(projection))


async def _positions(db: Connection | Pool, schema: str, lock: str = "") -> list[int]:
    """The positions of a schema by partition."""
    statement = f"SELECT sequence FROM control.positions WHERE schema = $1 ORDER BY partition {lock}"
    return [row["sequence"] for row in await db.fetch(statement, schema)]
