"""Questions of those who change mail: where messages are, as shown and as their server numbers them."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg
import msgspec

from contracts.facts import SpecialUse
from projections import sql
from projections.sql import Connection

query = sql.Statements("projections.mail", "placements.sql")


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A message in the mailbox that it is shown in, with the requests that wait. `listed`: the list asked about has it."""

    message_id: UUID
    account_id: UUID
    place: UUID
    special_use: SpecialUse | None
    flags: frozenset[str]
    listed: bool


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A mailbox that can hold mail. `labels`: its server files a mail once and shows it under labels."""

    id: UUID
    account_id: UUID
    path: str
    delimiter: str | None
    special_use: SpecialUse | None
    labels: bool


class Numbered(msgspec.Struct, frozen=True, kw_only=True):
    """A placement as its server numbers it: `uid` means something under `uidvalidity` only, None is not known yet."""

    message_id: UUID
    mailbox_id: UUID
    generation: int
    uid: int | None
    flags: frozenset[str]
    path: str
    special_use: SpecialUse | None
    uidvalidity: int


async def of_messages(db: Connection, user_id: UUID, message_ids: Sequence[UUID]) -> list[Shown]:
    return _shown(await db.fetch(query.of_messages, user_id, message_ids))


async def of_threads(
    db: Connection, user_id: UUID, thread_ids: Sequence[UUID], *, scope_id: UUID | None = None
) -> list[Shown]:
    """Of the messages that these conversations show when they are opened from a list."""
    return _shown(await db.fetch(query.of_threads, user_id, thread_ids, scope_id))


async def threads_in(db: Connection, user_id: UUID, scope_id: UUID, *, most: int) -> list[UUID]:
    """The conversations of a list, newest first."""
    return [row["thread_id"] for row in await db.fetch(query.threads_in, user_id, scope_id, most)]


async def targets(db: Connection, user_id: UUID) -> list[Target]:
    """By account and path."""
    return msgspec.convert([dict(row) for row in await db.fetch(query.targets, user_id)], list[Target])


async def uids(db: Connection, user_id: UUID, account_id: UUID, message_ids: Sequence[UUID]) -> list[Numbered]:
    rows = await db.fetch(query.uids, user_id, message_ids, account_id)
    return msgspec.convert([dict(row) for row in rows], list[Numbered])


async def message_ids(db: Connection, user_id: UUID, messages: Sequence[UUID]) -> dict[UUID, str]:
    """Their Message-ID headers, of those that have one."""
    return {row["id"]: row["message_id"] for row in await db.fetch(query.message_ids, user_id, messages)}


def _shown(rows: Sequence[asyncpg.Record]) -> list[Shown]:
    return msgspec.convert([dict(row) for row in rows], list[Shown])
