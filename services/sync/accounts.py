"""The accounts in Postgres: which are to be synced, how to log in to them, and where their secret is kept."""

from typing import NamedTuple
from uuid import UUID

import msgspec

from projections.sql import Pool, Statements
from services.state.accounts import Endpoint
from services.sync.errors import SecretMissing
from services.vault import Credentials, Vault, VaultError

query = Statements("services.sync", "accounts.sql")


class Account(NamedTuple):
    """An account to be synced; `stamp` differs when its settings or its secret do."""

    id: UUID
    user_id: UUID
    stamp: str


class Login(NamedTuple):
    """What it takes to log in."""

    endpoint: Endpoint
    credentials: Credentials


async def active(db: Pool) -> list[Account]:
    """All of them, oldest first."""
    return [Account(*row) for row in await db.fetch(query.active)]


async def login(db: Pool, vault: Vault, account: Account) -> Login:
    """Raises SecretMissing, also when the account was removed meanwhile."""
    row = await db.fetchrow(query.settings, account.user_id, account.id)
    if row is None:
        raise SecretMissing("the account has no secret")
    try:
        credentials = Credentials.decoded(vault.open(account.id, row["sealed"]))
    except VaultError as error:
        raise SecretMissing(str(error)) from None
    return Login(msgspec.json.decode(row["imap"], type=Endpoint), credentials)


async def keep(db: Pool, vault: Vault, user_id: UUID, account_id: UUID, credentials: Credentials) -> None:
    """Store the secret of an account whose row is there; another user's stays untouched."""
    await db.execute(query.keep_secret, user_id, account_id, vault.keep(account_id, credentials.encoded()))
