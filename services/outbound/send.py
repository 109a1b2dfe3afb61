"""One send as the log has it, and the facts that outbound adds: each expects the last one, so that of an undo and an attempt one wins."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import structlog

from contracts import codec
from contracts.facts import (
    Fact,
    SendAttempted,
    SendCancelled,
    SendDelivered,
    SendEdited,
    SendFailed,
    SendFiled,
    SendQueued,
    SendUnconfirmed,
)
from contracts.subjects import AccountSubjects
from projections.sending.rows import State
from services.log import api
from services.log.append import append_send
from services.log.connection import Connection
from services.log.errors import Conflict
from services.outbound.errors import Overtaken

SendFact = (
    SendQueued | SendEdited | SendCancelled | SendAttempted | SendDelivered | SendFailed | SendUnconfirmed | SendFiled
)

log = structlog.get_logger()


@dataclass(eq=False)
class Send:
    """`sequence`: of the last fact that is known. `filed`: nothing is left to be done. `changed` is set when more is told.

    `untaken`: for certain nothing was sent, although it was attempted.
    """

    account: AccountSubjects
    id: UUID
    draft_id: UUID
    revision: int
    due: datetime
    state: State = "queued"
    attempts: int = 0
    sequence: int = 0
    settled_at: datetime | None = None
    filed: bool = False
    untaken: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        return self.filed or self.state in ("failed", "unconfirmed", "cancelled")

    def told(self, sequence: int, fact: Fact) -> None:
        """What is known already, by our own doing, changes nothing."""
        if sequence <= self.sequence:
            return
        self.sequence = sequence
        self.changed.set()
        match fact:
            case SendQueued() | SendEdited():
                self.draft_id, self.revision, self.due = fact.draft_id, fact.revision, fact.due
            case SendCancelled():
                self.state = "cancelled"
            case SendAttempted():
                self.state, self.attempts, self.untaken = "attempted", fact.attempt, False
            case SendDelivered():
                self.state, self.settled_at = "delivered", fact.at
            case SendFailed():
                self.state = "failed"
            case SendUnconfirmed():
                self.state = "unconfirmed"
            case SendFiled():
                self.filed = True

    async def say(self, nc: Connection, after: int, kind: type[SendFact], **what: Any) -> None:
        """What follows from the fact at `after`. Raises Overtaken when there is a later one, which is known then, and LogError."""
        if after != self.sequence:
            raise Overtaken(self.state)
        account = self.account
        fact = kind(
            user_id=account.user_id, account_id=account.account_id, at=datetime.now(UTC), outbox_id=self.id, **what
        )
        subject = account.send(self.id)
        try:
            self.told(await append_send(nc, subject, fact, expected=after), fact)
        except Conflict:
            last = await api.last(nc, account.partition, subject)
            if last is None:
                self.state = "cancelled"  # the account was erased meanwhile
            else:
                self.told(last.sequence, codec.decode_at(last.subject, last.data))
            log.info("send overtaken", send=str(self.id), state=self.state)
            raise Overtaken(self.state) from None

    async def wait(self, seconds: float) -> None:
        """Until then, or until more is told."""
        self.changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        except TimeoutError:
            return
