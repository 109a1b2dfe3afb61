"""Counted attempts at something that must not be tried too often: so many in a window that the first one opens."""

import math
from datetime import timedelta
from hashlib import sha256

from projections.sql import Connection, Statements

query = Statements("services.state", "attempts.sql")

WINDOW = timedelta(minutes=15)


async def attempt(db: Connection, key: str, limit: int, window: timedelta = WINDOW) -> int:
    """Count one, before it is made; gives the seconds to wait when it is one too many, else 0."""
    row = await db.fetchrow(query.attempt, _hash(key), window)
    assert row is not None  # noqa: S101 - an upsert always returns its row
    return math.ceil(row["seconds_left"]) if row["count"] > limit else 0


async def take_back(db: Connection, key: str) -> None:
    """A good attempt does not count."""
    await db.execute(query.take_back, _hash(key))


async def forget(db: Connection, key: str) -> None:
    """Whoever knows the password starts afresh. Drops closed windows of others as well."""
    await db.execute(query.forget_attempts, _hash(key), WINDOW)


def _hash(key: str) -> bytes:
    return sha256(key.encode()).digest()
