"""Appends what sync saw of one account: fenced, all or nothing, and never twice whatever happens to an answer (design §2)."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

import structlog
from msgspec import structs

from contracts import codec
from contracts.facts import Fact, LeaseTaken, MailboxMarked
from contracts.streams import facts_name
from contracts.subjects import AccountSubjects
from services.log import api, headers
from services.log.api import Stored
from services.log.connection import Connection
from services.log.errors import Lost, Refused, TooMuch, Unavailable

MOST = 1000
"""Messages in one atomic batch."""

_HEADERS = 1024  # bytes left for headers below the server's max_payload
_PAUSE = 0.05
_PAUSE_MOST = 2.0

Batch = Sequence[tuple[str, Fact]]
Message = tuple[str, bytes]

log = structlog.get_logger()


class AccountAppender:
    """One owner of one account, one batch in flight. Refused once, it is `Lost` for good: make a new one and claim again.

    A commit whose answer is unknown is resolved by asking the stream's leader for the account's last sync message: with
    our batch id it is done; unchanged, the same batch goes again with the same fence; anything else, the account is lost.
    """

    def __init__(self, nc: Connection, subjects: AccountSubjects) -> None:
        self.epoch = 0
        self._nc = nc
        self._subjects = subjects
        self._place = f"{subjects.root}.sync."
        self._stream = facts_name(subjects.partition)
        self._turn = asyncio.Lock()
        self._last = 0
        self._lost = "the account is not claimed"

    @property
    def last_sequence(self) -> int:
        """Of the account's last sync message, as this appender wrote it."""
        return self._last

    async def claim(self, worker: str) -> int:
        """Take the account with the next epoch, and return it; from then on every earlier owner is refused.

        Raises Lost when somebody claims at the same time. For one appender, once.
        """
        # The fence is read before the epoch: a claim in between moves the fence, so no epoch is taken twice.
        last = await self._leaders_last(self._subjects.sync)
        self._last = last.sequence if last else 0
        self.epoch = _epoch(await self._leaders_last(self._subjects.lease)) + 1
        taken = LeaseTaken(
            user_id=self._subjects.user_id,
            account_id=self._subjects.account_id,
            at=datetime.now(UTC),
            epoch=self.epoch,
            worker=worker,
        )
        self._lost = ""
        await self._commit([(self._subjects.lease, codec.encode(taken))], uuid4().hex)
        return self.epoch

    async def append(self, facts: Batch, mark: MailboxMarked | None = None) -> int:
        """Append facts, and the mark they stand for as the last, all or none; the sequence of the last.

        Every mark's `epoch` and `batch` are filled in here. At most 1,000 with the mark; raises TooMuch, Lost. It returns
        only when the answer is certain; cancelled before, the appender is Lost.
        """
        batch = uuid4().hex
        marked = [*facts, (self._subjects.mark(mark.mailbox_id), mark)] if mark is not None else facts
        messages = [self._message(subject, self._stamped(fact, batch)) for subject, fact in marked]
        if not 1 <= len(messages) <= MOST:
            raise TooMuch(f"a batch has 1 to {MOST} facts, this one {len(messages)}")
        await self._commit(messages, batch)
        return self._last

    async def marks(self) -> dict[UUID, MailboxMarked]:
        """The last mark of every mailbox, as of the claim or later."""
        under = f"{self._place}*.mark"
        pause = _PAUSE
        while await self._leaders_last(under) is not None:
            try:
                found = await api.listed(self._nc, self._stream, {"multi_last": [under]})
            except (Refused, Unavailable) as error:
                pause = await self._wait(error, pause)
                continue
            if found.complete and found.up_to >= self._last:  # a replica that lags behind knows older marks
                marks = [_mark(stored) for stored in found.messages if headers.WRITTEN_BY in stored.headers]
                return {mark.mailbox_id: mark for mark in marks}
            pause = await self._wait(None, pause)
        return {}

    def _stamped(self, fact: Fact, batch: str) -> Fact:
        return structs.replace(fact, epoch=self.epoch, batch=batch) if isinstance(fact, MailboxMarked) else fact

    def _message(self, subject: str, fact: Fact) -> Message:
        """The fact as bytes, once it is known to stand on its own account's sync subjects."""
        codec.check_place(subject, fact)
        if not subject.startswith(self._place):
            raise codec.MisplacedFact(f"{subject} is not for this appender")
        data = codec.encode(fact)
        if len(data) > self._nc.max_payload - _HEADERS:
            raise TooMuch(f"a {type(fact).__name__} of {len(data)} bytes is more than the log takes")
        return subject, data

    async def _commit(self, messages: Sequence[Message], batch: str) -> None:
        """Return when the batch is in the log, once. Raises Lost."""
        async with self._turn:
            if self._lost:
                raise Lost(self._lost)
            self._lost = "an append was cancelled before its answer was certain"
            async with self._nc.batches:
                self._last = await self._certainly(messages, batch)
            self._lost = ""

    async def _certainly(self, messages: Sequence[Message], batch: str) -> int:
        pause, attempt = _PAUSE, 0
        while True:
            attempt += 1
            try:
                return await self._send(messages, batch, attempt)
            except (Refused, Unavailable) as error:
                pause = await self._wait(error, pause)
            done = await self._settled(batch)
            if done:
                return done

    async def _settled(self, batch: str) -> int | None:
        """The sequence when the leader says that the batch is in the log, None when nothing changed. Raises Lost."""
        last = await self._leaders_last(self._subjects.sync)
        if last is not None and _written_with(last, batch):
            return last.sequence
        if (last.sequence if last else 0) == self._last:
            return None
        self._lost = "the account has another owner"
        log.warning("account lost", account=str(self._subjects.account_id), epoch=self.epoch)
        raise Lost(self._lost)

    async def _send(self, messages: Sequence[Message], batch: str, attempt: int) -> int:
        """One attempt under the fence; each has a batch id of its own, so that no two are mixed up by the server."""
        fence = {headers.EXPECTED: str(self._last), headers.EXPECTED_UNDER: self._subjects.sync}
        by = {headers.WRITTEN_BY: self._nc.role}
        if len(messages) == 1:
            ((subject, data),) = messages
            answer = await api.publish(self._nc, subject, data, by | fence | {headers.BATCH: batch})
            return int(answer["seq"])
        answer = {}
        for number, (subject, data) in enumerate(messages, 1):
            more = by | {headers.BATCH_ID: f"{batch}.{attempt}", headers.BATCH_SEQUENCE: str(number)}
            if number == 1:
                await api.publish(self._nc, subject, data, more | fence)
            elif number == len(messages):
                answer = await api.publish(self._nc, subject, data, more | {headers.BATCH_COMMIT: "1"})
            else:
                await api.tell(self._nc, subject, data, more)
        return int(answer["seq"])

    async def _leaders_last(self, subject: str) -> Stored | None:
        pause = _PAUSE
        while True:
            try:
                return await api.last(self._nc, self._subjects.partition, subject)
            except (Refused, Unavailable) as error:
                pause = await self._wait(error, pause)

    async def _wait(self, error: Exception | None, pause: float) -> float:
        say = log.info if pause < _PAUSE_MOST else log.warning
        say(
            "append waits for the log",
            account=str(self._subjects.account_id),
            error=type(error).__name__,
            code=getattr(error, "code", 0),
        )
        await asyncio.sleep(pause)
        return min(pause * 2, _PAUSE_MOST)


def _written_with(stored: Stored, batch: str) -> bool:
    return batch in (stored.headers.get(headers.BATCH), stored.headers.get(headers.BATCH_ID, "").partition(".")[0])


def _epoch(stored: Stored | None) -> int:
    """The epoch of a lease; what is no lease of ours counts as the highest that there can have been: one a message."""
    if stored is None:
        return 0
    try:
        fact = codec.decode(stored.data)
    except codec.UnknownFact:
        return stored.sequence
    return fact.epoch if isinstance(fact, LeaseTaken) else stored.sequence


def _mark(stored: Stored) -> MailboxMarked:
    fact = codec.decode_at(stored.subject, stored.data)
    if not isinstance(fact, MailboxMarked):
        raise codec.MisplacedFact(f"{stored.subject} holds a {type(fact).__name__}")
    return fact
