"""Given these facts, then those rows: a mail account told in few words, and projections folding what it tells."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4, uuid5

import asyncpg

from contracts import codec, ids
from contracts.events import Event
from contracts.facts import (
    AccountConnected,
    Fact,
    GenerationOpened,
    MailboxFound,
    MessageArrived,
    SpecialUse,
)
from projections import sql
from projections.documents.document import Document, read
from projections.engine import control
from projections.engine.follow import Folder
from projections.engine.projection import Projection
from projections.sql import Pool
from tests.support.memory_log import MemoryDocuments, MemoryLog

START = datetime(2025, 10, 1, 9, tzinfo=UTC)


def mail(
    subject: str = "Plan",
    *,
    key: str,
    sender: str = "Ann <ann@x.example>",
    to: str = "bob@x.example",
    answers: str = "",
    days: float = 0,
    body: str = "Words.",
    more: str = "",
) -> bytes:
    """A raw message; `key` is the local part of its Message-ID, and `answers` of the one that it answers."""
    date = START + timedelta(days=days)
    reference = f"In-Reply-To: <{answers}@x.example>\r\n" if answers else ""
    return (
        f"Message-ID: <{key}@x.example>\r\nFrom: {sender}\r\nTo: {to}\r\nSubject: {subject}\r\n"
        f"Date: {date:%d %b %Y %H:%M:%S} +0000\r\n{reference}{more}\r\n{body}\r\n"
    ).encode()


class Account:
    """One mail account and what its server and its user say; each method makes facts, `given` tells them."""

    def __init__(self, user_id: UUID | None = None, account_id: UUID | None = None) -> None:
        self.user_id = user_id or uuid4()
        self.account_id = account_id or uuid4()
        self.documents: dict[str, Document] = {}
        self._uids: dict[UUID, int] = {}

    def fact(self, kind: type[Fact], **fields: Any) -> Fact:
        return kind(user_id=self.user_id, account_id=self.account_id, at=START, **fields)

    def connected(self) -> Fact:
        return self.fact(AccountConnected)

    def id_of(self, path: str) -> UUID:
        return ids.mailbox_id(self.account_id, path, 1)

    def message(self, raw: bytes) -> UUID:
        return ids.message_id(self.account_id, sha256(raw).hexdigest())

    def mailbox(self, path: str, use: SpecialUse | None = None) -> list[Fact]:
        """A mailbox whose first listing begins."""
        return [self.found(path, use), self.opened(path)]

    def found(self, path: str, use: SpecialUse | None = None, **fields: Any) -> Fact:
        return self.fact(MailboxFound, mailbox_id=self.id_of(path), path=path, delimiter="/", special_use=use, **fields)

    def opened(self, path: str, generation: int = 1, *, uidnext: int = 1000) -> Fact:
        return self.fact(
            GenerationOpened,
            mailbox_id=self.id_of(path),
            generation=generation,
            uidvalidity=generation,
            uidnext=uidnext,
            messages=0,
        )

    def arrived(
        self,
        raw: bytes,
        path: str = "INBOX",
        *,
        uid: int | None = None,
        generation: int = 1,
        flags: Sequence[str] = (),
        modseq: int = 0,
        days: float = 0,
        message_id: UUID | None = None,
    ) -> Fact:
        mailbox = self.id_of(path)
        blob = sha256(raw).hexdigest()
        self.documents[blob] = read(raw)
        self._uids[mailbox] = uid or self._uids.get(mailbox, 0) + 1
        return self.fact(
            MessageArrived,
            mailbox_id=mailbox,
            generation=generation,
            uid=self._uids[mailbox],
            message_id=message_id or self.message(raw),
            blob=blob,
            size=len(raw),
            internal_date=START + timedelta(days=days or 30),
            evidence="",
            flags=list(flags),
            modseq=modseq,
        )


class Given:
    """Tells facts to projections, which fold them into their live schemas."""

    def __init__(self, db: Pool, projections: Sequence[Projection], documents: dict[str, Document]) -> None:
        self.db = db
        self.log = MemoryLog()
        self._projections = projections
        self._documents = MemoryDocuments({})
        self._documents.documents = documents  # the very same, which accounts add to

    async def __call__(self, *facts: Fact | Sequence[Fact]) -> list[Event]:
        """Fold these facts after all that was told before, at once; what was announced."""
        for one in facts:
            for fact in [one] if isinstance(one, Fact) else one:
                self.log.append(fact)
        await self.db.execute("TRUNCATE control.outbox")
        for projection in self._projections:
            folder = Folder(projection, self.log, self.db, self._documents)
            after = await folder.position()
            while (moved := await folder.advance(after, 1000)) != after:
                after = moved
        rows = await self.db.fetch("SELECT payload FROM control.outbox ORDER BY projection, sequence, n")
        return [codec.decode_event(row["payload"]) for row in rows]


@asynccontextmanager
async def installed(database: str, projections: Sequence[Projection]) -> AsyncIterator[Pool]:
    """The database with the schemas of these projections, empty."""
    async with asyncpg.create_pool(database, min_size=1, max_size=4, init=sql.types) as pool:
        async with pool.acquire() as connection, connection.transaction():
            await control.prepare(connection)
        async with pool.acquire() as connection:
            await control.install(connection, projections, partitions=1)
        yield pool


def other_id(name: str) -> UUID:
    """An id that is always the same for a name."""
    return uuid5(UUID(int=0), name)
