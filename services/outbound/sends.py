"""A partition's sends: the open ones at first and then what the log says; each has a task, and an account sends one at a time."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from contracts import ids, subjects
from contracts.facts import Fact, SendFailed, SendQueued
from contracts.subjects import AccountSubjects
from projections.engine.log import Recorded
from projections.sql import Statements
from services.log.errors import LogError
from services.log.reader import BATCH, PartitionLog
from services.outbound import delivery, filing
from services.outbound.account import Parts
from services.outbound.errors import Overtaken
from services.outbound.send import Send, SendFact
from services.outbound.trouble import Trouble, follows
from services.state import sends

query = Statements("services.outbound", "sends.sql")

PAUSE = 0.1
"""Seconds between two looks how far the read model is."""

NAP = 60.0
"""Seconds between two looks at the clock, which may be set, and goes on while a machine sleeps."""

log = structlog.get_logger()


class PartitionSends:
    """For as long as the partition's lease is held."""

    def __init__(self, parts: Parts, partition: int) -> None:
        self._parts = parts
        self._partition = partition
        self._sends: dict[UUID, Send] = {}
        self._turns: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def work(self) -> None:
        """Until cancelled. Raises LogError, and what Postgres raises while it is away."""
        facts = PartitionLog(self._parts.nc, self._partition, only=subjects.sends(self._partition))
        after = await facts.head()
        await self._folded(after)
        async with asyncio.TaskGroup() as group:
            for row in await self._parts.db.fetch(query.open):
                user, account, *known = row
                if ids.partition(user, self._parts.partitions) == self._partition:
                    self._begin(Send(AccountSubjects(self._partition, user, account), *known), group)
            while True:
                for recorded in (fresh := await facts.coming(after, BATCH)):
                    self._told(recorded, group)
                    after = fresh[-1].sequence

    async def _folded(self, sequence: int) -> None:
        while (await self._parts.db.fetchval(query.folded, self._partition) or 0) < sequence:  # noqa: ASYNC110 - another process folds
            await asyncio.sleep(PAUSE)

    def _told(self, recorded: Recorded[Fact], group: asyncio.TaskGroup) -> None:
        sequence, fact = recorded
        if not isinstance(fact, SendFact):
            return
        if isinstance(fact, SendQueued) and fact.outbox_id not in self._sends:
            place = AccountSubjects(self._partition, fact.user_id, fact.account_id)
            self._begin(Send(place, fact.outbox_id, fact.draft_id, fact.revision, fact.due), group)
        if fact.outbox_id in self._sends:
            self._sends[fact.outbox_id].told(sequence, fact)

    def _begin(self, send: Send, group: asyncio.TaskGroup) -> None:
        send.turn = self._turns.setdefault(send.account.account_id, send.turn)
        self._sends[send.id] = send
        group.create_task(self._run(send))

    async def _run(self, send: Send) -> None:
        """Until there is nothing left to be done. Raises LogError."""
        trouble = Trouble(self._parts.patience.sending)
        while not send.over:
            try:
                await self._go_on(send, trouble)
            except Overtaken:
                continue
            except LogError:
                raise
            except Exception as error:
                named = {"send": str(send.id), "state": send.state, "error": type(error).__name__}
                log.warning("send does not go on", **named, exc_info=follows(error).strange)
                await send.wait(trouble.next_pause())
        del self._sends[send.id]

    async def _go_on(self, send: Send, trouble: Trouble) -> None:
        parts, known = self._parts, send.sequence  # more may be told while the database is asked
        match send.state:
            case "queued" if (early := (send.due - datetime.now(UTC)).total_seconds()) > 0:
                await send.wait(min(early, NAP))
            case "queued":
                await self._try(send, trouble)
            case "attempted" if send.untaken:
                await self._try(send, trouble)
            case "attempted" if await sends.put_off(parts.db, send.account.user_id, send.id) == known:
                send.untaken = send.sequence == known
            case "attempted":
                await filing.settle(parts, send, known)
            case "delivered":
                await filing.file(parts, send)

    async def _try(self, send: Send, trouble: Trouble) -> None:
        """What stands in the way is told; it is tried again after a while, unless that is certain to be in vain."""
        known = send.sequence
        try:
            async with send.turn, self._parts.submissions:
                if send.sequence == known:  # nothing was said of it while it waited for its turn
                    await delivery.deliver(self._parts, send)
        except (LogError, Overtaken):
            raise
        except Exception as error:
            if send.sequence != known and not send.untaken:
                log.info("send went on", send=str(send.id), state=send.state, error=type(error).__name__)
                raise Overtaken(send.state) from error  # the trouble was with what is meant no more
            known = send.sequence
            failed = trouble.failed(error, send.due)
            log.info("send not done", send=str(send.id), error=type(error).__name__, code=failed)
            await delivery.tell(self._parts, send, error)
            if failed:
                await send.say(self._parts.nc, known, SendFailed, code=failed)
            else:
                await send.wait(trouble.next_pause())
