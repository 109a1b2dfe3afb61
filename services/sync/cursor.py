"""One mailbox as sync works on it: facts go out with the mark that they move, one batch after the other."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import msgspec

from contracts.facts import (
    Fact,
    GenerationAbandoned,
    GenerationCommitted,
    GenerationOpened,
    MailboxFound,
    MailboxMarked,
)
from contracts.provider import MailboxStatus, Seen
from contracts.subjects import AccountSubjects
from services.sync.errors import Superseded
from services.sync.memory import Found


class Who(NamedTuple):
    """What every fact of an account says."""

    user_id: UUID
    account_id: UUID


class Appender(Protocol):
    """What is asked of `services.log.appender`."""

    @property
    def last_sequence(self) -> int:
        """Of the account's last sync fact."""

    async def append(self, facts: Sequence[tuple[str, Fact]], mark: MailboxMarked | None = None) -> int:
        """All of it or nothing. Raises Lost for good."""


class Cursor:
    """A mailbox, its last mark, and the right to move it.

    `seen` is what the last poll saw, which no fact need say; None when the next poll must look. `polling` is held by
    whoever polls, so that no arrival is told twice.
    """

    def __init__(
        self, appender: Appender, subjects: AccountSubjects, mailbox: Found, mark: MailboxMarked | None
    ) -> None:
        self.mailbox = mailbox
        self.seen: MailboxStatus | None = None
        self.polling = asyncio.Lock()
        self._mark = mark
        self._appender = appender
        self._subjects = subjects
        self._turn = asyncio.Lock()

    @property
    def opened(self) -> bool:
        return self._mark is not None

    @property
    def mark(self) -> MailboxMarked:
        if self._mark is None:
            raise LookupError("the mailbox has no generation yet")
        return self._mark

    @property
    def who(self) -> Who:
        return Who(self._subjects.user_id, self._subjects.account_id)

    def since(self) -> Seen:
        """What a poll is asked to compare with."""
        modseq = self.seen.highestmodseq if self.seen else self.mark.highestmodseq
        return Seen(uidvalidity=self.mark.uidvalidity, high_uid=self.mark.high_uid, highestmodseq=modseq or None)

    async def append(self, facts: Sequence[Fact], generation: int, *, told: int = 0, **moved: Any) -> None:
        """Facts of a generation and the mark they stand for; `moved` are the mark's fields that change.

        `told`: so many more messages are told. The last of a backfill commits the generation. Raises Superseded.
        """
        async with self._turn:
            before = self.mark
            if before.generation != generation:
                raise Superseded("the mailbox was opened anew")
            now = datetime.now(UTC)
            synced = before.synced + told
            mark = msgspec.structs.replace(before, at=now, synced=synced, **moved)
            mark = msgspec.structs.replace(mark, total=synced if mark.done else max(mark.total, synced))
            if mark.done and not before.done:
                who = self.who._asdict()
                facts = [*facts, GenerationCommitted(**who, at=now, mailbox_id=self.mailbox.id, generation=generation)]
            await self._append(facts, mark)

    async def open(self, status: MailboxStatus, announced: Sequence[MailboxFound] = ()) -> None:
        """Begin a generation: the mailbox' first, or the next under another UIDVALIDITY, which abandons one unfinished."""
        async with self._turn:
            now = datetime.now(UTC)
            before = self._mark
            place: dict[str, Any] = {**self.who._asdict(), "at": now, "mailbox_id": self.mailbox.id}
            facts: list[Fact] = [*announced]
            if before is not None and not before.done:
                facts.append(
                    GenerationAbandoned(**place, generation=before.generation, reason="the server numbers anew")
                )
            generation = before.generation + 1 if before else 1
            facts.append(
                GenerationOpened(
                    **place,
                    generation=generation,
                    uidvalidity=status.uidvalidity,
                    uidnext=status.uidnext,
                    messages=status.messages,
                )
            )
            if not status.messages:
                facts.append(GenerationCommitted(**place, generation=generation))
            mark = MailboxMarked(
                **place,
                generation=generation,
                epoch=0,
                batch="",
                uidvalidity=status.uidvalidity,
                high_uid=max(0, status.uidnext - 1),
                backfill_from=status.uidnext,
                floor_uid=status.uidnext if status.messages else 1,
                done=not status.messages,
                synced=0,
                total=status.messages,
                highestmodseq=status.highestmodseq or 0,
                modseq_before=status.highestmodseq or 0,
            )
            await self._append(facts, mark)

    async def _append(self, facts: Sequence[Fact], mark: MailboxMarked) -> None:
        subject = self._subjects.mailbox(self.mailbox.id)
        await self._appender.append([(subject, fact) for fact in facts], mark)
        self._mark = mark
