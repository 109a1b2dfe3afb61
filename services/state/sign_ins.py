"""People at a provider's page, who come back with a code: in the session that sent them, once, within some minutes."""

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from projections.sql import Connection, Pool, Statements

query = Statements("services.state", "sign_ins.sql")

LIFE = timedelta(minutes=10)


class SignIn(NamedTuple):
    """What was asked for. `verifier`: of PKCE (RFC 7636), sealed to sync's key."""

    provider: str
    email: str
    display_name: str
    redirect_uri: str
    verifier: bytes


async def begin(db: Connection | Pool, session_id: UUID, sign_in: SignIn) -> str:
    """The state for the provider to bring back (RFC 6749 §10.12). Forgets what has expired."""
    state = secrets.token_urlsafe(32)
    await db.execute(query.forget_expired_sign_ins)
    await db.execute(query.begin, _hash(state), session_id, *sign_in, LIFE)
    return state


async def take(db: Connection | Pool, session_id: UUID, state: str) -> SignIn | None:
    """Once; None for another session's, an old one, and one that nobody began."""
    row = await db.fetchrow(query.take_sign_in, _hash(state), session_id)
    if row is None or not row["live"]:
        return None
    return SignIn(row["provider"], row["email"], row["display_name"], row["redirect_uri"], row["verifier"])


def _hash(state: str) -> bytes:
    return sha256(state.encode()).digest()
