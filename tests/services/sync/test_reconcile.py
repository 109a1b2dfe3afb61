"""One poll becomes facts: bounded, of what is told only, and each arrival once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from uuid import uuid4

import pytest

from contracts.facts import (
    Fact,
    FlagsChanged,
    GenerationAbandoned,
    GenerationCommitted,
    GenerationOpened,
    MessagesExpunged,
    SpecialUse,
)
from contracts.provider import Batch, FlagChange, MailboxDelta, MailboxStatus, RemoteMailbox, Seen
from contracts.subjects import AccountSubjects
from services.sync.backfill import backfill
from services.sync.changes import SET_BYTES
from services.sync.cursor import Cursor
from services.sync.errors import Superseded
from services.sync.ingest import Told
from services.sync.memory import Found
from services.sync.reconcile import reconcile
from tests.services.sync.fake_log import Remembering, mark

SUBJECTS = AccountSubjects(0, uuid4(), uuid4())
STATUS = MailboxStatus(uidvalidity=1, uidnext=101, messages=100, highestmodseq=9)


class Source:
    """A server that says what the test wants; implements `MailSource`."""

    def __init__(self, *deltas: MailboxDelta) -> None:
        self.deltas = list(deltas)
        self.asked: list[Seen] = []

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        self.asked.append(seen)
        return self.deltas.pop(0)

    async def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        for uid in uids:
            yield Batch(uidvalidity=uidvalidity, floor=uid, messages=(), missing=(uid,))

    async def backfill(
        self, mailbox: str, *, uidvalidity: int, below: int | None = None, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        for floor in (50, 1):
            yield Batch(uidvalidity=uidvalidity, floor=floor, messages=())

    async def verify(self) -> None:
        raise NotImplementedError

    async def list_mailboxes(self) -> Sequence[RemoteMailbox]:
        raise NotImplementedError

    async def status(self, mailbox: str) -> MailboxStatus:
        raise NotImplementedError

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError


class Plain:
    """Tells batches as they are, without blobs and documents."""

    async def run(
        self, cursor: Cursor, batches: AsyncIterator[Batch], write: Callable[[Told], Awaitable[None]], *, as_of: int = 0
    ) -> None:
        async for batch in batches:
            await write(Told([], batch.floor, max(batch.missing, default=batch.floor)))


def cursor(log: Remembering, **marked: int | bool) -> Cursor:
    mailbox = Found(uuid4(), "INBOX", "/", SpecialUse.INBOX, selectable=True, lost=False)
    return Cursor(log, SUBJECTS, mailbox, mark(SUBJECTS, mailbox.id, **marked))  # type: ignore[arg-type] # bool and int


async def no_outcomes() -> int:
    return 7


async def told(one: Cursor, source: Source) -> bool:
    return await reconcile(one, source, Plain(), no_outcomes)  # type: ignore[arg-type] # what it uses of an Ingest


async def test_changes_below_the_backfills_floor_are_left_to_the_backfill() -> None:
    log = Remembering()
    one = cursor(log, floor=40, done=False)
    changes = tuple(FlagChange(uid=uid, flags=frozenset({"\\Seen"}), modseq=uid) for uid in (10, 39, 40, 41, 101))
    assert await told(one, Source(MailboxDelta(status=STATUS, flag_changes=changes, expunged="1:45,99:4000000000")))
    flags, expunged = log.facts
    assert isinstance(flags, FlagsChanged)
    assert ([group.uids for group in flags.groups], flags.modseq, flags.as_of) == (["40:41"], 41, 7)
    assert isinstance(expunged, MessagesExpunged)
    assert expunged.uids == "40:45,99:100"
    assert one.mark.highestmodseq == 9


async def test_flags_are_grouped_and_a_huge_poll_becomes_several_facts_of_bounded_size() -> None:
    log = Remembering()
    one = cursor(log, high=100_000)
    odd = tuple(FlagChange(uid=uid, flags=frozenset({"\\Seen", "a"})) for uid in range(1, 100_000, 2))
    gone = ",".join(str(uid) for uid in range(2, 60_000, 2))
    await told(one, Source(MailboxDelta(status=STATUS, flag_changes=odd, expunged=gone)))
    sizes = [sum(len(group.uids) for group in f.groups) for f in log.facts if isinstance(f, FlagsChanged)]
    sizes += [len(fact.uids) for fact in log.facts if isinstance(fact, MessagesExpunged)]
    assert len(sizes) > 5
    assert max(sizes) <= SET_BYTES
    said = {uid for f in log.facts if isinstance(f, FlagsChanged) for g in f.groups for uid in g.uids.split(",")}
    assert said == {str(uid) for uid in range(1, 100_000, 2)}


async def test_nothing_new_is_no_fact_and_the_next_poll_asks_from_there() -> None:
    log = Remembering()
    one = cursor(log, modseq=5)
    source = Source(MailboxDelta(status=STATUS), MailboxDelta(status=STATUS))
    assert not await told(one, source)
    assert not await told(one, source)
    assert log.batches == []
    assert [seen.highestmodseq for seen in source.asked] == [5, 9]


async def test_arrivals_move_the_mark_batch_by_batch_and_only_the_last_moves_the_modseq() -> None:
    log = Remembering()
    one = cursor(log, modseq=5)
    await told(one, Source(MailboxDelta(status=STATUS, new_uids=(101, 102, 103))))
    marks = [marked for _, marked in log.batches if marked is not None]
    assert [(marked.high_uid, marked.highestmodseq) for marked in marks] == [(101, 5), (102, 5), (103, 9)]


async def test_another_uidvalidity_opens_the_next_generation_and_abandons_an_unfinished_one() -> None:
    log = Remembering()
    one = cursor(log, floor=40, done=False)
    anew = MailboxStatus(uidvalidity=2, uidnext=11, messages=10, highestmodseq=1)
    await told(one, Source(MailboxDelta(status=anew, reset=True)))
    assert [type(fact) for fact in log.facts] == [GenerationAbandoned, GenerationOpened]
    assert (one.mark.generation, one.mark.uidvalidity, one.mark.floor_uid, one.mark.done) == (2, 2, 11, False)


async def test_what_was_read_under_the_old_numbering_is_not_told_under_the_new_one() -> None:
    log = Remembering()
    one = cursor(log)
    await one.open(MailboxStatus(uidvalidity=2, uidnext=11, messages=10))
    facts: list[Fact] = []
    with pytest.raises(Superseded):
        await one.append(facts, 1, high_uid=101)


async def test_an_empty_mailbox_is_complete_when_it_is_opened() -> None:
    log = Remembering()
    one = Cursor(log, SUBJECTS, cursor(log).mailbox, None)
    await one.open(MailboxStatus(uidvalidity=2, uidnext=11, messages=0))
    assert [type(fact) for fact in log.facts] == [GenerationOpened, GenerationCommitted]
    assert (one.mark.done, one.mark.high_uid) == (True, 10)


async def test_the_last_batch_of_a_backfill_commits_and_makes_the_next_poll_look_at_all_that_changed_meanwhile() -> (
    None
):
    log = Remembering()
    one = cursor(log, floor=90, done=False, modseq=5)
    source = Source(MailboxDelta(status=STATUS))
    await told(one, source)
    await backfill(one, source, Plain())  # type: ignore[arg-type] # what it uses of an Ingest
    assert [type(fact) for fact in log.facts] == [GenerationCommitted]
    assert [(marked.floor_uid, marked.done) for _, marked in log.batches if marked] == [(50, False), (1, True)]
    assert one.since().highestmodseq == 5


async def test_a_poll_that_is_under_way_when_a_backfill_ends_has_not_the_last_word_on_what_was_seen() -> None:
    """What it left to the backfill may have been read before it changed, so the next poll has to look again."""
    log = Remembering()
    one = cursor(log, floor=90, done=False, modseq=5)
    answer = asyncio.Event()

    class Slow(Source):
        async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
            await answer.wait()
            return await super().poll(mailbox, seen)

    change = FlagChange(uid=20, flags=frozenset({"\\Seen"}), modseq=9)
    source = Slow(MailboxDelta(status=STATUS, flag_changes=(change,)))
    polling = asyncio.create_task(told(one, source))
    filling = asyncio.create_task(backfill(one, source, Plain()))  # type: ignore[arg-type] # what it uses of an Ingest
    await asyncio.wait({polling, filling}, timeout=0.1)
    answer.set()
    await asyncio.gather(polling, filling)
    assert one.mark.done
    assert one.since().highestmodseq == 5
