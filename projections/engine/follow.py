"""Fold the log into a projection's rows, a batch a transaction, for ever."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from uuid import UUID

import msgspec

from contracts import codec, subjects
from contracts.events import Event, name
from contracts.facts import AccountErased, Fact
from projections import sql
from projections.documents.document import Document
from projections.engine import control
from projections.engine.errors import Overtaken
from projections.engine.log import Log, Recorded, Tail
from projections.engine.passing import Passes
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

    def __init__(
        self,
        projection: Projection,
        log: Log,
        db: Pool,
        documents: Documents,
        *,
        schema: str = "",
        passes: Passes | None = None,
    ) -> None:
        self.schema = schema or projection.name
        self.live = self.schema == projection.name
        self.patience = projection.patience
        self._projection = projection
        self._log = log
        self._db = db
        self._documents = documents
        self._passes = passes
        self._known: dict[UUID, set[UUID]] = {}  # erased accounts by user, as of position `_at`
        self._at = -1

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

    async def tell(self, facts: Batch, after: int, to: int) -> bool:
        """Fold these facts and move the position from `after` to `to`, all or nothing. Raises Overtaken.

        Whether there is something to announce.
        """
        if after != self._at:
            self._known.clear()
        slices = dict(by_user([recorded for recorded in facts if self._concerns(recorded.fact)]))
        announced = await self._tell(slices, after, to) if slices else await self._pass(after, to)
        self._at = to
        return announced

    async def _pass(self, after: int, to: int) -> bool:
        """Nothing of all this concerns the projection."""
        if self._passes is None or not await self._passes.move(self.schema, after, to):
            self._moved(await self._db.execute(self._move(after, to)), after)
        return False

    async def _tell(self, slices: Mapping[UUID, Batch], after: int, to: int) -> bool:
        erased = {user: await self._erased(user) for user in slices}
        documents = {user: await self._prefetch(user, slice_, erased[user]) for user, slice_ in slices.items()}
        events: list[Event] = []
        opening = f"BEGIN; SET LOCAL search_path TO {self.schema}, public; {self._move(after, to)}"
        async with sql.begun(self._db, opening) as (db, moved):
            self._moved(moved, after)
            for user, slice_ in slices.items():
                events += await self._fold(db, slice_, erased[user], Transaction(db, user, documents[user]))
            if self.live:
                await self._enqueue(db, to, events)
        return self.live and bool(events)

    def _concerns(self, fact: Fact) -> bool:
        return self._projection.folds(fact) or isinstance(fact, AccountErased)

    def _move(self, after: int, to: int) -> str:
        """A statement that goes along with others in one round trip. Who waits for the live position is told by `control.MOVED`."""
        place = f"schema = '{self.schema}' AND partition = {self._log.partition}"
        told = (
            f" RETURNING pg_notify('{control.MOVED}', '{self.schema} {self._log.partition} {to}')" if self.live else ""
        )
        return f"UPDATE control.positions SET sequence = {to} WHERE {place} AND sequence = {after}{told}"

    def _moved(self, status: str, after: int) -> None:
        if status != "UPDATE 1":
            raise Overtaken(f"{self.schema} is no longer at {after} of partition {self._log.partition}")

    async def _erased(self, user: UUID) -> set[UUID]:
        """Asked once: only this folder's own folds change it, while the position is where it left it."""
        if user not in self._known:
            statement = f"SELECT account_id FROM {self.schema}.erased WHERE user_id = $1"
            self._known[user] = {row["account_id"] for row in await self._db.fetch(statement, user)}
        return self._known[user]

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
            del self._known[tx.user_id]
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


async def follow(folder: Folder, log: Tail, committed: Callable[[], None] = lambda: None) -> None:
    """Fold what there is and what comes, until cancelled, and say what is to be announced. Raises Overtaken when another took over."""
    position = await folder.position()
    while True:
        facts = await log.coming(position, BATCH)
        if folder.patience and 0 < len(facts) < BATCH:
            await asyncio.sleep(folder.patience)
            facts = await log.coming(position, BATCH)
        if facts:
            announced = await folder.tell(facts, position, facts[-1].sequence)
            position = facts[-1].sequence
            if announced:
                committed()


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
