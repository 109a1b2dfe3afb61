"""Fold the log into a projection's rows, a batch a transaction, for ever."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from uuid import UUID

import msgspec

from contracts import codec, subjects
from contracts.events import Event, name
from contracts.facts import AccountErased, Fact
from projections.documents.document import Document
from projections.engine import control
from projections.engine.errors import Overtaken
from projections.engine.log import Log, Recorded
from projections.engine.prefetch import Documents, blobs
from projections.engine.projection import Projection
from projections.engine.transaction import Transaction
from projections.sql import Connection, Pool

Batch = Sequence[Recorded[Fact]]

BATCH = 500

_ENQUEUE = """INSERT INTO control.outbox (partition, sequence, projection, n, subject, payload)
              SELECT $1, $2, $3, n, subject, payload
              FROM unnest($4::text[], $5::bytea[]) WITH ORDINALITY AS said (subject, payload, n)"""


class Folder:
    """One projection's way through one partition, into the schema that serves (`live`) or into the one beside it."""

    def __init__(self, projection: Projection, log: Log, db: Pool, documents: Documents, *, schema: str = "") -> None:
        self.schema = schema or projection.name
        self.live = self.schema == projection.name
        self._projection = projection
        self._log = log
        self._db = db
        self._documents = documents

    async def position(self) -> int:
        """How far the schema's rows stand for the log."""
        statement = "SELECT sequence FROM control.positions WHERE schema = $1 AND partition = $2"
        position: int | None = await self._db.fetchval(statement, self.schema, self._log.partition)
        if position is None:
            raise Overtaken(f"{self.schema} has no position in partition {self._log.partition}")
        return position

    async def advance(self, after: int, limit: int = BATCH, *, upto: int | None = None) -> int:
        """Fold at most `limit` facts, none beyond `upto`, in one transaction; the new position. Raises Overtaken."""
        facts = [r for r in await self._log.read(after, limit) if upto is None or r.sequence <= upto]
        if facts:
            await self.tell(facts, after, facts[-1].sequence)
        return facts[-1].sequence if facts else after

    async def tell(self, facts: Batch, after: int, to: int) -> None:
        """Fold these facts and move the position from `after` to `to`, all or nothing. Raises Overtaken."""
        slices = dict(by_user(facts))
        erased = {user: await self._erased(user) for user in slices}
        documents = {user: await self._prefetch(user, slice_, erased[user]) for user, slice_ in slices.items()}
        events: list[Event] = []
        async with self._db.acquire() as db, db.transaction():
            await self._move(db, after, to)
            await db.execute(f"SET LOCAL search_path TO {self.schema}, public")
            for user, slice_ in slices.items():
                events += await self._fold(db, slice_, erased[user], Transaction(db, user, documents[user]))
            if self.live:
                await self._enqueue(db, to, events)

    async def _move(self, db: Connection, after: int, to: int) -> None:
        moved = await db.fetchval(
            """UPDATE control.positions SET sequence = $4
               WHERE schema = $1 AND partition = $2 AND sequence = $3 RETURNING true""",
            self.schema,
            self._log.partition,
            after,
            to,
        )
        if not moved:
            raise Overtaken(f"{self.schema} is no longer at {after} of partition {self._log.partition}")

    async def _erased(self, user: UUID) -> set[UUID]:
        statement = f"SELECT account_id FROM {self.schema}.erased WHERE user_id = $1"
        return {row["account_id"] for row in await self._db.fetch(statement, user)}

    async def _prefetch(self, user: UUID, facts: Batch, erased: set[UUID]) -> Mapping[str, Document]:
        """The documents of what will be folded: those of accounts erased in this very batch may be gone."""
        if not self._projection.documents:
            return {}
        kept = without(erased | {tomb.fact.account_id for tomb in tombstones(facts)}, facts)
        wanted = blobs(recorded.fact for recorded in kept if self._projection.folds(recorded.fact))
        return await self._documents.fetch(user, wanted, texts=self._projection.texts) if wanted else {}

    async def _fold(self, db: Connection, facts: Batch, erased: set[UUID], tx: Transaction) -> list[Event]:
        """One user's slice. At a tombstone the user's rows are made again from what remains of their log, silently."""
        fresh = [tomb for tomb in tombstones(facts) if tomb.fact.account_id not in erased]
        if fresh:
            erased = erased | {tomb.fact.account_id for tomb in fresh}
            last = fresh[-1].sequence
            await self._refold(db, tx.user_id, erased, last)
            facts = [recorded for recorded in facts if recorded.sequence > last]
        await self._projection.fold(without(erased, facts), tx)
        return tx.events

    async def _refold(self, db: Connection, user: UUID, erased: set[UUID], upto: int) -> None:
        for table in await control.tables(db, self.schema):
            await db.execute(f"DELETE FROM {table} WHERE user_id = $1", user)
        await db.executemany("INSERT INTO erased VALUES ($1, $2)", [(user, account) for account in sorted(erased)])
        async for facts in self._log.slice(user, upto):
            documents = await self._prefetch(user, facts, erased)
            await self._projection.fold(without(erased, facts), Transaction(db, user, documents))

    async def _enqueue(self, db: Connection, sequence: int, events: Sequence[Event]) -> None:
        """Events are rows first: what was committed is announced, whatever dies in between."""
        if events:
            announced = [_announcement(event, sequence) for event in events]
            subjects_, payloads = map(list, zip(*announced, strict=True))
            await db.execute(_ENQUEUE, self._log.partition, sequence, self._projection.name, subjects_, payloads)


async def follow(folder: Folder, log: Log, committed: Callable[[], None] = lambda: None) -> None:
    """Fold what there is and what comes, until cancelled, and say after each commit. Raises Overtaken when another took over."""
    position = await folder.position()
    while True:
        moved = await folder.advance(position)
        if moved == position:
            await log.grown(position)
        else:
            committed()
        position = moved


def by_user(facts: Batch) -> Iterator[tuple[UUID, Batch]]:
    """The batch split by user, each slice in log order: users don't touch each other."""
    slices: dict[UUID, list[Recorded[Fact]]] = {}
    for recorded in facts:
        slices.setdefault(recorded.fact.user_id, []).append(recorded)
    yield from slices.items()


def without(erased: set[UUID], facts: Batch) -> Batch:
    """Whatever comes for an erased account is ignored, its tombstone too."""
    return [recorded for recorded in facts if recorded.fact.account_id not in erased] if erased else facts


def tombstones(facts: Batch) -> list[Recorded[Fact]]:
    return [recorded for recorded in facts if isinstance(recorded.fact, AccountErased)]


def _announcement(event: Event, sequence: int) -> tuple[str, bytes]:
    placed = msgspec.structs.replace(event, position=sequence)
    return subjects.event(event.user_id, name(event)), codec.encode(placed)
