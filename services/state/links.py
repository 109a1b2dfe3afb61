"""Links that an operator hands out, or that are sent by mail: each does one thing once, and only for a while. The token is in the link and nowhere else."""

import secrets
from datetime import timedelta
from hashlib import sha256
from uuid import UUID

from projections.sql import Connection, Pool, Statements

query = Statements("services.state", "links.sql")

RESET = timedelta(minutes=30)
VERIFICATION = timedelta(days=1)
_BYTES = 24


async def invite(db: Connection | Pool, life: timedelta) -> str:
    """The token of a link by which somebody may sign up."""
    return await _add(db, None, life)


async def reset(db: Connection | Pool, user_id: UUID) -> str:
    """The token of a link by which a user chooses a new password; the one before is worth nothing any more."""
    await db.execute(query.forget_resets, user_id)
    return await _add(db, user_id, RESET)


async def verification(db: Connection | Pool, user_id: UUID, email: str) -> str:
    """The token of a link that is sent to an address: whoever opens it shows that it is theirs."""
    await db.execute(query.forget_verifications, user_id)
    return await _add(db, user_id, VERIFICATION, email)


async def verify(db: Connection | Pool, token: str) -> bool:
    """The link's address is the user's recovery address from here on; False for one that is used, expired or made up."""
    return await db.fetchval(query.verify, _hash(token)) is not None


async def is_invitation(db: Connection | Pool, token: str) -> bool:
    """Whether it is still good; using it is what counts."""
    good: bool = await db.fetchval(query.is_invitation, _hash(token))
    return good


async def use_invitation(db: Connection, token: str) -> bool:
    """Run in the transaction that signs somebody up: who fails keeps the link."""
    return await db.fetchval(query.use_invitation, _hash(token)) is not None


async def whose(db: Connection | Pool, token: str) -> tuple[UUID, str] | None:
    """The user and handle whose password a link changes; None for one that is used, expired or made up."""
    row = await db.fetchrow(query.whose_reset, _hash(token))
    return (row["id"], row["handle"]) if row else None


async def use_reset(db: Connection, token: str) -> UUID | None:
    """Run in the transaction that changes the password."""
    user_id: UUID | None = await db.fetchval(query.use_reset, _hash(token))
    return user_id


async def _add(db: Connection | Pool, user_id: UUID | None, life: timedelta, email: str | None = None) -> str:
    token = secrets.token_urlsafe(_BYTES)
    await db.execute(query.add_link, user_id, _hash(token), life, email)
    return token


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
