"""Mail accounts: their settings, never their secrets. A status is settled once the fact that it stands for is in the log."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from contracts.facts import SpecialUse
from projections.sql import Connection, Pool, Statements
from services.state.errors import AccountExists

query = Statements("services.state", "accounts.sql")

CHANNEL = "accounts_changed"

Tls = Literal["ssl", "starttls", "none"]
Auth = Literal["password", "oauth:google", "oauth:microsoft"]
Status = Literal["pending", "active", "removed"]

# oklch(.62 .11 h): eight hues that stay apart and readable in both themes.
COLORS = ("#2a9b7c", "#5e86c8", "#b97340", "#b26b9b", "#8a8c34", "#bf696a", "#1195b4", "#9076be")


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A server of an account, without the password. `auth`: what it is entered with, where that is no password."""

    host: str
    port: int
    tls: Tls
    username: str
    auth: Auth = "password"


class Account(NamedTuple):
    """What the user sees of an active account. `paused`: its server is left alone."""

    id: UUID
    email: str
    display_name: str
    color: str
    special_uses: dict[SpecialUse, UUID]
    imap: Endpoint
    smtp: Endpoint | None
    paused: bool


class Unsettled(NamedTuple):
    """A row that a gateway has left half done."""

    user_id: UUID
    id: UUID
    status: Status


class Untold(NamedTuple):
    """What changed of an account since the log was last told, up to a revision of its settings."""

    revision: int
    fields: list[str]


async def add(
    db: Connection,
    user_id: UUID,
    *,
    email: str,
    display_name: str,
    color: str | None,
    imap: Endpoint,
    smtp: Endpoint | None,
) -> UUID:
    """A pending row, with the first free colour unless one is wished. Raises AccountExists."""
    try:
        account_id: UUID = await db.fetchval(
            query.add_account,
            user_id,
            email,
            display_name,
            color,
            msgspec.json.encode(imap).decode(),
            msgspec.json.encode(smtp).decode() if smtp else None,
            list(COLORS),
        )
    except asyncpg.UniqueViolationError:
        raise AccountExists(email) from None
    return account_id


async def forget(db: Connection, user_id: UUID, account_id: UUID) -> None:
    """Drop a row that never became active, with the secret that sync may have written for it."""
    await db.execute(query.forget_pending_account, user_id, account_id)


async def settle(db: Connection, user_id: UUID, account_id: UUID) -> None:
    """The fact is in the log: a pending account is active from here on, a removed one is done with.

    Nothing for an active account, whose changes are told by `untold` and `told`.
    """
    await db.execute(query.settle_account, user_id, account_id)


async def remove(db: Connection, user_id: UUID, account_id: UUID) -> bool:
    """Removed, but not settled; False when the user has no such active account."""
    return await db.fetchval(query.remove_account, user_id, account_id) is not None


async def change(
    db: Connection,
    user_id: UUID,
    account_id: UUID,
    *,
    display_name: str | None = None,
    color: str | None = None,
    paused: bool | None = None,
) -> bool:
    """What is None stays; False when the user has no such active account. The log is still to be told."""
    return await db.fetchval(query.change_account, user_id, account_id, display_name, color, paused) is not None


async def untold(db: Connection, user_id: UUID, account_id: UUID) -> Untold | None:
    """None when the log knows everything, or the account is not active."""
    row = await db.fetchrow(query.untold_changes, user_id, account_id)
    return Untold(row["revision"], row["untold"]) if row else None


async def told(db: Connection, user_id: UUID, account_id: UUID, revision: int) -> None:
    """Nothing when something changed after that revision: it is still to be told."""
    await db.execute(query.changes_told, user_id, account_id, revision)


async def active(db: Connection, user_id: UUID) -> list[Account]:
    """In the order in which they were added."""
    chosen = msgspec.json.Decoder(dict[SpecialUse, UUID])
    server = msgspec.json.Decoder(Endpoint)
    return [
        Account(id_, email, name, color, chosen.decode(uses), server.decode(imap), smtp and server.decode(smtp), paused)
        for id_, email, name, color, uses, imap, smtp, paused in await db.fetch(query.active_accounts, user_id)
    ]


async def choose(db: Connection, user_id: UUID, account_id: UUID, special_uses: Mapping[SpecialUse, UUID]) -> None:
    """The user's own choice of mailboxes, in place of the one before."""
    await db.execute(query.choose_mailboxes, user_id, account_id, msgspec.json.encode(special_uses).decode())


async def hosts(db: Connection, user_id: UUID, status: Status) -> dict[UUID, str]:
    """The mail host of each of the user's accounts with that status, in the order in which they were added."""
    return {row["id"]: row["host"] for row in await db.fetch(query.hosts, user_id, status)}


async def unsettled(db: Connection | Pool, older_than: timedelta) -> list[Unsettled]:
    """Of all users, for whoever finishes what another gateway began."""
    return [Unsettled(*row) for row in await db.fetch(query.unsettled, older_than)]
