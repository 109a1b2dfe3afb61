"""A server that files a mail once and shows it under labels (X-GM-EXT-1): each label is a mailbox, and a labelled mail has
a placement there under the UID that it has in All Mail.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from asyncpg import Record

from contracts import uidset
from contracts.facts import Fact, MessageArrived, SpecialUse
from contracts.provider import FlagChange, Listed, MailSource
from projections.sql import Statements
from services.sync import changes
from services.sync.cursor import MOST, Cursor
from services.sync.errors import Superseded
from services.sync.ingest import Told
from services.sync.memory import Memory

query = Statements("services.sync", "labels.sql")

SYNCED = frozenset({SpecialUse.ALL, SpecialUse.JUNK, SpecialUse.TRASH})
"""What is opened and read of such a server; everything that it shows is in one of them."""

SYSTEM = {
    "\\inbox": SpecialUse.INBOX,
    "\\sent": SpecialUse.SENT,
    "\\draft": SpecialUse.DRAFTS,
    "\\drafts": SpecialUse.DRAFTS,
}
"""The server's own labels that have a mailbox. `\\Starred` is the flag `\\Flagged` under another name."""

MOST_STRANGE = 500
"""Labels without a mailbox for which the mailboxes are listed anew; a server may hide many, or make them up."""

PAGE = 1000
"""UIDs looked up at once."""

Part = tuple[Told, Sequence[Fact]]

Learn = Callable[[], Awaitable[None]]


class _Now(NamedTuple):
    """What the server says of a message that is told; without labels these are as they were."""

    flags: frozenset[str]
    modseq: int
    labels: frozenset[str] | None


