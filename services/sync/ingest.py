"""What the server sent becomes blobs, documents and facts: fetching, parsing and appending overlap, in bounded memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from contracts import ids
from contracts.facts import MessageArrived
from contracts.provider import Batch, RemoteMessage
from projections.documents import memo
from projections.documents.document import unreadable
from projections.sql import Pool
from services.blobs import Blobs
from services.parsing.messages import Parsed
from services.parsing.pool import ParsePool
from services.sync.cursor import MOST, Cursor, Who
from services.sync.overlap import overlap

REFUSED = "the server does not give this message"
NO_LABELS: Mapping[int, frozenset[str]] = {}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Told(NamedTuple):
    """A batch as facts: every UID from `lowest` to `highest` that was asked for is accounted for once they are appended.

    `labels` of the UIDs that have any. `batches`: of how many it was made.
    """

    facts: list[MessageArrived]
    lowest: int
    highest: int
    labels: Mapping[int, frozenset[str]] = NO_LABELS
    batches: int = 1


class Ingest:
    """Shared by all accounts of a process."""

    def __init__(self, db: Pool, blobs: Blobs, pool: ParsePool) -> None:
        self._db = db
        self._blobs = blobs
        self._pool = pool

    async def run(
        self, cursor: Cursor, batches: AsyncIterator[Batch], write: Callable[[Told], Awaitable[None]], *, as_of: int = 0
    ) -> None:
        """Tell batch after batch, in order: while one is written, the next are parsed and one after them fetched.

        Those that are ready when the one before is written are written together: each write waits for the disk. `as_of`:
        the last outcome before any was fetched, 0 where nobody knows.
        """
        telling = _Telling(cursor.who, cursor.mailbox.id, cursor.mark.generation, as_of)
        await overlap(batches, lambda batch: self._tell(telling, batch), _joined, write)

    async def _tell(self, told: "_Telling", batch: Batch) -> Told:
        """Blobs and documents are safe when this returns, so that facts may name them."""
        who = told.who
        raws = [message.raw for message in batch.messages] + ([b""] if batch.unreadable else [])
        small = [raw for raw in raws if isinstance(raw, bytes)]
        shas, parsed_small = await asyncio.gather(
            self._blobs.put(who.user_id, raws), self._pool.parse(small) if small else _nothing()
        )
        answers = iter(parsed_small)
        parsed = [
            next(answers) if isinstance(raw, bytes) else await self._from_file(who, sha)
            for raw, sha in zip(raws, shas, strict=True)
        ]
        documents = {sha: one.encoded for sha, one in zip(shas, parsed, strict=True)}
        if batch.unreadable:
            documents[shas[-1]] = memo.encode(unreadable(REFUSED, 0))
        await memo.put(self._db, who.user_id, documents)
        now = datetime.now(UTC)
        facts = [
            told.arrived(message, sha, one, now)
            for message, sha, one in zip(batch.messages, shas, parsed, strict=bool(not batch.unreadable))
        ]
        facts += [told.refused(uid, shas[-1], batch.uidvalidity, now) for uid in batch.unreadable]
        uids = [message.uid for message in batch.messages] + [*batch.missing, *batch.unreadable]
        labels = {message.uid: message.labels for message in batch.messages if message.labels}
        return Told(facts, batch.floor, max(uids, default=batch.floor), labels)

    async def _from_file(self, who: Who, sha: str) -> Parsed:
        async with self._blobs.file(who.user_id, sha) as path:
            (parsed,) = await self._pool.parse([path])
            return parsed


class _Telling(NamedTuple):
    who: Who
    mailbox: UUID
    generation: int
    as_of: int

    def arrived(self, message: RemoteMessage, sha: str, parsed: Parsed, now: datetime) -> MessageArrived:
        account = self.who.account_id
        email_id = message.email_id or ""
        return MessageArrived(
            user_id=self.who.user_id,
            account_id=account,
            at=now,
            mailbox_id=self.mailbox,
            generation=self.generation,
            uid=message.uid,
            message_id=ids.message_id_by_email_id(account, email_id) if email_id else ids.message_id(account, sha),
            blob=sha,
            size=message.size,
            internal_date=message.internal_date,
            evidence=parsed.evidence,
            flags=sorted(message.flags),
            modseq=message.modseq or 0,
            unreadable=parsed.unreadable,
            email_id=email_id,
            remote_thread=message.thread_id or "",
            as_of=self.as_of,
        )

    def refused(self, uid: int, empty: str, uidvalidity: int, now: datetime) -> MessageArrived:
        """A message that is there and can't be read is shown as that: a hole would look like loss. Its flags are not known."""
        account = self.who.account_id
        return MessageArrived(
            user_id=self.who.user_id,
            account_id=account,
            at=now,
            mailbox_id=self.mailbox,
            generation=self.generation,
            uid=uid,
            message_id=ids.message_id_by_place(account, self.mailbox, uidvalidity, uid),
            blob=empty,
            size=0,
            internal_date=_EPOCH,
            evidence=ids.evidence(b"", b"", b""),
            unreadable=REFUSED,
        )


def _joined(one: Told, other: Told) -> Told | None:
    """Both as one, if the log takes so much at once."""
    if len(one.facts) + len(other.facts) > MOST:
        return None
    lowest, highest = min(one.lowest, other.lowest), max(one.highest, other.highest)
    return Told(one.facts + other.facts, lowest, highest, {**one.labels, **other.labels}, one.batches + other.batches)


async def _nothing() -> list[Parsed]:
    return []
