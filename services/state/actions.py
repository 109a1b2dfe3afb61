"""Actions that were asked for under a key, so that a repetition is answered and not done again."""

from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from projections.sql import Connection, Statements

query = Statements("services.state", "actions.sql")

KEPT = timedelta(days=1)

UNSETTLED = timedelta(seconds=90)
"""How long what may be in the log can be appended again: within the window in which the log knows repetitions."""


class Made(NamedTuple):
    """`requests`: the facts, as JSON. `position`: of the last of them, None while nobody knows that all are in the log."""

    asked: bytes
    requests: str
    position: int | None


async def find(db: Connection, user_id: UUID, key: str) -> Made | None:
    """What was made of an action with this key; what is too old is forgotten."""
    await db.execute(query.forget_old, user_id, KEPT, _hash(key), UNSETTLED)
    row = await db.fetchrow(query.made, user_id, _hash(key))
    return Made(*row) if row else None


async def begin(db: Connection, user_id: UUID, key: str, asked: bytes, requests: str) -> Made:
    """Before the first fact is appended; what another with the same key has begun goes first."""
    await db.execute(query.begin, user_id, _hash(key), asked, requests)
    row = await db.fetchrow(query.made, user_id, _hash(key))
    return Made(*row) if row else Made(asked, requests, None)


async def settle(db: Connection, user_id: UUID, key: str, position: int) -> None:
    """All is in the log."""
    await db.execute(query.settle, user_id, _hash(key), position)


def _hash(key: str) -> bytes:
    return sha256(key.encode()).digest()