class Labels:
    """The labels' mailboxes, which follow All Mail's cursor."""

    def __init__(self, leader: Cursor, memory: Memory) -> None:
        self._leader = leader
        self._memory = memory
        self._learn: Learn | None = None
        self._strange: set[str] = set()
        self._counts: dict[UUID, int] = {}
        self._differed: Mapping[UUID, int] = {}
        self._in_vain: Mapping[UUID, int] = {}

    def listed(self, counts: Mapping[UUID, int], learn: Learn) -> None:
        """How many messages the server's last listing has under each label; `learn` lists its mailboxes anew."""
        self._counts = dict(counts)
        self._learn = learn

    async def parts(self, told: Told, *, newest_first: bool) -> AsyncIterator[Part]:
        """See below; facts include those of the labels' mailboxes."""
        await self._meet(label for labels in told.labels.values() for label in labels)
        self._leader.begun = True
        names = self._by_name
        arrived = sorted(told.facts, key=lambda fact: fact.uid, reverse=newest_first)
        part: list[MessageArrived] = []
        facts: list[Fact] = []
        for fact in arrived:
            more = _placed(fact, told.labels.get(fact.uid, ()), names)
            if part and len(facts) + len(more) > MOST:
                edge = part[-1].uid
                yield Told(part, edge if newest_first else told.lowest, told.highest if newest_first else edge), facts
                part, facts = [], []
            part.append(fact)
            facts += more
        yield Told(part, told.lowest, told.highest), facts

    async def changed(
        self, flagged: Sequence[FlagChange], gone: Sequence[str], as_of: int
    ) -> AsyncIterator[list[Fact]]:
        """What a poll of All Mail changes there and under its labels, beyond what is told already."""
        await self._meet(label for change in flagged for label in change.labels or ())
        await self._remembered()
        leader = self._leader
        for start in range(0, len(flagged), PAGE):
            now = {
                change.uid: _Now(change.flags, change.modseq or 0, change.labels)
                for change in flagged[start : start + PAGE]
            }
            yield await self._differences(now, await self._fetch(query.holders, self._names, list(now)), as_of)
        bounds = [bound for text in gone for bound in uidset.ranges(text)]
        rows = await self._fetch(query.holders_within, self._names, *_columns(bounds))
        facts: list[Fact] = [*self._unlabelled((row["mailbox_id"], row["uid"]) for row in rows)]
        yield [*facts, *changes.expunged(leader.who, leader.mailbox.id, leader.mark.generation, gone)]

    async def settle(self, source: MailSource, as_of: int, *, whole: bool = False) -> None:
        """Compare every label with what is told of it, where any may differ or with `whole`, and tell the differences.

        May differ: one that was found after mail was told, and one of which the server has had another number of messages
        than we twice in a row, since any one time the two are not counted at the same moment.
        """
        late = [one for one in self._following if not one.mark.done]
        await self._remembered()
        before = await self._differing()
        odd = any(by and by == self._differed.get(one) and by != self._in_vain.get(one) for one, by in before.items())
        self._differed = before
        if whole or odd or any(before[one.mailbox.id] for one in late):
            await self._compare(source, as_of)
            await self._remembered()
            self._in_vain = await self._differing()
        for one in late:
            await one.put([], msgspec.structs.replace(one.mark, done=True, at=datetime.now(UTC)))

    @property
    def unsettled(self) -> bool:
        """Whether a label was found late, and its placements are still to be told."""
        return self._leader.mark.done and any(not one.mark.done for one in self._following)

    async def _differing(self) -> Mapping[UUID, int]:
        """By how many messages the server's last listing has more under each label than are told."""
        held = {row["mailbox_id"]: row["held"] for row in await self._fetch(query.counts, self._names)}
        return {one: self._counts.get(one, -1) - held.get(one, 0) for one in self._names}

    async def _compare(self, source: MailSource, as_of: int) -> None:
        """The whole of All Mail, a page of its listing at a time; polls go on between."""
        leader, after = self._leader, 0
        generation = leader.mark.generation
        listing = source.listing(leader.mailbox.path, uidvalidity=leader.mark.uidvalidity, batch_size=PAGE)
        pages = listing.__aiter__()
        while True:
            async with leader.polling:
                page = await anext(pages, None)
                if page is None:
                    return
                if leader.mark.generation != generation:
                    raise Superseded("the mailbox was opened anew")
                told = [one for one in page if one.uid <= leader.mark.high_uid]
                if told:
                    await self._compare_page(told, after, as_of)
                    after = told[-1].uid

    async def _compare_page(self, page: Sequence[Listed], after: int, as_of: int) -> None:
        await self._meet(label for one in page for label in one.labels or ())
        await self._remembered()
        polled = self._leader.since().highestmodseq or 0  # what is told now is newer than all that was told before
        now = {one.uid: _Now(one.flags, max(one.modseq or 0, polled), one.labels or frozenset()) for one in page}
        rows = await self._fetch(query.holders_within, self._names, [after + 1], [page[-1].uid])
        facts = await self._differences(now, rows, as_of)
        if facts:
            for batch in changes.batches(facts):
                await self._leader.say(batch)

    async def _differences(self, now: Mapping[int, _Now], holders: Sequence[Record], as_of: int) -> list[Fact]:
        """Between what is told of these UIDs and what the server says `now`; holders that are not in it are gone."""
        leader, generation = self._leader, self._leader.mark.generation
        names = self._by_name
        known = {row["uid"]: row for row in await self._fetch(query.held, leader.mailbox.id, list(now))}
        holding: dict[int, set[UUID]] = defaultdict(set)
        for row in holders:
            holding[row["uid"]].add(row["mailbox_id"])
        flagged: dict[UUID, list[FlagChange]] = defaultdict(list)
        arrived: list[Fact] = []
        left = [(one, uid) for uid, ones in holding.items() if uid not in known for one in ones]
        for uid, row in known.items():
            said = now[uid]
            wanted = holding[uid] if said.labels is None else set(_of(said.labels, names))
            arrived += [self._told(one, row, said, as_of) for one in sorted(wanted - holding[uid])]
            left += [(one, uid) for one in holding[uid] - wanted]
            if said.flags != frozenset(row["flags"]):
                for one in (leader.mailbox.id, *sorted(wanted & holding[uid])):
                    flagged[one].append(FlagChange(uid=uid, flags=said.flags, modseq=said.modseq))
        facts: list[Fact] = []
        for mailbox, some in flagged.items():
            facts += changes.reflagged(leader.who, mailbox, generation, some, as_of)
        return [*facts, *arrived, *self._unlabelled(left)]

    def _unlabelled(self, left: Iterable[tuple[UUID, int]]) -> Iterator[Fact]:
        uids: dict[UUID, list[int]] = defaultdict(list)
        for mailbox, uid in left:
            uids[mailbox].append(uid)
        for mailbox, some in sorted(uids.items()):
            pieces = uidset.compact(some).split(",")
            yield from changes.expunged(self._leader.who, mailbox, self._leader.mark.generation, pieces)

    def _told(self, mailbox: UUID, row: Record, said: _Now, as_of: int) -> MessageArrived:
        fields = {name: row[name] for name in row.keys() if name != "flags"}  # noqa: SIM118 - a Record's values
        return MessageArrived(
            **self._leader.who._asdict(),
            **fields,
            at=datetime.now(UTC),
            mailbox_id=mailbox,
            generation=self._leader.mark.generation,
            flags=sorted(said.flags),
            modseq=said.modseq,
            as_of=as_of,
        )

    async def _meet(self, labels: Iterable[str]) -> None:
        """A label that nobody knows may be new: list the mailboxes once for each such name."""
        names = self._by_name
        strange = {label for label in labels if not label.startswith("\\") and label not in names} - self._strange
        if strange and self._learn is not None and len(self._strange) < MOST_STRANGE:
            self._strange |= strange
            await self._learn()

    async def _remembered(self) -> None:
        leader = self._leader
        await self._memory.catch_up([leader.mailbox.id, *self._names], leader.last_sequence)

    async def _fetch(self, statement: str, mailboxes: object, *more: object) -> list[Record]:
        rows: list[Record] = await self._memory.db.fetch(
            statement, self._memory.user, mailboxes, self._leader.mark.generation, *more
        )
        return rows

    @property
    def _following(self) -> list[Cursor]:
        generation = self._leader.mark.generation
        return [one for one in self._leader.followers if one.opened and one.mark.generation == generation]

    @property
    def _names(self) -> list[UUID]:
        return [one.mailbox.id for one in self._following]

    @property
    def _by_name(self) -> Mapping[str, UUID]:
        """A system label's by its mailbox' use, any other's by the path."""
        names = {one.mailbox.path: one.mailbox.id for one in self._following}
        uses = {one.mailbox.special_use: one.mailbox.id for one in self._following if one.mailbox.special_use}
        return names | {label: uses[use] for label, use in SYSTEM.items() if use in uses}


async def parts(cursor: Cursor, told: Told, *, newest_first: bool = False) -> AsyncIterator[Part]:
    """A batch cut so that each part is no more than the log takes at once; by UID, in the order in which it was read."""
    if cursor.labels is None:
        yield told, told.facts
    else:
        async for part in cursor.labels.parts(told, newest_first=newest_first):
            yield part


def _placed(fact: MessageArrived, labels: Iterable[str], names: Mapping[str, UUID]) -> list[Fact]:
    """The arrival and its labels' ones; of very many the rest is left to `settle`."""
    return [fact, *(msgspec.structs.replace(fact, mailbox_id=one) for one in _of(labels, names)[: MOST // 2])]


def _of(labels: Iterable[str], names: Mapping[str, UUID]) -> list[UUID]:
    return sorted({names[key] for label in labels if (key := _key(label)) in names})


def _key(label: str) -> str:
    return label.lower() if label.startswith("\\") else label


def _columns(bounds: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [low for low, _ in bounds], [high for _, high in bounds]
