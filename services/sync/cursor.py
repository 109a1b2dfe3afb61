"""One mailbox as sync works on it: facts go out with the mark that they move, one batch after the other."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
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
from services.sync.memory import Found, Memory

if TYPE_CHECKING:
    from services.sync.labels import Labels

MOST = 900
"""Facts in one batch; a few more may join them."""


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


BATCH = 250
"""Messages asked for at once."""


@dataclass
class Caution:
    """How many messages are asked for at once, how often one alone failed, and how many were left out one after the other;
    kept over sessions with the server.
    """

    size: int = BATCH
    failures: int = 0
    left_out: int = 0

    def eased(self) -> bool:
        """After a success: whether more may be asked for now."""
        self.failures = self.left_out = 0
        before, self.size = self.size, min(self.size * 2, BATCH)
        return self.size > before


@dataclass
class Work:
    """A job that batches are told for: how many chunks of it are in the log, and how many messages they told."""

    job: str
    chunks: int = 0
    messages: int = 0


class Cursor:
    """A mailbox, its last mark, and the right to move it.

    `seen` is what the last poll saw, which no fact need say; None when the next poll must look. `checked` is what the
    server said of it when an audit found it equal. `looked`: the last outcome before the last poll, None: the mark's
    `outcomes_seen`. `polling` is held by whoever polls, so that no arrival is told twice.
    `followers` are opened and committed with it: the mailboxes of `labels`, whose placements are told with its own.
    Without a `memory` nothing is known of what was told before. `refused_at`: when the server would not let us read it;
    `parked_at`: when it would not even open it. `begun`: whether any of its generation may be on its way to the log.
    """

    def __init__(
        self,
        appender: Appender,
        subjects: AccountSubjects,
        mailbox: Found,
        mark: MailboxMarked | None,
        memory: Memory | None = None,
    ) -> None:
        self.mailbox = mailbox
        self.memory = memory
        self.seen: MailboxStatus | None = None
        self.checked: MailboxStatus | None = None
        self.looked: int | None = None
        self.refused_at: float | None = None
        self.parked_at: float | None = None
        self.begun = False
        self.renumbered_at = -math.inf
        self.renumber_pause = 0.0
        self.work: Work | None = None
        self.labels: Labels | None = None
        self.followers: list[Cursor] = []
        self.cautions: defaultdict[str, Caution] = defaultdict(Caution)
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
    def following(self) -> bool:
        """Whether its generation is another mailbox' (`follow`)."""
        return self.opened and not self.mark.backfill_from

    @property
    def untold(self) -> bool:
        """Whether nothing of the generation is told yet, nor about to be."""
        mark = self.mark
        return (
            not self.begun
            and not mark.synced
            and mark.high_uid < mark.backfill_from
            and mark.floor_uid in (mark.backfill_from, 1)
        )

    @property
    def last_sequence(self) -> int:
        """Up to where the account's facts are in the log."""
        return self._appender.last_sequence

    @property
    def who(self) -> Who:
        return Who(self._subjects.user_id, self._subjects.account_id)

    def since(self) -> Seen:
        """What a poll is asked to compare with."""
        modseq = self.seen.highestmodseq if self.seen else self.mark.highestmodseq
        return Seen(uidvalidity=self.mark.uidvalidity, high_uid=self.mark.high_uid, highestmodseq=modseq or None)

    async def append(
        self,
        facts: Sequence[Fact],
        generation: int,
        *,
        told: int = 0,
        work: Work | None = None,
        chunks: int = 1,
        **moved: Any,
    ) -> None:
        """Facts of a generation and the mark they stand for; `moved` are the mark's fields that change.

        `told`: so many more messages are told, as so many `chunks` of `work`. The last of a backfill commits the generation,
        and those that follow it. Raises Superseded.
        """
        async with self._turn:
            before = self.mark
            if before.generation != generation:
                raise Superseded("the mailbox was opened anew")
            if work is not None:
                moved |= {"job": work.job, "chunk": work.chunks + chunks}
            synced = before.synced + told
            mark = msgspec.structs.replace(before, at=datetime.now(UTC), synced=synced, **moved)
            mark = msgspec.structs.replace(mark, total=synced if mark.done else max(mark.total, synced))
            if mark.done and not before.done:
                facts = [*facts, *await self._committed(generation)]
            await self.put(facts, mark)
            if work is not None:
                work.chunks += chunks
                work.messages += told

    async def open(self, status: MailboxStatus) -> None:
        """Begin a generation: the mailbox' first, or the next under another UIDVALIDITY, which abandons one unfinished."""
        async with self._turn:
            facts, mark = self.opening(status)
            await self.put(facts, mark)
            self.seen = self.checked = self.parked_at = None
            self.begun = False

    def opening(self, status: MailboxStatus) -> tuple[list[Fact], MailboxMarked]:
        """What tells that a generation begins, and its mark."""
        before = self._mark
        place: dict[str, Any] = {**self.who._asdict(), "at": datetime.now(UTC), "mailbox_id": self.mailbox.id}
        facts: list[Fact] = []
        if before is not None and not before.done:
            facts.append(GenerationAbandoned(**place, generation=before.generation, reason="the server numbers anew"))
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
        return facts, mark

    def begin(self, mark: MailboxMarked) -> None:
        """The opening was told; of a mailbox that nobody works on yet."""
        self._mark = mark

    async def follow(self, leader: "Cursor", own: MailboxStatus, announced: Sequence[MailboxFound] = ()) -> None:
        """Open a label's mailbox as the leader's generation is: its placements have the leader's UIDs.

        The mark keeps the numbering of the mailbox' `own`, which proves a rename, and is `done` once every placement is
        told: from the start, where the leader has told nothing yet. That it fills from nowhere tells it from all others.
        """
        async with self._turn:
            mark = leader.mark
            place: dict[str, Any] = {
                **self.who._asdict(),
                "at": datetime.now(UTC),
                "mailbox_id": self.mailbox.id,
                "generation": mark.generation,
            }
            opened = GenerationOpened(**place, uidvalidity=mark.uidvalidity, uidnext=mark.backfill_from, messages=0)
            facts: list[Fact] = [*announced, opened]
            if mark.done:
                facts.append(GenerationCommitted(**place))
            mine = MailboxMarked(
                **place,
                epoch=0,
                batch="",
                uidvalidity=own.uidvalidity,
                high_uid=max(0, own.uidnext - 1),
                backfill_from=0,
                floor_uid=1,
                done=leader.untold,
                synced=0,
                total=0,
            )
            await self.put(facts, mine)

    async def put(self, facts: Sequence[Fact], mark: MailboxMarked) -> None:
        """These facts and this mark, each fact on the subject of its mailbox."""
        await self.say(facts, mark)
        self._mark = mark

    async def say(self, facts: Sequence[Fact], mark: MailboxMarked | None = None) -> None:
        """Facts of any mailboxes, marks too; those that name none are of this one."""
        await self._appender.append([(self._place(fact), fact) for fact in facts], mark)

    def _place(self, fact: Fact) -> str:
        if isinstance(fact, MailboxMarked):
            return self._subjects.mark(fact.mailbox_id)
        return self._subjects.mailbox(getattr(fact, "mailbox_id", self.mailbox.id))

    async def _committed(self, generation: int) -> list[Fact]:
        """That the generation is complete, and with it those that follow."""
        now, who = datetime.now(UTC), self.who._asdict()
        following = [one for one in self.followers if one.opened and one.mark.generation == generation]
        facts: list[Fact] = [
            GenerationCommitted(**who, at=now, mailbox_id=one.mailbox.id, generation=generation)
            for one in (*following, self)
        ]
        while len(facts) > MOST // 2:
            first, facts = facts[: MOST // 2], facts[MOST // 2 :]
            await self.say(first)
        return facts
