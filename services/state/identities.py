"""Who mail is from: the identities of a user's accounts, of which each account has one that is the default."""

from typing import NamedTuple
from uuid import UUID

from projections.sql import Connection, Statements

query = Statements("services.state", "identities.sql")

MOST = 50
"""Of one account."""


class Identity(NamedTuple):
    """`reply_to`, `signature` (cleaned HTML): empty for none."""

    id: UUID
    account_id: UUID
    name: str
    email: str
    reply_to: str
    signature: str
    is_default: bool


async def of_user(db: Connection, user_id: UUID) -> list[Identity]:
    """Of active accounts, in the order of these; each account's default one first."""
    return [Identity(*row) for row in await db.fetch(query.identities, user_id)]


async def add(
    db: Connection, user_id: UUID, account_id: UUID, *, name: str, email: str, reply_to: str, signature: str
) -> Identity | None:
    """None when the user has no such active account, or it has too many already."""
    row = await db.fetchrow(query.add_identity, user_id, account_id, name, email, reply_to, signature, MOST)
    return Identity(*row) if row else None


async def change(
    db: Connection,
    user_id: UUID,
    identity_id: UUID,
    *,
    name: str | None = None,
    email: str | None = None,
    reply_to: str | None = None,
    signature: str | None = None,
) -> Identity | None:
    """What is None stays; None when the user has no such identity."""
    row = await db.fetchrow(query.change_identity, user_id, identity_id, name, email, reply_to, signature)
    return Identity(*row) if row else None


async def prefer(db: Connection, user_id: UUID, identity: Identity) -> Identity:
    """The default one of its account from here on."""
    await db.execute(query.no_default, user_id, identity.account_id, identity.id)
    await db.execute(query.make_default, user_id, identity.id)
    return identity._replace(is_default=True)


async def remove(db: Connection, user_id: UUID, identity_id: UUID) -> bool:
    """False for the default one, which stays. Its drafts are from the default one then."""
    return await db.fetchval(query.remove_identity, user_id, identity_id) is not None
