"""One account synced within the test: the real memory, blobs and parsers, a log in memory, and whichever mail server."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from contracts.facts import MessageArrived, RequestApplied
from contracts.provider import KnownMessages, MailboxError, MailSource
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.sync.audit import audit
from services.sync.backfill import backfill
from services.sync.cursor import Cursor
from services.sync.errors import Superseded
from services.sync.ingest import Ingest
from services.sync.mailboxes import Mailboxes
from services.sync.memory import Memory
from services.sync.reconcile import reconcile
from tests.services.sync.fake_log import Remembering
from tests.services.sync.told import mailboxes

Connect = Callable[[KnownMessages], MailSource]


class OneAccount:
    """`restart` is kill -9 and another worker: all that is left is the log, and what was remembered of it."""

    def __init__(self, db: Pool, ingest: Ingest, subjects: AccountSubjects, connect: Connect) -> None:
        self.db = db
        self.log = Remembering()
        self.subjects = subjects
        self._ingest = ingest
        self._connect = connect

    async def restart(self) -> None:
        memory = Memory(self.db, self.log, self.subjects)
        known = await memory.mailboxes(self.log.last_sequence)
        self.mailboxes = Mailboxes(self.log, self.subjects, memory, known, self.log.marks)
        self.source = self._connect(self.mailboxes)

    async def look(self) -> None:
        """As a runner does: list, poll all, fill what is not complete, and poll again."""
        await self.mailboxes.refresh(await self.source.list_mailboxes(), self.source)
        for one in self.mailboxes.opened:
            await self._polled(one)
        for one in self.mailboxes.opened:
            if not one.mark.done:
                await backfill(one, self.source, self._ingest)
                await self._polled(one)

    async def poll(self, path: str) -> None:
        await self._polled(self.cursor(path))

    async def fill(self, path: str) -> None:
        await backfill(self.cursor(path), self.source, self._ingest)

    async def audit(self, path: str = "INBOX", *, whole: bool = False) -> bool:
        return await audit(self.cursor(path), self.source, self._ingest, self._outcomes, whole=whole)

    def cursor(self, path: str) -> Cursor:
        return next(one for one in self.mailboxes.opened if one.mailbox.path == path)

    def told(self) -> dict[str, dict[int, frozenset[str]]]:
        """By path: UIDs and flags, as the log has them."""
        return {
            path: {uid: flags for uid, (_, flags) in placed.items()}
            for path, placed in mailboxes(self.log.facts).items()
        }

    def arrivals(self) -> list[MessageArrived]:
        return [fact for fact in self.log.facts if isinstance(fact, MessageArrived)]

    def generation_of(self, path: str) -> int:
        return self.cursor(path).mark.generation

    def outcome(self, fact: RequestApplied) -> None:
        """Outbound tells what became of a request."""
        self.log.recorded.append((self.subjects.outcome, fact))

    async def _outcomes(self) -> int:
        return max(
            (n for n, (subject, _) in enumerate(self.log.recorded, 1) if subject == self.subjects.outcome), default=0
        )

    async def _polled(self, one: Cursor) -> None:
        try:
            await reconcile(one, self.source, self._ingest, self._outcomes)
        except (Superseded, MailboxError):
            return


Begin = Callable[[Connect], Awaitable[OneAccount]]


async def owner(db: Pool) -> AccountSubjects:
    """Rows of a user and an account."""
    user: UUID = await db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('a@localhost', '') RETURNING id")
    account: UUID = await db.fetchval(
        "INSERT INTO accounts (user_id, email, imap) VALUES ($1, 'a@x', '{}') RETURNING id", user
    )
    return AccountSubjects(0, user, account)
