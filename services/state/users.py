"""Who may sign in. A login is looked for before the user is known, so the handle stands where `user_id` stands elsewhere."""

from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from projections.sql import Connection, Pool, Statements
from services.state import sessions
from services.state.errors import HandleTaken
from services.state.settings import Settings, stored

query = Statements("services.state", "users.sql")


class Registered(NamedTuple):
    """A new user; the first one is the administrator."""

    user_id: UUID
    is_admin: bool


class Login(NamedTuple):
    """What a password is checked against, and then a code when there is a secret of one, in its envelope."""

    user_id: UUID
    password_hash: str
    settings: Settings
    is_admin: bool
    totp_secret: bytes | None

    def __repr__(self) -> str:
        return f"Login({self.user_id})"


async def register(db: Connection | Pool, handle: str, password_hash: str, settings: Settings) -> Registered:
    """Raises HandleTaken; handles differ by more than case."""
    try:
        row = await db.fetchrow(query.register, handle, password_hash, msgspec.json.encode(settings).decode())
    except asyncpg.UniqueViolationError:
        raise HandleTaken(handle) from None
    assert row is not None  # noqa: S101 - an insert always returns its row
    return Registered(*row)


async def login(db: Connection | Pool, handle: str) -> Login | None:
    row = await db.fetchrow(query.find_login, handle)
    return _login(row) if row else None


async def find(db: Connection | Pool, user_id: UUID) -> tuple[str, Login] | None:
    """The handle, and the rest; None for who has left."""
    row = await db.fetchrow(query.find_user, user_id)
    return (row["handle"], _login(row)) if row else None


class Recoverable(NamedTuple):
    """Where a link for a new password may be sent."""

    user_id: UUID
    email: str
    settings: Settings


async def recovery_email(db: Connection | Pool, user_id: UUID) -> str | None:
    email: str | None = await db.fetchval(query.recovery_email, user_id)
    return email


async def forget_recovery_email(db: Connection | Pool, user_id: UUID) -> None:
    await db.execute(query.forget_recovery_email, user_id)


async def recoverable(db: Connection | Pool, handle: str) -> Recoverable | None:
    """None for an unknown handle as for one without a recovery address."""
    row = await db.fetchrow(query.recoverable, handle)
    return Recoverable(row["id"], row["email"], stored(row["settings"])) if row else None


async def change_password(db: Connection, user_id: UUID, password_hash: str, *, keep: UUID | None = None) -> bool:
    """Ends every session but `keep`; False for who has left. Run in a transaction."""
    if await db.fetchval(query.change_password, user_id, password_hash) is None:
        return False
    await sessions.end_others(db, user_id, keep)
    return True


async def remove(db: Connection, user_id: UUID) -> None:
    """Nobody signs in as this user from here on; the eraser takes the rest. Run in a transaction."""
    await db.execute(query.remove_user, user_id)
    await db.execute(query.forget_passkeys, user_id)
    await sessions.end_others(db, user_id, None)


def _login(row: asyncpg.Record) -> Login:
    return Login(row["id"], row["password_hash"], stored(row["settings"]), row["is_admin"], row["totp_secret"])
