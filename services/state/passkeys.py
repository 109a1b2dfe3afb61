"""Passkeys: public keys by which a browser or a device proves who its owner is (WebAuthn)."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from projections.sql import Connection, Pool, Statements

query = Statements("services.state", "passkeys.sql")


class Passkey(NamedTuple):
    """As its owner sees it."""

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


class Credential(NamedTuple):
    """What a signature is checked against."""

    user_id: UUID
    public_key: bytes
    sign_count: int


async def add(
    db: Connection | Pool, user_id: UUID, *, credential_id: bytes, public_key: bytes, sign_count: int, name: str
) -> Passkey | None:
    """None when this credential is known already, whosever it is."""
    row = await db.fetchrow(query.add_passkey, user_id, credential_id, public_key, sign_count, name)
    return Passkey(*row) if row else None


async def listed(db: Connection | Pool, user_id: UUID) -> list[Passkey]:
    return [Passkey(*row) for row in await db.fetch(query.list_passkeys, user_id)]


async def credentials(db: Connection | Pool, user_id: UUID) -> list[bytes]:
    """What the authenticators call them."""
    return [row["credential_id"] for row in await db.fetch(query.credentials_of, user_id)]


async def rename(db: Connection | Pool, user_id: UUID, passkey_id: UUID, name: str) -> Passkey | None:
    row = await db.fetchrow(query.rename_passkey, user_id, passkey_id, name)
    return Passkey(*row) if row else None


async def remove(db: Connection | Pool, user_id: UUID, passkey_id: UUID) -> bool:
    return await db.fetchval(query.remove_passkey, user_id, passkey_id) is not None


async def find(db: Connection | Pool, credential_id: bytes) -> Credential | None:
    row = await db.fetchrow(query.find_passkey, credential_id)
    return Credential(*row) if row else None


async def use(db: Connection | Pool, user_id: UUID, credential_id: bytes, sign_count: int) -> bool:
    """False when the counter has been there already."""
    return await db.fetchval(query.use_passkey, user_id, credential_id, sign_count) is not None
