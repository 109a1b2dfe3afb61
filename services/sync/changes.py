"""Changes of placements as facts of bounded size: flags in groups, expunges as UID sets."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

from contracts import uidset
from contracts.facts import Fact, FlagGroup, FlagsChanged, MessageArrived, MessagesExpunged
from contracts.provider import FlagChange
from services.sync.cursor import MOST, Who

SET_BYTES = 64_000
"""A UID set in a fact (design §2)."""

SETS = 100
"""Facts with such sets in one batch."""


def reflagged(
    who: Who, mailbox: UUID, generation: int, changes: Sequence[FlagChange], as_of: int
) -> Iterator[FlagsChanged]:
    """What these placements' flags are now."""
    modseq = max((change.modseq or 0 for change in changes), default=0)
    for groups in _packed(changes):
        yield FlagsChanged(
            **who._asdict(),
            at=datetime.now(UTC),
            mailbox_id=mailbox,
            generation=generation,
            groups=groups,
            modseq=modseq,
            as_of=as_of,
        )


def expunged(who: Who, mailbox: UUID, generation: int, ranges: Iterable[str]) -> Iterator[MessagesExpunged]:
    """These placements are gone; `ranges` are pieces of a UID set."""
    for uids in _pieces(ranges):
        yield MessagesExpunged(
            **who._asdict(), at=datetime.now(UTC), mailbox_id=mailbox, generation=generation, uids=uids
        )


def batches(facts: Iterable[Fact]) -> list[list[Fact]]:
    """As many at a time as the log takes at once; at least one batch, which may be empty."""
    found: list[list[Fact]] = [[]]
    weight = 0
    for fact in facts:
        heavy = 1 if isinstance(fact, MessageArrived) else MOST // SETS
        if weight + heavy > MOST:
            found.append([])
            weight = 0
        found[-1].append(fact)
        weight += heavy
    return found


def clipped(uids: str, lowest: int, highest: int) -> Iterator[str]:
    """The ranges of a set that lie within bounds; one may span more than ever existed, so none is expanded."""
    for first, last in uidset.ranges(uids):
        low, high = max(first, lowest), min(last, highest)
        if low <= high:
            yield str(low) if low == high else f"{low}:{high}"


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


def _pieces(ranges: Iterable[str]) -> Iterator[str]:
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
