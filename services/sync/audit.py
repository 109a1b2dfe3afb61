"""The drift audit: a mailbox on the server against what the log tells of it; what differs is repaired, and said."""

from array import array
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

import structlog

from contracts import uidset
from contracts.facts import ContentChanged, DriftRepaired, Fact
from contracts.provider import FlagChange, MailboxStatus, MailSource
from projections.sql import Statements
from services.sync import changes, poison
from services.sync.cursor import Cursor
from services.sync.errors import Superseded
from services.sync.ingest import REFUSED, Ingest, Told
from services.sync.labels import parts
from services.sync.memory import Memory
from services.sync.reconcile import Outcomes, look

query = Statements("services.sync", "audit.sql")

MOST = 100_000
"""Missing messages fetched in one audit; a server may claim to hold far more than it does."""

Ranges = list[tuple[int, int]]

log = structlog.get_logger()


class Drift(NamedTuple):
    """UIDs that the log lacks, and UIDs that the server lacks."""

    missing: Ranges
    surplus: Ranges


async def audit(cursor: Cursor, source: MailSource, ingest: Ingest, outcomes: Outcomes, *, whole: bool = False) -> bool:
    """Whether one mailbox, whose backfill is done, is held as the server has it; after this it is, if it can be.

    The UIDs are compared, and with `whole` (a resync) every flag; then messages that the server did not give are asked
    for again. Of a difference a poll is told first: only what it leaves is drift. Raises ProviderError, Superseded.
    """
    memory = cursor.memory
    if memory is None or not cursor.mark.done:
        return True
    async with cursor.polling:
        seen = await look(cursor, source, ingest, outcomes)
        if seen.delta.reset:
            return True
        status, drift = await _compare(cursor, memory, source)
        if any(drift):
            seen = await look(cursor, source, ingest, outcomes)
            if seen.delta.reset:
                return True
            status, drift = seen.delta.status, _left(drift, await _uids(cursor, memory))
            await _repair(cursor, source, ingest, drift, seen.as_of)
        await _report(cursor, memory, status)
    equal = not any(drift)
    if cursor.labels is not None:
        await cursor.labels.settle(source, seen.as_of, whole=whole)
    elif whole and status.highestmodseq is not None:  # without, the poll has compared them
        equal &= await _compare_flags(cursor, memory, source, seen.as_of)
    if whole:
        await _ask_again(cursor, memory, source, ingest)
    return equal


async def _compare(cursor: Cursor, memory: Memory, source: MailSource) -> tuple[MailboxStatus, Drift]:
    mark = cursor.mark
    status, there = await source.uids(cursor.mailbox.path, uidvalidity=mark.uidvalidity)
    held = _ranges(await _uids(cursor, memory))
    server = [(low, min(high, mark.high_uid)) for low, high in uidset.ranges(there) if low <= mark.high_uid]
    return status, Drift(_minus(server, held), _minus(held, server))


def _left(drift: Drift, uids: "array[int]") -> Drift:
    """What a poll after the comparison has not settled."""
    held = _ranges(uids)
    return Drift(_minus(drift.missing, held), _minus(drift.surplus, _minus(drift.surplus, held)))


async def _repair(cursor: Cursor, source: MailSource, ingest: Ingest, drift: Drift, as_of: int) -> None:
    generation = cursor.mark.generation
    gone: list[Fact] = []
    if cursor.labels is not None:
        async for facts in cursor.labels.changed([], _texts(drift.surplus), as_of):
            gone += facts
    else:
        gone += changes.expunged(cursor.who, cursor.mailbox.id, generation, _texts(drift.surplus))
    first, *more = changes.batches(gone)
    if first:
        await cursor.append([*first, _repaired(cursor, surplus=_size(drift.surplus))], generation)
    for batch in more:
        await cursor.append(batch, generation)

    async def write(told: Told) -> None:
        async for part, arrived in parts(cursor, told):
            if arrived:
                missing = len(part.facts)
                await cursor.append([*arrived, _repaired(cursor, missing=missing)], generation, told=missing)

    wanted = (uid for low, high in drift.missing for uid in range(low, high + 1))
    await ingest.run(cursor, poison.fetched(cursor, source, islice(wanted, MOST)), write, as_of=as_of)


def _repaired(cursor: Cursor, *, missing: int = 0, surplus: int = 0, flags: int = 0) -> DriftRepaired:
    mailbox = cursor.mailbox.id
    log.warning("drift repaired", mailbox=str(mailbox), missing=missing, surplus=surplus, flags=flags)
    return DriftRepaired(
        **cursor.who._asdict(),
        at=datetime.now(UTC),
        mailbox_id=mailbox,
        generation=cursor.mark.generation,
        missing=missing,
        surplus=surplus,
        flags=flags,
    )


async def _compare_flags(cursor: Cursor, memory: Memory, source: MailSource, as_of: int) -> bool:
    """Whether all flags are as the server's. A page at a time, and polls go on between; what the server has changed since
    the last poll is for the next one.
    """
    generation, equal = cursor.mark.generation, True
    pages = source.listing(cursor.mailbox.path, uidvalidity=cursor.mark.uidvalidity).__aiter__()
    while True:
        async with cursor.polling:
            page = await anext(pages, None)
            if page is None:
                return equal
            if cursor.mark.generation != generation:
                raise Superseded("the mailbox was opened anew")
            polled = cursor.since().highestmodseq or 0
            uids = [one.uid for one in page]
            held = await memory.flags(cursor.mailbox.id, generation, uids, cursor.last_sequence)
            astray = [
                FlagChange(uid=one.uid, flags=one.flags, modseq=polled)  # newer than all that was told of it
                for one in page
                if held.get(one.uid, one.flags) != one.flags and (one.modseq or 0) <= polled
            ]
            if astray:
                facts = changes.reflagged(cursor.who, cursor.mailbox.id, generation, astray, as_of)
                await cursor.append([*facts, _repaired(cursor, flags=len(astray))], generation)
                equal = False


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
