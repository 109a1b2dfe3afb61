"""What sync remembers of an account beside the log: a fold of its own facts, caught up from the log whenever it is behind."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from asyncpg import Record

from contracts import uidset
from contracts.facts import (
    Fact,
    FlagsChanged,
    GenerationOpened,
    MailboxFound,
    MailboxLost,
    MessageArrived,
    MessagesExpunged,
    SpecialUse,
)
from contracts.subjects import AccountSubjects
from projections.engine.log import Recorded
from projections.sql import Connection, Pool, Statements

query = Statements("services.sync", "memory.sql")


class Found(NamedTuple):
    """A mailbox as the last `mailbox.found` says; `lost` when the server listed it no more after that."""

    id: UUID
    path: str
    delimiter: str | None
    special_use: SpecialUse | None
    selectable: bool
    lost: bool


class History(Protocol):
    """What is asked of `services.log.reader`."""

    def history(self, under: str, upto: int, *, after: int = 0) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """The facts under a subject or filter, after one sequence and up to another, in batches."""


class Memory:
    """One account's. Only the owner of its lease may write it; what an earlier owner wrote late is caught up too."""

    def __init__(self, db: Pool, log: History, subjects: AccountSubjects) -> None:
        self._db = db
        self._log = log
        self._subjects = subjects
        self._user, self._account = subjects.user_id, subjects.account_id

    async def mailboxes(self, upto: int) -> dict[UUID, Found]:
        """Every mailbox ever found, as of a sequence of the account's sync subjects."""
        known = {row["mailbox_id"]: _found(row) for row in await self._db.fetch(query.mailboxes, *self._key)}
        after = await self._db.fetchval(query.sequence, *self._key) or 0
        async for facts in self._log.history(self._subjects.sync, upto, after=after):
            for _, fact in facts:
                if isinstance(fact, MailboxFound):
                    known[fact.mailbox_id] = found(fact)
                elif isinstance(fact, MailboxLost) and fact.mailbox_id in known:
                    known[fact.mailbox_id] = known[fact.mailbox_id]._replace(lost=True)
        await self.remember(list(known.values()), upto)
        return known

    async def remember(self, mailboxes: Sequence[Found], sequence: int) -> None:
        """These are what the log says; with those remembered before, all up to `sequence`."""
        rows = [(*self._key, *mailbox) for mailbox in mailboxes]
        async with self._db.acquire() as db, db.transaction():
            await db.executemany(query.remember_mailbox, rows)
            await db.execute(query.remember_sequence, *self._key, sequence)

    async def placements(self, mailbox_id: UUID, generation: int, upto: int) -> Mapping[int, frozenset[str]]:
        """Every UID told of a generation and not expunged since, with the flags last told."""
        async with self._db.acquire() as db, db.transaction():
            row = await db.fetchrow(query.folded, *self._key, mailbox_id)
            fold = _Fold(db, self._user, self._account, mailbox_id, row["generation"] if row else 0)
            async for facts in self._log.history(
                self._subjects.mailbox(mailbox_id), upto, after=row["sequence"] if row else 0
            ):
                for _, fact in facts:
                    await fold.tell(fact)
                await fold.flush()
            await db.execute(query.remember_folded, *self._key, mailbox_id, fold.generation, upto)
            if fold.generation != generation:
                return {}
            rows = await db.fetch(query.placements, self._user, mailbox_id)
        return {row["uid"]: frozenset(row["flags"]) for row in rows}

    @property
    def _key(self) -> tuple[UUID, UUID]:
        return self._user, self._account


class _Fold:
    """Keeps the placements of a mailbox's newest generation; arrivals are written many at a time."""

    def __init__(self, db: Connection, user: UUID, account: UUID, mailbox: UUID, generation: int) -> None:
        self.generation = generation
        self._db = db
        self._key = (user, account, mailbox)
        self._here = (user, mailbox)
        self._arrived: list[tuple[int, list[str]]] = []

    async def tell(self, fact: Fact) -> None:
        match fact:
            case GenerationOpened():
                self._arrived.clear()
                self.generation = fact.generation
                await self._db.execute(query.clear, *self._here)
            case MessageArrived() if fact.generation == self.generation:
                self._arrived.append((fact.uid, fact.flags))
            case FlagsChanged() if fact.generation == self.generation:
                await self.flush()
                for group in fact.groups:
                    await self._db.execute(query.reflag, *self._here, _multirange(group.uids), group.flags)
            case MessagesExpunged() if fact.generation == self.generation:
                await self.flush()
                await self._db.execute(query.remove, *self._here, _multirange(fact.uids))

    async def flush(self) -> None:
        arrived, self._arrived = self._arrived, []
        await self._db.executemany(query.place, [(*self._key, uid, flags) for uid, flags in arrived])


def _found(row: Record) -> Found:
    use = row["special_use"]
    return Found(
        id=row["mailbox_id"],
        path=row["path"],
        delimiter=row["delimiter"],
        special_use=SpecialUse(use) if use else None,
        selectable=row["selectable"],
        lost=row["lost"],
    )


def found(fact: MailboxFound) -> Found:
    """The mailbox as the fact says."""
    return Found(fact.mailbox_id, fact.path, fact.delimiter, fact.special_use, fact.selectable, lost=False)


def _multirange(uids: str) -> str:
    """A UID set as Postgres writes an int8multirange."""
    return "{" + ",".join(f"[{first},{last}]" for first, last in uidset.ranges(uids)) + "}"
