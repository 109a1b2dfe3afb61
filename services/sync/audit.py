"""The drift audit: a mailbox on the server against what the log tells of it; what differs is repaired, and said."""

from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

import structlog

from contracts import uidset
from contracts.facts import ContentChanged, DriftRepaired, Fact
from contracts.provider import FlagChange, MailboxStatus, MailSource, Seen
from projections.sql import Statements
from services.sync import changes, poison
from services.sync.cursor import Cursor
from services.sync.ingest import REFUSED, Ingest, Told
from services.sync.labels import parts
from services.sync.memory import Memory
from services.sync.reconcile import Look, Outcomes, look

query = Statements("services.sync", "audit.sql")

MOST = 100_000
"""Missing messages fetched in one audit; a server may claim to hold far more than it does."""

Ranges = list[tuple[int, int]]

log = structlog.get_logger()


class Drift(NamedTuple):
    """UIDs that the log lacks, UIDs that the server lacks, and flags that differ."""

    missing: Ranges
    surplus: Ranges
    flags: Sequence[FlagChange]


async def audit(cursor: Cursor, source: MailSource, ingest: Ingest, outcomes: Outcomes, *, whole: bool = False) -> bool:
    """Whether one mailbox, whose backfill is done, is held as the server has it; after this it is, if it can be.

    The UIDs are compared, and with `whole` (a resync) every flag; then messages that the server did not give are asked
    for again. Of a difference a poll is told first: only what it leaves is drift. Raises ProviderError, Superseded.
    """
    if cursor.memory is None or not cursor.mark.done:
        return True
    async with cursor.polling:
        seen = await look(cursor, source, ingest, outcomes)
        if seen.delta.reset:
            return True
        status, drift = await _compare(cursor, cursor.memory, source, seen, whole=whole)
        if any(drift):
            seen = await look(cursor, source, ingest, outcomes)
            if seen.delta.reset:
                return True
            status = seen.delta.status
            drift = _left(drift, seen, await _uids(cursor, cursor.memory))
        await _repair(cursor, source, ingest, drift, seen.as_of)
        if cursor.labels is not None:
            await cursor.labels.settle(source, seen.as_of, whole=whole)
        if whole:
            await _ask_again(cursor, cursor.memory, source, ingest)
        await _report(cursor, cursor.memory, status)
        return not any(drift)


async def _compare(
    cursor: Cursor, memory: Memory, source: MailSource, seen: Look, *, whole: bool
) -> tuple[MailboxStatus, Drift]:
    path, mark = cursor.mailbox.path, cursor.mark
    status, there = await source.uids(path, uidvalidity=mark.uidvalidity)
    held = _ranges(await _uids(cursor, memory))
    server = [(low, min(high, mark.high_uid)) for low, high in uidset.ranges(there) if low <= mark.high_uid]
    flags: Sequence[FlagChange] = ()
    if whole and seen.delta.status.highestmodseq is not None:  # without, the poll has compared them
        everything = Seen(uidvalidity=mark.uidvalidity, high_uid=mark.high_uid, highestmodseq=None)
        flags = (await source.poll(path, everything)).flag_changes
    return status, Drift(_minus(server, held), _minus(held, server), flags)


def _left(drift: Drift, seen: Look, uids: "array[int]") -> Drift:
    """What a poll after the comparison has not settled."""
    held = _ranges(uids)
    settled = {change.uid for change in seen.delta.flag_changes}
    return Drift(
        _minus(drift.missing, held),
        _minus(drift.surplus, _minus(drift.surplus, held)),
        [change for change in drift.flags if change.uid not in settled],
    )


