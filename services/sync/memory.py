"""What sync remembers of an account beside the log: a fold of its own facts, caught up from the log whenever it is behind."""

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from asyncpg import Record

from contracts import uidset
from contracts.facts import (
    ContentChanged,
    Fact,
    FlagsChanged,
    GenerationCommitted,
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

PAGE = 5000
"""Rows read at a time."""


class Found(NamedTuple):
    """A mailbox as the last `mailbox.found` says; `lost` when the server listed it no more after that."""

    id: UUID
    path: str
    delimiter: str | None
    special_use: SpecialUse | None
    selectable: bool
    lost: bool
    remote_id: str = ""


class History(Protocol):
    """What is asked of `services.log.reader`."""

    def history(self, under: str, upto: int, *, after: int = 0) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """The facts under a subject or filter, after one sequence and up to another, in batches."""


class Placements(Mapping[int, frozenset[str]]):
    """UIDs, ascending, and their flags: eight bytes a message, since a mailbox may hold very many."""

    def __init__(self) -> None:
        self._uids = array("I")
        self._kinds = array("I")
        self._flags: list[frozenset[str]] = []
        self._known: dict[tuple[str, ...], int] = {}

    def add(self, uid: int, flags: Sequence[str]) -> None:
        """Of a UID above all others."""
        key = tuple(flags)
        kind = self._known.setdefault(key, len(self._flags))
        if kind == len(self._flags):
            self._flags.append(frozenset(key))
        self._uids.append(uid)
        self._kinds.append(kind)

    def __getitem__(self, uid: int) -> frozenset[str]:
        at = bisect_left(self._uids, uid)
        if at == len(self._uids) or self._uids[at] != uid:
            raise KeyError(uid)
        return self._flags[self._kinds[at]]

    def __iter__(self) -> Iterator[int]:
        return iter(self._uids)

    def __len__(self) -> int:
        return len(self._uids)


class Memory:
    """One account's. Only the owner of its lease may write it; what an earlier owner wrote late is caught up too."""

    def __init__(self, db: Pool, log: History, subjects: AccountSubjects) -> None:
        self.db = db
        self.user, self.account = subjects.user_id, subjects.account_id
        self._log = log
        self._subjects = subjects
        self._folding = asyncio.Lock()

    async def mailboxes(self, upto: int) -> dict[UUID, Found]:
        """Every mailbox ever found, as of a sequence of the account's sync subjects."""
        known = {row["mailbox_id"]: _found(row) for row in await self.db.fetch(query.mailboxes, *self._key)}
        after = await self.db.fetchval(query.sequence, *self._key) or 0
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
        async with self.db.acquire() as db, db.transaction():
            if mailboxes:
                await db.execute(query.remember_mailboxes, *self._key, *map(list, zip(*mailboxes, strict=True)))
            await db.execute(query.remember_sequence, *self._key, sequence)

    async def catch_up(self, mailboxes: Collection[UUID], upto: int) -> Mapping[UUID, int]:
        """Fold what the log says of these mailboxes' placements up to `upto`; the newest generation of each."""
        async with self._folding, self.db.acquire() as db, db.transaction():
            rows = {row["mailbox_id"]: row for row in await db.fetch(query.folded, *self._key, list(mailboxes))}
            folds = {one: _Fold(db, self._key, one, row["generation"]) for one, row in rows.items()}
            done = {one: row["sequence"] for one, row in rows.items()}
            only = next(iter(folds)) if len(folds) == 1 else None
            under = self._subjects.mailbox(only) if only else f"{self._subjects.root}.sync.*"
            async for facts in self._log.history(under, upto, after=min(done.values(), default=upto)):
                for sequence, fact in facts:
                    mailbox = getattr(fact, "mailbox_id", None)  # none: of a message, wherever it is
                    for one in folds if mailbox is None else folds.keys() & {mailbox}:
                        if sequence > done[one]:
                            await folds[one].tell(fact)
                for fold in folds.values():
                    await fold.flush()
            newest = {one: fold.generation for one, fold in folds.items()}
            await db.execute(query.remember_folded, *self._key, list(newest), list(newest.values()), upto)
            return newest

    async def placements(self, mailbox_id: UUID, generation: int, upto: int) -> Mapping[int, frozenset[str]]:
        """Every UID told of a generation and not expunged since, with the flags last told."""
        placements = Placements()
        await self.catch_up([mailbox_id], upto)
        async with self.db.acquire() as db, db.transaction():
            async for row in db.cursor(query.flags, self.user, mailbox_id, generation, prefetch=PAGE):
                placements.add(row["uid"], row["flags"])
        return placements

    async def flags(
        self, mailbox_id: UUID, generation: int, uids: Collection[int], upto: int
    ) -> dict[int, frozenset[str]]:
        """The same of these UIDs alone."""
        await self.catch_up([mailbox_id], upto)
        rows = await self.db.fetch(query.flags_of, self.user, mailbox_id, generation, list(uids))
        return {row["uid"]: frozenset(row["flags"]) for row in rows}

    async def uids(self, mailbox_id: UUID, generation: int, upto: int) -> "array[int]":
        """Every such UID without flags, ascending."""
        found = array("I")
        await self.catch_up([mailbox_id], upto)
        async with self.db.acquire() as db, db.transaction():
            async for row in db.cursor(query.uids, self.user, mailbox_id, generation, prefetch=PAGE):
                found.append(row["uid"])
        return found

    async def count(self, mailbox_id: UUID, generation: int, upto: int) -> int:
        """How many placements of a generation there are."""
        await self.catch_up([mailbox_id], upto)
        count: int = await self.db.fetchval(query.count, self.user, mailbox_id, generation)
        return count

    def outcomes(self, after: int, upto: int) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """What became of the account's requests, after one sequence and up to another."""
        return self._log.history(self._subjects.outcome, upto, after=after)

    async def check(self, mailbox_id: UUID, held: int, on_server: int, *, equal: bool) -> None:
        """A mailbox was compared with the server just now."""
        await self.db.execute(query.check, *self._key, mailbox_id, held, on_server, equal)

    async def compared(self) -> list[UUID]:
        """Mailboxes that were compared with the server at some time."""
        return [row["mailbox_id"] for row in await self.db.fetch(query.compared, *self._key)]

    async def check_again(self, mailboxes: Sequence[UUID]) -> None:
        """These are as they were when they were compared."""
        if mailboxes:
            await self.db.execute(query.check_again, *self._key, list(mailboxes))

    async def uncheck(self, mailbox_id: UUID) -> None:
        """The mailbox is no more."""
        await self.db.execute(query.uncheck, *self._key, mailbox_id)

    @property
    def _key(self) -> tuple[UUID, UUID]:
        return self.user, self.account


class _Fold:
    """Keeps the placements of a mailbox' newest generation, and of those before it until it is committed: by them the
    newest is matched with what is known. Arrivals are written many at a time.
    """

    def __init__(self, db: Connection, key: tuple[UUID, UUID], mailbox: UUID, generation: int) -> None:
        self.generation = generation
        self._db = db
        self._key = (*key, mailbox)
        self._here = (key[0], mailbox)
        self._arrived: dict[int, tuple[Any, ...]] = {}

    async def tell(self, fact: Fact) -> None:
        match fact:
            case GenerationOpened():
                await self.flush()
                self.generation = fact.generation
                await self._db.execute(query.clear_from, *self._here, fact.generation)
            case GenerationCommitted():
                await self._db.execute(query.clear_before, *self._here, fact.generation)
            case MessageArrived() if fact.generation == self.generation:
                self._arrived[fact.uid] = _row(fact)
            case FlagsChanged() if fact.generation == self.generation:
                await self.flush()
                for group in fact.groups:
                    where = (*self._here, self.generation, multirange(group.uids))
                    await self._db.execute(query.reflag, *where, group.flags)
            case MessagesExpunged() if fact.generation == self.generation:
                await self.flush()
                await self._db.execute(query.remove, *self._here, self.generation, multirange(fact.uids))
            case ContentChanged():
                await self.flush()
                content = (fact.message_id, fact.blob, fact.size, fact.evidence)
                await self._db.execute(query.change_content, *self._here, *content)

    async def flush(self) -> None:
        rows, self._arrived = list(self._arrived.values()), {}
        if rows:
            await self._db.execute(query.place, *self._key, self.generation, *map(list, zip(*rows, strict=True)))


def _row(fact: MessageArrived) -> tuple[Any, ...]:
    return (
        fact.uid,
        " ".join(fact.flags),  # no flag has a space (RFC 9051 §9)
        fact.message_id,
        fact.blob,
        fact.size,
        fact.internal_date,
        fact.evidence,
        fact.unreadable,
        fact.email_id,
        fact.remote_thread,
    )


def _found(row: Record) -> Found:
    use = row["special_use"]
    return Found(
        id=row["mailbox_id"],
        path=row["path"],
        delimiter=row["delimiter"],
        special_use=SpecialUse(use) if use else None,
        selectable=row["selectable"],
        lost=row["lost"],
        remote_id=row["remote_id"],
    )


def found(fact: MailboxFound) -> Found:
    """The mailbox as the fact says."""
    return Found(
        fact.mailbox_id,
        fact.path,
        fact.delimiter,
        fact.special_use,
        fact.selectable,
        lost=False,
        remote_id=fact.remote_id,
    )


def multirange(uids: str) -> str:
    """A UID set as Postgres writes an int8multirange."""
    return "{" + ",".join(f"[{first},{last}]" for first, last in uidset.ranges(uids)) + "}"
