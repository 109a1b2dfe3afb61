"""One poll of a mailbox, told as facts: flags, expunges, arrivals, and a new generation when the server numbers anew."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from contracts.facts import Fact
from contracts.provider import MailboxDelta, MailboxError, MailSource, ProviderNotSupported
from services.sync import changes, poison
from services.sync.cursor import Cursor
from services.sync.doubts import doubted
from services.sync.generations import renumber
from services.sync.ingest import Ingest, Told
from services.sync.labels import parts

Outcomes = Callable[[], Awaitable[int]]
"""The sequence of the account's last outcome in the log."""


class Look(NamedTuple):
    """What a poll saw, whether any of it was new, and the last outcome that it includes."""

    delta: MailboxDelta
    news: bool
    as_of: int


async def reconcile(cursor: Cursor, source: MailSource, ingest: Ingest, outcomes: Outcomes) -> bool:
    """Look once, and tell what is new: whether there was anything. Raises ProviderError, Superseded."""
    async with cursor.polling:
        seen = await look(cursor, source, ingest, outcomes)
    if cursor.labels is not None and cursor.labels.unsettled:
        await cursor.labels.settle(source, seen.as_of)
    return seen.news


async def look(cursor: Cursor, source: MailSource, ingest: Ingest, outcomes: Outcomes) -> Look:
    """The same for whoever holds `polling` already."""
    as_of = await outcomes()
    floor = cursor.mark.floor_uid
    with readable(cursor):
        delta = await source.poll(cursor.mailbox.path, cursor.since())
    if delta.reset:
        return Look(delta, await renumber(cursor, delta.status), as_of)
    moved: dict[str, Any] = {"highestmodseq": delta.status.highestmodseq or 0}
    whole = {**moved, "outcomes_seen": as_of}
    flags = (*delta.flag_changes, *await doubted(cursor, delta, as_of, floor))
    delta = msgspec.structs.replace(delta, flag_changes=flags)
    told = await _tell(cursor, delta, as_of, moved if delta.new_uids else whole)
    if delta.new_uids:
        await _arrivals(cursor, source, ingest, delta, whole)
    elif not told and as_of > cursor.mark.outcomes_seen and _worth_marking(cursor, delta):
        await cursor.append([], cursor.mark.generation, **whole)
    cursor.seen, cursor.looked = delta.status, as_of
    return Look(delta, told or bool(delta.new_uids), as_of)


def _worth_marking(cursor: Cursor, delta: MailboxDelta) -> bool:
    """Of a poll that found nothing: what an outcome put there is gone already, or outcomes were read that no worker after us
    need read again.
    """
    gone = delta.status.uidnext > cursor.mark.high_uid + 1
    return gone or (cursor.mark.done and cursor.looked is None and delta.status.highestmodseq is None)


@contextmanager
def readable(cursor: Cursor) -> Iterator[None]:
    """Notes where the server would not open the mailbox. One without lasting numbers (RFC 3501 §6.3.1) is as good as that."""
    try:
        yield
    except ProviderNotSupported as error:
        cursor.parked_at = cursor.refused_at = time.monotonic()
        raise MailboxError("rejected", error.detail) from None
    except MailboxError as error:
        if error.code in ("mailbox_missing", "no_permission"):
            cursor.parked_at = cursor.refused_at = time.monotonic()
        raise


async def _tell(cursor: Cursor, delta: MailboxDelta, as_of: int, moved: dict[str, Any]) -> bool:
    """Flags and expunges; the mark moves with the last of them, and includes outcomes only when arrivals are told too."""
    generation = cursor.mark.generation
    waiting: list[Fact] = []
    async for facts in _changes(cursor, delta, as_of):
        *full, waiting = changes.batches([*waiting, *facts])
        for batch in full:
            await cursor.append(batch, generation)
    if waiting:
        await cursor.append(waiting, generation, **moved)
    return bool(waiting)


async def _changes(cursor: Cursor, delta: MailboxDelta, as_of: int) -> AsyncIterator[list[Fact]]:
    """Only of what is told: what the backfill has not reached yet is told as it then is."""
    mark, who = cursor.mark, cursor.who
    told = [change for change in delta.flag_changes if mark.floor_uid <= change.uid <= mark.high_uid]
    gone = list(changes.clipped(delta.expunged, mark.floor_uid, mark.high_uid))
    if cursor.labels is None:
        flags = changes.reflagged(who, cursor.mailbox.id, mark.generation, told, as_of)
        yield [*flags, *changes.expunged(who, cursor.mailbox.id, mark.generation, gone)]
    elif told or gone:
        async for facts in cursor.labels.changed(told, gone, as_of):
            yield facts


async def _arrivals(
    cursor: Cursor, source: MailSource, ingest: Ingest, delta: MailboxDelta, moved: dict[str, Any]
) -> None:
    generation = cursor.mark.generation
    newest = delta.new_uids[-1]

    async def write(told: Told) -> None:
        async for part, facts in parts(cursor, told):
            more = moved if part.highest == newest else {}
            await cursor.append(facts, generation, told=len(part.facts), high_uid=part.highest, **more)

    await ingest.run(cursor, poison.fetched(cursor, source, delta.new_uids), write, as_of=moved["outcomes_seen"])
