"""An appender that remembers what it was given, and a mark to begin with."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from contracts.facts import Fact, MailboxMarked
from contracts.subjects import AccountSubjects


class Remembering:
    """Implements `services.sync.cursor.Appender`."""

    def __init__(self) -> None:
        self.batches: list[tuple[list[Fact], MailboxMarked | None]] = []

    @property
    def last_sequence(self) -> int:
        return len(self.batches)

    @property
    def facts(self) -> list[Fact]:
        return [fact for facts, _ in self.batches for fact in facts]

    async def append(self, facts: Sequence[tuple[str, Fact]], mark: MailboxMarked | None = None) -> int:
        self.batches.append(([fact for _, fact in facts], mark))
        return len(self.batches)


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
