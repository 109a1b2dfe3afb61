"""Whose remote images a user wants to see: a sender's from now on, or one message's for a while."""

from datetime import timedelta
from uuid import UUID

from projections.sql import Connection, Statements

query = Statements("services.state", "images.sql")

ONCE = timedelta(hours=1)
"""How long a one-time grant is good for: as long as a browser may keep the frame that it allowed."""


async def allow_once(db: Connection, user_id: UUID, message_id: UUID) -> None:
    await db.execute(query.forget_grants, user_id)
    await db.execute(query.allow_once, user_id, message_id, ONCE)


async def allow_sender(db: Connection, user_id: UUID, sender: str) -> None:
    await db.execute(query.allow_sender, user_id, sender)


async def senders(db: Connection, user_id: UUID) -> list[str]:
    return [row["sender"] for row in await db.fetch(query.list_senders, user_id)]


async def forbid_sender(db: Connection, user_id: UUID, sender: str) -> bool:
    """False when this sender was not allowed."""
    return await db.fetchval(query.forbid_sender, user_id, sender) is not None


async def allowed(db: Connection, user_id: UUID, messages: dict[UUID, str]) -> set[UUID]:
    """Which of these messages may load remote images; `messages` gives each one's sender, empty for none."""
    rows = await db.fetch(query.allowed, user_id, list(messages), list(messages.values()))
    return {row["message_id"] for row in rows}
