"""The accounts in Postgres: which are to be synced, in whose name, and where their secret is kept."""

from typing import NamedTuple
from uuid import UUID

from projections.sql import Pool, Statements
from services.jobs.job import Authority
from services.vault import Credentials, Vault

query = Statements("services.sync", "accounts.sql")


class Account(NamedTuple):
    """An account to be synced; `stamp` differs when its settings or its secret do. `seen`: its user, since the epoch."""

    id: UUID
    user_id: UUID
    stamp: str
    host: str
    seen: float


async def active(db: Pool) -> list[Account]:
    """All of them, oldest first."""
    return [Account(*row) for row in await db.fetch(query.active)]


async def authority(db: Pool, user_id: UUID, account_id: UUID) -> Authority | None:
    """As it is now; None when the account is not this user's, is not active, or has no secret."""
    row = await db.fetchrow(query.authority, user_id, account_id)
    return Authority(authorization_epoch=row["authorization_epoch"], credential_version=row["version"]) if row else None


async def keep(db: Pool, vault: Vault, user_id: UUID, account_id: UUID, credentials: Credentials) -> bool:
    """Store the secret of an account whose row is there; another user's stays untouched.

    Whether the account is active already, so that somebody may be at work with the secret before.
    """
    sealed = vault.keep(account_id, credentials.encoded())
    return bool(await db.fetchval(query.keep_secret, user_id, account_id, sealed))
