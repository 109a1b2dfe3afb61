"""The schemas that the engine makes: control, and one a projection, granted and guarded by row-level security."""

from collections.abc import Iterable

import asyncpg

from projections import sql
from projections.documents.document import VERSION as PARSER
from projections.engine.errors import VersionDiffers
from projections.engine.projection import Projection
from projections.sql import Connection

READERS = "webmail_gateway"
WRITERS = "webmail_projector"
ACTORS = "webmail_outbound"
"""Changes mail on its servers, and sees of the read models only what it is granted by them."""

MOVED = "moved"
"""The channel on which each commit of a live schema says `schema partition sequence` (Postgres' NOTIFY)."""

# Rows that the engine keeps beside a projection's own: accounts whose later facts are ignored.
_ERASED = "CREATE TABLE erased (user_id uuid NOT NULL, account_id uuid NOT NULL, PRIMARY KEY (account_id, user_id))"

# Whoever reads sees the rows of the user that its transaction names, and none when it names none (I-7).
_GUARD = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON {table} FOR SELECT TO {readers}, {actors}
    USING (user_id = nullif(current_setting('app.user_id', true), '')::uuid);
CREATE POLICY fold ON {table} TO {writers} USING (true) WITH CHECK (true);
GRANT SELECT ON {table} TO {readers};
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON {table} TO {writers};
"""


async def prepare(db: Connection) -> None:
    """Make the control schema where it is missing. Run by the schemas' owner."""
    await db.execute(sql.text("projections.engine", "control.sql"))
    await db.execute(
        f"GRANT USAGE ON SCHEMA control TO {READERS}, {WRITERS}, {ACTORS};"
        f"GRANT SELECT ON control.positions, control.projections TO {READERS}, {WRITERS};"
        f"GRANT SELECT ON control.positions TO {ACTORS};"
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON control.positions, control.outbox TO {WRITERS};"
    )


async def install(db: Connection, projections: Iterable[Projection], partitions: int) -> None:
    """Make the schema of every projection that has none, at position 0. Run by the schemas' owner."""
    for projection in projections:
        async with db.transaction():
            if await db.fetchval("SELECT 1 FROM control.projections WHERE name = $1", projection.name) is None:
                await create(db, projection, projection.name, partitions)
                await index(db, projection, projection.name)
                await record(db, projection)
            elif projection.grants:
                for table in await tables(db, projection.name):
                    await db.execute(f"ALTER POLICY own ON {projection.name}.{table} TO {READERS}, {ACTORS}")
                await _grant(db, projection, projection.name)


async def create(db: Connection, projection: Projection, schema: str, partitions: int) -> None:
    """A schema with empty tables and no secondary indexes, at position 0 of every partition."""
    await db.execute(f"CREATE SCHEMA {schema}; SET LOCAL search_path TO {schema}, public; {_ERASED}")
    await db.execute(projection.schema)
    for table in await tables(db, schema):
        await db.execute(_GUARD.format(table=f"{schema}.{table}", readers=READERS, writers=WRITERS, actors=ACTORS))
    await _grant(db, projection, schema)
    await db.execute(f"SET LOCAL search_path TO DEFAULT; GRANT USAGE ON SCHEMA {schema} TO {READERS}, {WRITERS}")
    await db.execute(
        "INSERT INTO control.positions SELECT $1, p, 0 FROM generate_series(0, $2 - 1) p", schema, partitions
    )


async def _grant(db: Connection, projection: Projection, schema: str) -> None:
    if projection.grants:
        await db.execute(f"SET LOCAL search_path TO {schema}, public")
        await db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {ACTORS}; {projection.grants}")
        await db.execute("SET LOCAL search_path TO DEFAULT")


async def index(db: Connection, projection: Projection, schema: str) -> None:
    """The secondary indexes, after a load: cheaper than keeping them up while rows come in."""
    if projection.indexes:
        await db.execute(f"SET LOCAL search_path TO {schema}, public")
        await db.execute(projection.indexes)
        await db.execute("SET LOCAL search_path TO DEFAULT")


async def drop(db: Connection, schema: str) -> None:
    await db.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    await db.execute("DELETE FROM control.positions WHERE schema = $1", schema)


async def record(db: Connection, projection: Projection) -> None:
    """The live rows are now of this code."""
    await db.execute(
        """INSERT INTO control.projections (name, version, parser) VALUES ($1, $2, $3)
           ON CONFLICT (name) DO UPDATE SET version = excluded.version, parser = excluded.parser""",
        projection.name,
        projection.version,
        _parser(projection),
    )


async def current(db: Connection, projection: Projection) -> None:
    """Raise VersionDiffers when the live rows were made by other code: only a rebuild may go on from there."""
    row = await db.fetchrow("SELECT version, parser FROM control.projections WHERE name = $1", projection.name)
    if row is None or (row["version"], row["parser"]) != (projection.version, _parser(projection)):
        raise VersionDiffers(f"{projection.name} was folded by another version: run `webmail projections rebuild`")


async def tables(db: Connection, schema: str) -> list[str]:
    """Every table of a schema; all of them have a `user_id`."""
    rows: list[asyncpg.Record] = await db.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename", schema
    )
    return [row["tablename"] for row in rows]


def _parser(projection: Projection) -> int:
    return PARSER if projection.documents else 0
