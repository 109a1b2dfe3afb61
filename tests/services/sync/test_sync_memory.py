"""Memory is a fold of the log: whatever was forgotten, it comes back the same."""

import tracemalloc
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts.facts import (
    Fact,
    FlagGroup,
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
from services.sync.memory import Memory, Placements

AT = datetime(2026, 1, 1, tzinfo=UTC)
MAILBOX = uuid4()


@dataclass
class Facts:
    """A log of one account that counts what is read of it; implements `History`."""

    facts: list[Fact] = field(default_factory=list)
    read: int = 0

    async def history(self, under: str, upto: int, *, after: int = 0) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        for sequence in range(after + 1, upto + 1):
            self.read += 1
            yield [Recorded(sequence, self.facts[sequence - 1])]


@pytest.fixture
async def db(database: str) -> AsyncIterator["asyncpg.Pool[asyncpg.Record]"]:
    async with asyncpg.create_pool(database, min_size=1, max_size=2) as pool:
        yield pool


@pytest.fixture
async def subjects(db: "asyncpg.Pool[asyncpg.Record]") -> AccountSubjects:
    user = await db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('a@localhost', '') RETURNING id")
    account = await db.fetchval(
        "INSERT INTO accounts (user_id, email, imap) VALUES ($1, 'a@x', '{}') RETURNING id", user
    )
    return AccountSubjects(0, user, account)


def history(subjects: AccountSubjects) -> list[Fact]:
    user, account = subjects.user_id, subjects.account_id

    def arrived(uid: int, generation: int = 1) -> MessageArrived:
        return MessageArrived(
            user_id=user,
            account_id=account,
            at=AT,
            mailbox_id=MAILBOX,
            generation=generation,
            uid=uid,
            message_id=uuid4(),
            blob="",
            size=1,
            internal_date=AT,
            evidence="",
            flags=["\\Seen"],
        )

    def opened(generation: int) -> GenerationOpened:
        return GenerationOpened(
            user_id=user,
            account_id=account,
            at=AT,
            mailbox_id=MAILBOX,
            generation=generation,
            uidvalidity=generation,
            uidnext=10,
            messages=9,
        )

    place = {"user_id": user, "account_id": account, "at": AT, "mailbox_id": MAILBOX}
    return [
        MailboxFound(**place, path="A", delimiter="/", special_use=SpecialUse.SENT),
        opened(1),
        *(arrived(uid) for uid in (5, 4, 3, 2)),
        FlagsChanged(**place, generation=1, groups=[FlagGroup(uids="3:4,9", flags=["\\Flagged"])]),
        MessagesExpunged(**place, generation=1, uids="1:2,100:4294967295"),
        arrived(6),
        MailboxFound(**place, path="B", delimiter="/"),
        opened(2),
        arrived(1, generation=2),
        MessagesExpunged(**place, generation=1, uids="1"),
        MailboxLost(**place),
    ]


FIRST = {5: frozenset({"\\Seen"}), 4: frozenset({"\\Flagged"}), 3: frozenset({"\\Flagged"}), 6: frozenset({"\\Seen"})}


@pytest.mark.parametrize("cuts", [[9], [1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 7, 9]])
async def test_placements_are_the_same_wherever_the_reading_was_cut(
    db: "asyncpg.Pool[asyncpg.Record]", subjects: AccountSubjects, cuts: list[int]
) -> None:
    log = Facts(history(subjects))
    memory = Memory(db, log, subjects)
    await memory.mailboxes(1)
    for cut in cuts:
        placements = await memory.placements(MAILBOX, 1, cut)
    assert placements == FIRST


async def test_only_what_is_new_is_read(db: "asyncpg.Pool[asyncpg.Record]", subjects: AccountSubjects) -> None:
    log = Facts(history(subjects))
    memory = Memory(db, log, subjects)
    await memory.mailboxes(9)
    await memory.placements(MAILBOX, 1, 9)
    log.read = 0
    assert await Memory(db, log, subjects).placements(MAILBOX, 1, 9) == FIRST
    assert log.read == 0


async def test_another_generation_begins_empty_and_the_one_before_it_is_kept_until_it_is_committed(
    db: "asyncpg.Pool[asyncpg.Record]", subjects: AccountSubjects
) -> None:
    log = Facts(history(subjects))
    memory = Memory(db, log, subjects)
    await memory.mailboxes(14)
    assert await memory.placements(MAILBOX, 2, 14) == {1: frozenset({"\\Seen"})}
    assert await memory.placements(MAILBOX, 1, 14) == FIRST
    place = {"user_id": subjects.user_id, "account_id": subjects.account_id, "at": AT, "mailbox_id": MAILBOX}
    log.facts.append(GenerationCommitted(**place, generation=2))
    assert await memory.placements(MAILBOX, 1, 15) == {}
    assert await memory.count(MAILBOX, 2, 15) == 1


async def test_a_hundred_thousand_placements_take_a_few_bytes_each() -> None:
    placements = Placements()
    tracemalloc.start()
    for uid in range(1, 100_001):
        placements.add(uid, ["\\Seen"] if uid % 3 else ["\\Seen", "\\Flagged"])
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1_500_000
    assert (placements[3], placements[99_998]) == (frozenset({"\\Seen", "\\Flagged"}), frozenset({"\\Seen"}))
    assert 100_001 not in placements
    assert list(placements) == list(range(1, 100_001))


@pytest.mark.parametrize(("upto", "path", "lost"), [(9, "A", False), (10, "B", False), (14, "B", True)])
async def test_mailboxes_are_as_the_last_fact_says(
    db: "asyncpg.Pool[asyncpg.Record]", subjects: AccountSubjects, upto: int, path: str, lost: bool
) -> None:
    memory = Memory(db, Facts(history(subjects)), subjects)
    await memory.mailboxes(1)
    known: dict[UUID, object] = {}
    for _ in range(2):  # from the log, and from what was remembered of it
        mailbox = (await memory.mailboxes(upto))[MAILBOX]
        known[MAILBOX] = (mailbox.path, mailbox.lost)
        assert known[MAILBOX] == (path, lost)
