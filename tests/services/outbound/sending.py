"""A user who sends: what the gateway writes and appends, and what becomes of it at the submission server and on the mail server."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec

from contracts.facts import SendCancelled, SendEdited, SendQueued
from services.blobs import FolderBlobs
from services.log import api
from services.log.append import append_send
from services.log.errors import Conflict
from services.outbound.send import SendFact
from services.state import sends
from services.state.drafts import Kind, Person
from services.state.sends import Content
from tests.services.outbound.acting import Acting
from tests.support.imap_truth import quoted, session
from tests.support.processes import until
from tests.support.smtp_sink import Sink, Taken

TO = "you@y.example"


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent. `key`: its Message-ID."""

    outbox: UUID
    draft: UUID
    key: str
    raw: bytes


class Sender:
    """Over an account that is synced and whose mail goes through a sink."""

    def __init__(self, acting: Acting, sink: Sink) -> None:
        self.acting, self.sink = acting, sink
        self.mirror = acting.mirror
        self.db = acting.db
        self.user, self.account = acting.mirror.account.user_id, acting.mirror.account.account_id
        self.blobs = FolderBlobs(acting.mirror.installed.folder / "blobs")

    async def begin(self, *, password: str | None = None) -> None:
        smtp = {"host": "127.0.0.1", "port": self.sink.port, "tls": "none", "username": self.mirror.user.name}
        self.sink.users = {self.mirror.user.name: password or self.mirror.user.password}
        await self.db.execute(
            "UPDATE accounts SET smtp = $2 WHERE id = $1", self.account, msgspec.json.encode(smtp).decode()
        )

    async def draft(self, **columns: Any) -> UUID:
        """A row of it, as the gateway keeps it."""
        known = {
            "message_id_header": f"<{uuid4()}@x.example>",
            "kind": "new",
            "subject": "Plan",
            "html": "Words",
        } | columns
        names = ["user_id", "account_id", *known]
        marks = ", ".join(f"${n + 1}" for n in range(len(names)))
        draft: UUID = await self.db.fetchval(
            f"INSERT INTO drafts ({', '.join(names)}) VALUES ({marks}) RETURNING id",
            self.user,
            self.account,
            *known.values(),
        )
        return draft

    async def send(
        self,
        to: Sequence[str] = (TO,),
        *,
        due: float = 0,
        kind: Kind = "new",
        source: UUID | None = None,
        draft: UUID | None = None,
        body: str = "Words.",
    ) -> Letter:
        """Due in so many seconds."""
        draft = draft or await self.draft(kind=kind, source_message_id=source)
        key = await self.db.fetchval("SELECT message_id_header FROM drafts WHERE id = $1", draft)
        raw = (
            f"From: {self.mirror.user.name}\r\nTo: {', '.join(to)}\r\nSubject: Plan\r\nMessage-ID: {key}\r\n"
            f"Date: Mon, 05 Jan 2026 10:00:00 +0000\r\n\r\n{body}\r\n"
        ).encode()
        letter = Letter(outbox=uuid4(), draft=draft, key=key, raw=raw)
        at = datetime.now(UTC) + timedelta(seconds=due)
        content = Content(
            outbox_id=letter.outbox,
            revision=1,
            draft_id=draft,
            account_id=self.account,
            raw=hashlib.sha256(raw).hexdigest(),
            size=len(raw),
            message_id_header=key,
            envelope_from=self.mirror.user.name,
            envelope_to=[Person(name="", email=one) for one in to],
            source_message_id=source,
            kind=kind,
            subject="Plan",
            due=at,
        )
        await self.blobs.put(self.user, [raw])
        async with self.db.acquire() as db:
            await sends.put(db, self.user, content)
        await self.db.execute("UPDATE drafts SET outbox_id = $2 WHERE id = $1", draft, letter.outbox)
        await self.say(SendQueued, letter, 0, draft_id=draft, due=at, revision=1)
        return letter

    async def say(self, kind: type[SendFact], letter: Letter, expected: int, **what: Any) -> int:
        fact = kind(user_id=self.user, account_id=self.account, at=datetime.now(UTC), outbox_id=letter.outbox, **what)
        subject = self.mirror.account.send(letter.outbox)
        return await append_send(self.mirror.installed.gateway, subject, fact, expected=expected)

    async def undo(self, letter: Letter) -> bool:
        """Whether it came in time."""
        try:
            await self.say(SendCancelled, letter, await self.last(letter))
        except Conflict:
            return False
        return True

    async def put_off(self, letter: Letter, seconds: float) -> None:
        due = datetime.now(UTC) + timedelta(seconds=seconds)
        await self.say(SendEdited, letter, await self.last(letter), draft_id=letter.draft, due=due, revision=1)

    async def last(self, letter: Letter) -> int:
        found = await api.last(
            self.mirror.installed.gateway, self.mirror.account.partition, self.mirror.account.send(letter.outbox)
        )
        return found.sequence if found else 0

    async def told(self, letter: Letter) -> list[str]:
        """What the log says of it, one word a fact."""
        facts = await self.mirror.facts()
        mine = [fact for fact in facts if getattr(fact, "outbox_id", None) == letter.outbox]
        return [type(fact).__name__.removeprefix("Send").lower() for fact in mine]

    async def until(self, letter: Letter, word: str, *, seconds: float = 30) -> list[str]:
        """Wait for a fact; all of them then."""
        found: list[str] = []

        async def there() -> bool:
            found[:] = await self.told(letter)
            return word in found

        await until(there, seconds=seconds)
        return found

    async def fact(self, letter: Letter, kind: type[SendFact]) -> Any:
        facts = await self.mirror.facts()
        return next(fact for fact in facts if isinstance(fact, kind) and fact.outbox_id == letter.outbox)

    async def words(self, letter: Letter) -> str:
        async with self.db.acquire() as db:
            return (await sends.words(db, self.user, [letter.outbox])).get(letter.outbox, "")

    async def refused(self, letter: Letter) -> dict[str, int]:
        found = await sends.refused(self.db, self.user, [letter.outbox])
        return {email: one.code for email, one in found.get(letter.outbox, {}).items()}

    def held(self, path: str, key: str) -> list[tuple[bytes, bytes]]:
        """The copies of a mail in a mailbox: flags and bytes."""
        with session(self.mirror.server, self.mirror.user) as imap:
            if imap.select(quoted(path))[0] != "OK":
                return []
            _, (found,) = imap.uid("SEARCH", "HEADER", "Message-ID", key)
            copies = []
            for uid in found.split():
                _, answer = imap.uid("FETCH", uid.decode(), "(FLAGS BODY.PEEK[])")
                if isinstance(answer[0], tuple):  # not gone meanwhile
                    (head, raw), *tail = answer
                    copies.append((head + b"".join(one for one in tail if isinstance(one, bytes)), raw))
            return copies

    def append(self, path: str, raw: bytes) -> None:
        """As another client of the same mailbox."""
        with session(self.mirror.server, self.mirror.user) as imap:
            imap.append(quoted(path), None, None, raw)  # type: ignore[arg-type] # it takes None

    async def has_draft(self, letter: Letter) -> bool:
        return await self.db.fetchval("SELECT count(*) FROM drafts WHERE id = $1", letter.draft) == 1

    async def drafts(self) -> int:
        count: int = await self.db.fetchval("SELECT count(*) FROM drafts WHERE account_id = $1", self.account)
        return count

    async def sent(self, letter: Letter) -> int:
        """How often the sink has taken it."""
        return self.sink.ids().count(letter.key.encode())


def filing(sender: Sender, *, after: float = 0) -> Callable[[Taken], Awaitable[None]]:
    """A server that keeps what it is given to send, at once or a little later."""
    late: set[asyncio.Task[None]] = set()

    async def file(raw: bytes) -> None:
        await asyncio.sleep(after)
        await asyncio.to_thread(sender.append, "Sent", raw)

    async def deliver(taken: Taken) -> None:
        task = asyncio.create_task(file(taken.raw))
        late.add(task)
        if not after:
            await task

    return deliver
