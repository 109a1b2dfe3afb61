"""What an authenticator is asked to sign: by one browser, once, within a few minutes."""

import secrets
from datetime import timedelta
from hashlib import sha256

from projections.sql import Connection, Pool, Statements

query = Statements("services.state", "challenges.sql")

LIFE = timedelta(minutes=5)
_BYTES = 32


async def pose(db: Connection | Pool, holder: str) -> bytes:
    """A fresh one in place of the one before. `holder`: a secret that only this browser has. Forgets what has expired."""
    challenge = secrets.token_bytes(_BYTES)
    await db.execute(query.forget_expired_challenges)
    await db.execute(query.pose, _hash(holder), challenge, LIFE)
    return challenge


async def take(db: Connection | Pool, holder: str) -> bytes | None:
    """Once; None when none was posed to this browser, or too long ago."""
    row = await db.fetchrow(query.take_challenge, _hash(holder))
    return row["challenge"] if row and row["live"] else None


def _hash(holder: str) -> bytes:
    return sha256(holder.encode()).digest()
