"""What is sent: written by the gateway before the log names it, read by outbound, which adds what servers said."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from contracts.provider import Refusal
from projections.sql import Connection, Pool, Statements
from services.state.drafts import Kind, Person

query = Statements("services.state", "sends.sql")


class Content(NamedTuple):
    """What a send says with one revision of its draft. `raw`: SHA-256 of the message, whose Message-ID is the draft's."""

    outbox_id: UUID
    revision: int
    draft_id: UUID
    account_id: UUID
    raw: str
    size: int
    message_id_header: str
    envelope_from: str
    envelope_to: list[Person]
    source_message_id: UUID | None
    kind: Kind
    subject: str
    due: datetime


class Unsettled(NamedTuple):
    """A content of which nobody knows that the log names it."""

    user_id: UUID
    outbox_id: UUID
    revision: int


async def put(db: Connection, user_id: UUID, content: Content) -> None:
    """Before the fact that names it; where the message is put into the store too, under `uploads.hold`."""
    to = msgspec.json.encode(content.envelope_to).decode()
    await db.execute(query.put, user_id, *{**content._asdict(), "envelope_to": to}.values())


async def settle(db: Connection, user_id: UUID, outbox_id: UUID, revision: int) -> None:
    """The fact that names it is in the log."""
    await db.execute(query.settle, user_id, outbox_id, revision)


async def withdraw(db: Connection, user_id: UUID, outbox_id: UUID, revision: int) -> None:
    """The fact that would have named it is not in the log, and never will be."""
    await db.execute(query.withdraw, user_id, outbox_id, revision)


async def unsettled(db: Connection | Pool, older_than: timedelta) -> list[Unsettled]:
    """Of all users: what a gateway that died has left half done."""
    return [Unsettled(*row) for row in await db.fetch(query.unsettled, older_than)]


async def content(db: Connection | Pool, user_id: UUID, outbox_id: UUID, revision: int) -> Content | None:
    row = await db.fetchrow(query.content, user_id, outbox_id, revision)
    return _content(row) if row else None


async def contents(db: Connection, user_id: UUID, outbox_ids: Sequence[UUID]) -> dict[UUID, Content]:
    """Of each of these sends what it says last."""
    return {row["outbox_id"]: _content(row) for row in await db.fetch(query.contents, user_id, outbox_ids)}


async def refused(db: Connection | Pool, user_id: UUID, outbox_ids: Sequence[UUID]) -> dict[UUID, dict[str, Refusal]]:
    """By send and address, the recipients that the server did not take."""
    found: dict[UUID, dict[str, Refusal]] = {}
    for row in await db.fetch(query.refused, user_id, outbox_ids):
        found.setdefault(row["outbox_id"], {})[row["email"]] = Refusal(code=row["code"], text=row["text"])
    return found


async def words(db: Connection, user_id: UUID, outbox_ids: Sequence[UUID]) -> dict[UUID, str]:
    """What the server said last of each send as a whole, where it said anything."""
    return {row["outbox_id"]: row["text"] for row in await db.fetch(query.words, user_id, outbox_ids)}


async def refuse(db: Pool, user_id: UUID, account_id: UUID, outbox_id: UUID, refusals: Mapping[str, Refusal]) -> None:
    """These recipients and no others were not taken."""
    columns = [[*refusals], [one.code for one in refusals.values()], [one.text for one in refusals.values()]]
    async with db.acquire() as connection, connection.transaction():
        await connection.execute(query.forget_refusals, user_id, outbox_id)
        await connection.execute(query.refuse, user_id, account_id, outbox_id, *columns)


async def say(db: Pool, user_id: UUID, account_id: UUID, outbox_id: UUID, text: str, *, attempted: int = 0) -> None:
    """The server's words. `attempted`: the sequence of the attempt whose content it definitely refused, for now."""
    await db.execute(query.say, user_id, account_id, outbox_id, text, attempted)


async def put_off(db: Pool, user_id: UUID, outbox_id: UUID) -> int:
    """The sequence of the attempt of which it is known that the server did not take it; 0 for none."""
    return await db.fetchval(query.put_off, user_id, outbox_id) or 0


async def forget_ended(db: Connection | Pool, older_than: timedelta) -> None:
    """Of all users: the contents of what no draft waits for any more; what became of it stays in the log."""
    await db.execute(query.forget_ended, older_than)


def _content(row: asyncpg.Record) -> Content:
    to = msgspec.json.decode(row["envelope_to"], type=list[Person])
    return Content(**{**row, "envelope_to": to})