async def _repair(cursor: Cursor, source: MailSource, ingest: Ingest, drift: Drift, as_of: int) -> None:
    who, mailbox, generation = cursor.who, cursor.mailbox.id, cursor.mark.generation

    def repaired(missing: int = 0, surplus: int = 0, flags: int = 0) -> DriftRepaired:
        log.warning("drift repaired", mailbox=str(mailbox), missing=missing, surplus=surplus, flags=flags)
        return DriftRepaired(
            **who._asdict(),
            at=datetime.now(UTC),
            mailbox_id=mailbox,
            generation=generation,
            missing=missing,
            surplus=surplus,
            flags=flags,
        )

    if cursor.labels is not None:
        chunks = [chunk async for chunk in cursor.labels.changed(drift.flags, _texts(drift.surplus), as_of)]
        facts: list[Fact] = [fact for chunk in chunks for fact in chunk]
    else:
        facts = [
            *changes.reflagged(who, mailbox, generation, drift.flags, as_of),
            *changes.expunged(who, mailbox, generation, _texts(drift.surplus)),
        ]
    first, *more = changes.batches(facts)
    if first:
        said = repaired(surplus=_size(drift.surplus), flags=len(drift.flags))
        await cursor.append([*first, said], generation)
    for batch in more:
        await cursor.append(batch, generation)

    async def write(told: Told) -> None:
        async for part, arrived in parts(cursor, told):
            if arrived:
                said = repaired(missing=len(part.facts))
                await cursor.append([*arrived, said], generation, told=len(part.facts))

    missing = (uid for low, high in drift.missing for uid in range(low, high + 1))
    await ingest.run(cursor, poison.fetched(cursor, source, islice(missing, MOST)), write)


async def _ask_again(cursor: Cursor, memory: Memory, source: MailSource, ingest: Ingest) -> None:
    """Messages that the server did not give when they were told: perhaps now it does."""
    generation = cursor.mark.generation
    await memory.catch_up([cursor.mailbox.id], cursor.last_sequence)
    rows = await memory.db.fetch(query.refused, memory.user, cursor.mailbox.id, generation, REFUSED)
    placeholders = {row["uid"]: row["message_id"] for row in rows}

    async def write(told: Told) -> None:
        facts: list[Fact] = [
            ContentChanged(
                **cursor.who._asdict(),
                at=datetime.now(UTC),
                message_id=placeholders[fact.uid],
                blob=fact.blob,
                size=fact.size,
                evidence=fact.evidence,
            )
            for fact in told.facts
            if fact.unreadable != REFUSED
        ]
        if facts:
            await cursor.append(facts, generation)

    await ingest.run(cursor, poison.fetched(cursor, source, placeholders), write)


async def _report(cursor: Cursor, memory: Memory, status: MailboxStatus) -> None:
    """As it is now; what came or went since the comparison is the next poll's."""
    held = await memory.count(cursor.mailbox.id, cursor.mark.generation, cursor.last_sequence)
    equal = held == status.messages
    cursor.checked = status if equal else None
    await memory.check(cursor.mailbox.id, held, status.messages, equal=equal)


async def _uids(cursor: Cursor, memory: Memory) -> "array[int]":
    return await memory.uids(cursor.mailbox.id, cursor.mark.generation, cursor.last_sequence)


def _ranges(uids: Iterable[int]) -> Ranges:
    """Ascending UIDs as ranges that do not touch."""
    found: Ranges = []
    for uid in uids:
        if found and uid == found[-1][1] + 1:
            found[-1] = (found[-1][0], uid)
        else:
            found.append((uid, uid))
    return found


def _minus(ranges: Ranges, others: Ranges) -> Ranges:
    """What is in ascending ranges and in none of the others."""
    left: Ranges = []
    at = 0
    for low, high in ranges:
        start = low
        while at < len(others) and others[at][1] < start:
            at += 1
        n = at
        while n < len(others) and others[n][0] <= high:
            if others[n][0] > start:
                left.append((start, others[n][0] - 1))
            start = others[n][1] + 1
            n += 1
        if start <= high:
            left.append((start, high))
    return left


def _texts(ranges: Ranges) -> list[str]:
    return [f"{low}:{high}" if high > low else str(low) for low, high in ranges]


def _size(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)
