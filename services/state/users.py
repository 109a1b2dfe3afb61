"""Who may sign in. A login is looked for before the user is known, so the handle stands where `user_id` stands elsewhere."""

from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from projections.sql import Connection, Pool, Statements
from services.state.errors import HandleTaken
from services.state.settings import Settings, stored

query = Statements("services.state", "users.sql")


class Login(NamedTuple):
    """What a password is checked against."""

    user_id: UUID
    password_hash: str
    settings: Settings

    def __repr__(self) -> str:
        return f"Login({self.user_id})"


async def register(db: Connection | Pool, handle: str, password_hash: str, settings: Settings) -> UUID:
    """Raises HandleTaken; handles differ by more than case."""
    try:
        user_id: UUID = await db.fetchval(query.register, handle, password_hash, msgspec.json.encode(settings).decode())
    except asyncpg.UniqueViolationError:
        raise HandleTaken(handle) from None
    return user_id


async def login(db: Connection | Pool, handle: str) -> Login | None:
    row = await db.fetchrow(query.find_login, handle)
    return Login(row["id"], row["password_hash"], stored(row["settings"])) if row else None
