"""An appender that remembers what it was given, and a mark to begin with."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

from contracts.facts import Fact, MailboxMarked
from contracts.subjects import AccountSubjects
from projections.engine.log import Recorded
from services.log.appender import MOST


class Killed(Exception):
    """The process is no more."""


class Remembering:
    """Implements `services.sync.cursor.Appender` and `services.sync.memory.History`.

    `dies_after`: so many batches, and then the process is killed before the next.
    """

    def __init__(self) -> None:
        self.dies_after: int | None = None
        self.batches: list[tuple[list[Fact], MailboxMarked | None]] = []
        self.recorded: list[tuple[str, Fact]] = []

    @property
    def epoch(self) -> int:
        return 1

    @property
    def last_sequence(self) -> int:
        return len(self.recorded)

    @property
    def facts(self) -> list[Fact]:
        return [fact for facts, _ in self.batches for fact in facts if not isinstance(fact, MailboxMarked)]

    @property
    def marks(self) -> dict[UUID, MailboxMarked]:
        """The last of each mailbox."""
        told = [one for facts, mark in self.batches for one in (*facts, mark)]
        return {mark.mailbox_id: mark for mark in told if isinstance(mark, MailboxMarked)}

    async def append(self, facts: Sequence[tuple[str, Fact]], mark: MailboxMarked | None = None) -> int:
        assert len(facts) < MOST
        if self.dies_after is not None:
            if not self.dies_after:
                raise Killed
            self.dies_after -= 1
        self.batches.append(([fact for _, fact in facts], mark))
        self.recorded += [*facts, *([] if mark is None else [("mark", mark)])]
        return self.last_sequence

    async def history(self, under: str, upto: int, *, after: int = 0) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        found = [
            Recorded(sequence, fact)
            for sequence, (subject, fact) in enumerate(self.recorded[after:upto], after + 1)
            if subject == under or (under[-1] in "*>" and subject.startswith(under[:-1]))
        ]
        for start in range(0, len(found), 1000):
            yield found[start : start + 1000]


def mark(
    subjects: AccountSubjects,
    mailbox_id: UUID,
    *,
    uidvalidity: int = 1,
    high: int = 100,
    floor: int = 1,
    done: bool = True,
    modseq: int = 0,
) -> MailboxMarked:
    return MailboxMarked(
        user_id=subjects.user_id,
        account_id=subjects.account_id,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        mailbox_id=mailbox_id,
        generation=1,
        epoch=1,
        batch="",
        uidvalidity=uidvalidity,
        high_uid=high,
        backfill_from=high + 1,
        floor_uid=floor,
        done=done,
        synced=high - floor + 1,
        total=high,
        highestmodseq=modseq,
        modseq_before=modseq,
    )
