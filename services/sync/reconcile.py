"""One poll of a mailbox, told as facts: flags, expunges, arrivals, and a new generation when the server numbers anew."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime

from contracts import uidset
from contracts.facts import Fact, FlagGroup, FlagsChanged, MessagesExpunged
from contracts.provider import FlagChange, MailboxDelta, MailSource
from services.sync.cursor import Cursor
from services.sync.ingest import Ingest, Told

SET_BYTES = 64_000
"""A UID set in a fact (design §2)."""

FACTS_A_BATCH = 100

Outcomes = Callable[[], Awaitable[int]]
"""The sequence of the account's last outcome in the log."""


async def reconcile(cursor: Cursor, source: MailSource, ingest: Ingest, outcomes: Outcomes) -> bool:
    """Look once, and tell what is new: whether there was anything. Raises ProviderError, Superseded."""
    async with cursor.polling:
        as_of = await outcomes()
        mark = cursor.mark
        delta = await source.poll(cursor.mailbox.path, cursor.since())
        if delta.reset:
            await cursor.open(delta.status)
            return True
        moved = {"highestmodseq": delta.status.highestmodseq or 0, "outcomes_seen": as_of}
        facts = list(_changes(cursor, delta, as_of))
        for start in range(0, len(facts), FACTS_A_BATCH):
            part = facts[start : start + FACTS_A_BATCH]
            last = start + FACTS_A_BATCH >= len(facts)
            await cursor.append(part, mark.generation, **(moved if last else {}))
        if delta.new_uids:
            await _arrivals(cursor, source, ingest, delta, moved)
        cursor.seen = delta.status
        return bool(facts or delta.new_uids)


async def _arrivals(
    cursor: Cursor, source: MailSource, ingest: Ingest, delta: MailboxDelta, moved: dict[str, int]
) -> None:
    mark = cursor.mark
    newest = delta.new_uids[-1]

    async def write(told: Told) -> None:
        more = moved if told.highest == newest else {}
        await cursor.append(told.facts, mark.generation, told=len(told.facts), high_uid=told.highest, **more)

    batches = source.fetch(cursor.mailbox.path, delta.new_uids, uidvalidity=mark.uidvalidity)
    await ingest.run(cursor, batches, write)


def _changes(cursor: Cursor, delta: MailboxDelta, as_of: int) -> Iterator[Fact]:
    """Only of what is told: what the backfill has not reached yet is told as it then is."""
    mark = cursor.mark
    place = {**cursor.who._asdict(), "at": datetime.now(UTC), "mailbox_id": cursor.mailbox.id}
    told = [change for change in delta.flag_changes if mark.floor_uid <= change.uid <= mark.high_uid]
    modseq = max((change.modseq or 0 for change in told), default=0)
    for groups in _packed(told):
        yield FlagsChanged(**place, generation=mark.generation, groups=groups, modseq=modseq, as_of=as_of)
    for uids in _pieces(_clipped(delta.expunged, mark.floor_uid, mark.high_uid)):
        yield MessagesExpunged(**place, generation=mark.generation, uids=uids)


def _packed(changes: Sequence[FlagChange]) -> Iterator[list[FlagGroup]]:
    """Groups of equal flags, together at most about SET_BYTES."""
    uids: dict[tuple[str, ...], list[int]] = {}
    for change in changes:
        uids.setdefault(tuple(sorted(change.flags)), []).append(change.uid)
    groups: list[FlagGroup] = []
    size = 0
    for flags, members in uids.items():
        for part in uidset.split(members, SET_BYTES):
            weight = len(part) + sum(map(len, flags)) + 50
            if groups and size + weight > SET_BYTES:
                yield groups
                groups, size = [], 0
            groups.append(FlagGroup(uids=part, flags=list(flags)))
            size += weight
    if groups:
        yield groups


def _clipped(uids: str, lowest: int, highest: int) -> Iterator[str]:
    """The ranges of a set that lie within bounds; one may span more than ever existed, so none is expanded."""
    for first, last in uidset.ranges(uids):
        low, high = max(first, lowest), min(last, highest)
        if low <= high:
            yield str(low) if low == high else f"{low}:{high}"


def _pieces(ranges: Iterator[str]) -> Iterator[str]:
    piece: list[str] = []
    size = 0
    for text in ranges:
        if piece and size + len(text) + 1 > SET_BYTES:
            yield ",".join(piece)
            piece, size = [], 0
        piece.append(text)
        size += len(text) + 1
    if piece:
        yield ",".join(piece)
