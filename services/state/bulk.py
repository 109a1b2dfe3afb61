"""Jobs that act on everything that matches: their snapshot in pieces, who sees to them, and how far they are."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, NamedTuple
from uuid import UUID

import msgspec

from projections.sql import Connection, Pool, Statements

query = Statements("services.state", "bulk.sql")

KEPT = timedelta(days=30)


class Piece(NamedTuple):
    """A request to be. `request`: the fact, as JSON."""

    account_id: UUID
    request_id: UUID
    request: str
    messages: int


class Chunk(NamedTuple):
    """A piece without an outcome. `begun_at`: it is asked for from here on; `position`: it is known to be in the log."""

    n: int
    account_id: UUID
    request_id: UUID
    messages: int
    begun_at: datetime | None
    position: int | None


class Begun(NamedTuple):
    """What is put into the log, and its time."""

    request: str
    begun_at: datetime


Action = Literal["flags", "move", "archive", "junk", "not_junk", "trash", "delete", "undo"]


class JobRow(msgspec.Struct, frozen=True, kw_only=True):
    """A job and its counts of messages. `code`: of the first piece that was refused."""

    id: UUID
    action: Action
    undoes: UUID | None
    cancelled: bool
    created_at: datetime
    settled_at: datetime | None
    total: int
    asked: int
    done: int
    refused: int
    code: str


async def claim(db: Pool, worker: str, lease: timedelta, most: int) -> list[tuple[UUID, UUID]]:
    """Users and jobs that this worker sees to until the lease ends; of a dead one's too."""
    return [(row["user_id"], row["id"]) for row in await db.fetch(query.claim, worker, lease, most)]


async def known(db: Connection, user_id: UUID, key: str) -> tuple[UUID, bytes] | None:
    """The job that was made under a key, and the digest of what was asked; a second one waits for the first."""
    await db.execute(query.one_at_a_time, user_id)
    row = await db.fetchrow(query.of_key, user_id, _hash(key))
    return (row["id"], row["asked"]) if row else None


async def open_jobs(db: Connection, user_id: UUID) -> int:
    """How many are under way; whoever counts is alone until the end of the transaction."""
    await db.execute(query.one_at_a_time, user_id)
    count: int = await db.fetchval(query.open_jobs, user_id)
    return count


async def add(
    db: Connection,
    user_id: UUID,
    job_id: UUID,
    pieces: Sequence[Piece],
    *,
    action: Action,
    asked: bytes,
    key: str | None = None,
    undoes: UUID | None = None,
) -> None:
    """A job, which is settled at once when there is nothing to do. What is very old is forgotten."""
    await db.execute(query.forget_old, user_id, KEPT)
    named = _hash(key) if key else None
    await db.execute(query.add_job, user_id, job_id, named, asked, action, undoes, not pieces)
    await db.executemany(query.add_chunk, [(user_id, job_id, n, *piece) for n, piece in enumerate(pieces)])


async def jobs(db: Connection, user_id: UUID, *, job_id: UUID | None = None, limit: int = 20) -> list[JobRow]:
    """Newest first."""
    return [JobRow(**row) for row in await db.fetch(query.jobs, user_id, job_id, limit)]


async def undoing(db: Connection, user_id: UUID, job_id: UUID) -> UUID | None:
    """The job that is taking one back just now; whoever asks is alone until the end of the transaction."""
    await db.execute(query.one_at_a_time, user_id)
    found: UUID | None = await db.fetchval(query.undoing, user_id, job_id)
    return found


async def cancel(db: Connection, user_id: UUID, job_id: UUID) -> None:
    """What is begun is brought to its end, and nothing more is begun."""
    await db.execute(query.cancel, user_id, job_id)


async def requests(db: Connection, user_id: UUID, job_id: UUID) -> list[UUID]:
    """Those that changed anything."""
    return [row["request_id"] for row in await db.fetch(query.requests, user_id, job_id)]


async def lock(db: Connection, user_id: UUID, job_id: UUID) -> bool | None:
    """Whether it was cancelled, which can't change before the transaction ends; None when it is settled."""
    cancelled: bool | None = await db.fetchval(query.lock, user_id, job_id)
    return cancelled


async def open_chunks(db: Connection, user_id: UUID, job_id: UUID) -> list[Chunk]:
    """Without an outcome, in their order."""
    return [Chunk(*row) for row in await db.fetch(query.open_chunks, user_id, job_id)]


async def begin(db: Connection, user_id: UUID, job_id: UUID, n: int) -> Begun:
    """The same whenever it is begun again."""
    (row,) = await db.fetch(query.begin_chunk, user_id, job_id, n)
    return Begun(*row)


async def asked(db: Connection, user_id: UUID, job_id: UUID, n: int, position: int) -> None:
    await db.execute(query.chunk_asked, user_id, job_id, n, position)


async def settle(db: Connection, user_id: UUID, job_id: UUID, n: int, *, done: int, code: str) -> None:
    await db.execute(query.settle_chunk, user_id, job_id, n, done, code)


async def give_up(
    db: Connection, user_id: UUID, job_id: UUID, account_id: UUID, code: str, *, begun: bool = False
) -> None:
    """What an account was not asked for is not asked for any more; `begun`: nor is any outcome waited for."""
    await db.execute(query.settle_account if begun else query.settle_rest, user_id, job_id, account_id, code)


async def settle_job(db: Connection, user_id: UUID, job_id: UUID) -> None:
    """If all that is begun, or to be begun, has its outcome."""
    await db.execute(query.settle_job, user_id, job_id)


def _hash(key: str) -> bytes:
    return sha256(key.encode()).digest()
