"""Sessions: a random token in a cookie, its SHA-256 here; they end after some days without use, or when told to."""

import secrets
from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from projections.sql import Connection, Pool, Statements
from services.state.settings import Settings, stored

query = Statements("services.state", "sessions.sql")

CHANNEL = "session_revoked"
"""Postgres notifies here with a session's id when it ends, whichever gateway ended it."""

TOKEN_BYTES = 32
USER_AGENT_LIMIT = 300


class Session(NamedTuple):
    """A signed-in browser and whose it is."""

    id: UUID
    user_id: UUID
    handle: str
    settings: Settings


async def start(db: Connection | Pool, user_id: UUID, user_agent: str, days: int) -> tuple[str, UUID]:
    """The token for the cookie, known to nobody else from here on, and the session's id. Forgets the user's expired ones."""
    await db.execute(query.forget_expired_sessions, user_id)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    session_id: UUID = await db.fetchval(
        query.start_session, user_id, _hash(token), user_agent[:USER_AGENT_LIMIT], timedelta(days=days)
    )
    return token, session_id


async def find(db: Connection | Pool, token: str, days: int) -> Session | None:
    """The live session of a token; used, it lives `days` from now (written at most every few minutes)."""
    row = await db.fetchrow(query.find_session, _hash(token))
    if row is None:
        return None
    if row["stale"]:
        await db.execute(query.prolong_session, row["user_id"], row["id"], timedelta(days=days))
    return Session(row["id"], row["user_id"], row["handle"], stored(row["settings"]))


async def end(db: Connection | Pool, user_id: UUID, session_id: UUID) -> None:
    """Its sockets are closed everywhere. Ending it twice is no error."""
    await db.execute(query.end_session, user_id, session_id)


async def alive(db: Connection | Pool, session_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these sessions still live."""
    return {row["id"] for row in await db.fetch(query.alive_sessions, list(session_ids))}


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
