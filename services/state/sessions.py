"""Sessions: a random token in a cookie, its SHA-256 here; they end after some days without use, or when told to."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
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
    is_admin: bool = False


class Listed(NamedTuple):
    """A session as its user sees it; `network`: where it was last used from."""

    id: UUID
    user_agent: str
    network: str
    created_at: datetime
    last_seen_at: datetime


async def start(
    db: Connection | Pool, user_id: UUID, user_agent: str, days: int, network: str = ""
) -> tuple[str, UUID]:
    """The token for the cookie, known to nobody else from here on, and the session's id. Forgets the user's expired ones."""
    await db.execute(query.forget_expired_sessions, user_id)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    session_id: UUID = await db.fetchval(
        query.start_session, user_id, _hash(token), user_agent[:USER_AGENT_LIMIT], network, timedelta(days=days)
    )
    return token, session_id


async def find(db: Connection | Pool, token: str, days: int, network: str = "") -> Session | None:
    """The live session of a token; used, it lives `days` from now (written every few minutes, or when it comes from elsewhere)."""
    row = await db.fetchrow(query.find_session, _hash(token), network)
    if row is None:
        return None
    if row["stale"]:
        await db.execute(query.prolong_session, row["user_id"], row["id"], timedelta(days=days), network)
    return Session(row["id"], row["user_id"], row["handle"], stored(row["settings"]), row["is_admin"])


async def listed(db: Connection | Pool, user_id: UUID) -> list[Listed]:
    """The last used first."""
    return [Listed(*row) for row in await db.fetch(query.list_sessions, user_id)]


async def end(db: Connection | Pool, user_id: UUID, session_id: UUID) -> bool:
    """Its sockets are closed everywhere. Ending it twice is no error; False then."""
    return await db.fetchval(query.end_session, user_id, session_id) is not None


async def end_others(db: Connection | Pool, user_id: UUID, keep: UUID | None) -> None:
    """Every session of the user but one, or every one."""
    await db.execute(query.end_other_sessions, user_id, keep)


async def alive(db: Connection | Pool, session_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these sessions still live."""
    return {row["id"] for row in await db.fetch(query.alive_sessions, list(session_ids))}


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
