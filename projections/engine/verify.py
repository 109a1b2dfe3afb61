"""Whether two schemas hold the same rows: count and hash a table and user, whatever the order."""

from typing import NamedTuple
from uuid import UUID

from projections.engine.errors import NotEqual
from projections.sql import Connection


class Digest(NamedTuple):
    """Rows of one user in one table. A collision is an accident, not an attack: it is for faults, not for proofs."""

    rows: int
    hash: int


Digests = dict[tuple[str, UUID], Digest]

# A row is hashed as it is, three times faster than its text, unless Postgres has no hash for one of its types.
_TABLES = """SELECT c.relname, bool_or(a.atttypid = 'tsvector'::regtype) AS unhashable
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
             WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' GROUP BY c.relname ORDER BY c.relname"""


async def digest(db: Connection, schema: str) -> Digests:
    """The digest of every table and user of a schema."""
    found: Digests = {}
    for row in await db.fetch(_TABLES, schema):
        table = row["relname"]
        one = "hashtextextended(t::text, 7)" if row["unhashable"] else "hash_record_extended(t, 7)"
        rows = await db.fetch(
            f"SELECT user_id, count(*) AS rows, sum({one}::numeric) AS hash FROM {schema}.{table} t GROUP BY user_id"
        )
        found |= {(table, row["user_id"]): Digest(row["rows"], int(row["hash"])) for row in rows}
    return found


async def equal(db: Connection, one: str, other: str) -> int:
    """How many rows both schemas hold. Raises NotEqual naming the tables and users that differ."""
    left, right = await digest(db, one), await digest(db, other)
    differ = sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))
    if differ:
        named = ", ".join(
            f"{table} of {user} ({_rows(left, table, user)} and {_rows(right, table, user)} rows)"
            for table, user in differ[:20]
        )
        raise NotEqual(f"{one} and {other} differ in {len(differ)} places: {named}")
    return sum(digest.rows for digest in left.values())


def _rows(digests: Digests, table: str, user: UUID) -> int:
    return digests[table, user].rows if (table, user) in digests else 0
