"""The accounts in Postgres: which are to be synced, in whose name, and where their secret is kept."""

from typing import NamedTuple
from uuid import UUID

from msgspec.json import encode

from projections.sql import Pool, Statements
from services.jobs.job import Authority
from services.state.accounts import Endpoint
from services.vault import Credentials, Vault

query = Statements("services.sync", "accounts.sql")


class Account(NamedTuple):
    """An account to be synced; `stamp` differs when its settings or its secret do. `seen`: its user, since the epoch."""

    id: UUID
    user_id: UUID
    stamp: str
    host: str
    seen: float


class Tried(NamedTuple):
    """What works: where an account's mail is, where it is sent from, if at all, and what opens both."""

    imap: Endpoint
    smtp: Endpoint | None
    credentials: Credentials


async def active(db: Pool) -> list[Account]:
    """All of them, oldest first."""
    return [Account(*row) for row in await db.fetch(query.active)]


async def authority(db: Pool, user_id: UUID, account_id: UUID) -> Authority | None:
    """As it is now; None when the account is not this user's, is not active or paused, or has no secret."""
    row = await db.fetchrow(query.authority, user_id, account_id)
    return Authority(authorization_epoch=row["authorization_epoch"], credential_version=row["version"]) if row else None


async def keep(db: Pool, vault: Vault, user_id: UUID, account_id: UUID, tried: Tried) -> bool | None:
    """Store the servers of an account whose row is there together with the secret that opens them.

    Whether the account is active already, so that somebody may be at work with those before; None when the account is gone
    or another user's, and then nothing is stored.
    """
    imap, smtp, credentials = tried
    fresh_until = credentials.oauth.expires_at if credentials.oauth else None
    sealed = vault.keep(account_id, credentials.encoded())
    async with db.acquire() as connection, connection.transaction():
        active: bool | None = await connection.fetchval(
            query.keep_servers, user_id, account_id, encode(imap).decode(), encode(smtp).decode() if smtp else None
        )
        if active is not None:
            await connection.execute(query.keep_secret, user_id, account_id, sealed, fresh_until)
    return active
