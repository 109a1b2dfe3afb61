"""An account that is synced, to be held against its server: in the log, where nothing is told twice, and in the read model."""

import asyncio
import imaplib
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import msgspec

from contracts import codec
from contracts.facts import AccountState, AccountStateChanged, Fact, GenerationOpened, MailboxFound
from contracts.subjects import AccountSubjects
from services.log import api
from services.state.accounts import Tls
from tests.services.sync.told import mailboxes, repeated
from tests.support.dovecot import FULL, Mail, User
from tests.support.imap_truth import Placed, Server, held, quoted, session
from tests.support.processes import Installation, imap, until

SECONDS = 30.0

Connect = Callable[..., Awaitable["Mirror"]]
"""The fixture `mirror`."""


@dataclass
class Mirror:
    """`server` is the real one, also for an account that reaches it through a proxy."""

    installed: Installation
    account: AccountSubjects
    server: Server
    user: User

    async def facts(self) -> list[Fact]:
        return await self.installed.told(self.account)

    async def equal(self, *, seconds: float = SECONDS) -> None:
        """Return when log and read model say what the server holds, and nothing was told twice."""
        deadline = time.monotonic() + seconds
        while True:
            truth = await self.truth()
            facts = await self.facts()
            told, shown = mailboxes(facts), await self.shown()
            if told == truth and shown == truth:
                break
            assert time.monotonic() < deadline, (
                f"{difference(truth, told)} in the log, {difference(truth, shown)} shown"
            )
            await asyncio.sleep(0.2)
        assert repeated(facts) == []

    async def truth(self) -> dict[str, Placed]:
        """What the server holds; nothing while it gives no answer."""
        try:
            return await asyncio.to_thread(held, self.server, self.user)
        except (imaplib.IMAP4.abort, ConnectionError):
            return {}

    async def shown(self) -> dict[str, Placed]:
        """By path: UID to blob and flags, as the read model has it."""
        found: dict[str, Placed] = {}
        rows = await self.installed.db.fetch(
            "SELECT b.path, p.uid, m.blob, p.flags FROM mail.mailboxes b "
            "LEFT JOIN mail.placements p ON p.mailbox_id = b.id AND p.generation = b.shown "
            "LEFT JOIN mail.messages m ON m.id = p.message_id WHERE b.account_id = $1 AND b.selectable",
            self.account.account_id,
        )
        for path, uid, blob, flags in rows:
            here = found.setdefault(path, {})
            if uid is not None:
                twice = uid in here  # two mailboxes of one name, while the server's renames are being told
                here[-uid if twice else uid] = blob, frozenset(flags)
        return found

    async def live(self, *, seconds: float = SECONDS) -> None:
        """Asks for the last state alone, since a big mailbox has many facts."""
        installed, account = self.installed, self.account

        async def said() -> bool:
            last = await api.last(installed.admin, account.partition, account.state)
            fact = codec.decode_at(last.subject, last.data) if last else None
            return isinstance(fact, AccountStateChanged) and fact.state is AccountState.LIVE

        await until(said, seconds=seconds)

    async def trouble(self) -> list[str]:
        """The reasons of all trouble so far."""
        states = await self.installed.states(self.account)
        return [state.code for state in states if state.state is AccountState.ERROR]

    async def in_trouble(self, *codes: str) -> None:
        """Return when the account has said that it was in trouble, for one of these reasons."""

        async def said() -> bool:
            return not {*codes}.isdisjoint(await self.trouble())

        await until(said)

    async def inbox_until(self, uids: Iterable[int], *, seconds: float = 10) -> None:
        """Return when the log tells of these UIDs in the inbox and of no others."""
        wanted = set(uids)

        async def there() -> bool:
            return mailboxes(await self.facts()).get("INBOX", {}).keys() == wanted

        await until(there, seconds=seconds)

    async def ids_of(self, path: str) -> list[UUID]:
        """Every id that a mailbox at this path has had, in order."""
        found = [fact.mailbox_id for fact in await self.facts() if isinstance(fact, MailboxFound) and fact.path == path]
        return list(dict.fromkeys(found))

    async def generations(self, path: str) -> list[tuple[int, int]]:
        """Number and UIDVALIDITY of each, in order."""
        ids = await self.ids_of(path)
        opened = [fact for fact in await self.facts() if isinstance(fact, GenerationOpened) and fact.mailbox_id in ids]
        return [(fact.generation, fact.uidvalidity) for fact in opened]


@asynccontextmanager
async def mirrored(
    installed: Installation,
    server: Server,
    user: User,
    *,
    via: Server | None = None,
    host: str = FULL,
    tls: Tls = "none",
    owner: UUID | None = None,
) -> AsyncIterator[Mirror]:
    """The account, connected at the server itself and then reached via something else; removed after the block.

    `owner`: who has another one already.
    """
    owner = owner or await installed.add_user()
    account = await installed.pending(server, user, owner, host, tls)
    answer = await installed.connect(server, user, owner, account)
    assert answer == {"ok": True}, answer
    there = msgspec.json.encode(imap(via or server, user, host, tls)).decode()
    await installed.db.execute("UPDATE accounts SET imap = $2 WHERE id = $1", account, there)
    try:
        yield Mirror(installed, await installed.activate(owner, account), server, user)
    finally:
        await installed.db.execute("UPDATE accounts SET status = 'removed' WHERE id = $1", account)


def mails(count: int, *, first: int = 0) -> list[Mail]:
    """Small ones that differ, some of them read."""
    return [
        Mail(
            f"From: a@x.example\r\nSubject: number {n}\r\nMessage-ID: <{n}@x.example>\r\n\r\nText {n}\r\n".encode(),
            flags="S" if n % 3 else "",
        )
        for n in range(first, first + count)
    ]


def fill(server: Server, user: User, count: int, mailbox: str = "INBOX", size: int = 10) -> None:
    """Such mail by APPEND, for servers whose files are their own business."""
    with session(server, user) as imap:
        for n in range(count):
            raw = f"Subject: number {n}\r\nMessage-ID: <{mailbox}{n}@x.example>\r\n\r\n".encode() + b"words " * size
            imap.append(quoted(mailbox), r"(\Seen)" if n % 3 else None, None, raw + b"\r\n")  # type: ignore[arg-type]


def difference(truth: dict[str, Placed], other: dict[str, Placed]) -> str:
    """In few words, for whoever reads a failure."""
    if truth.keys() != other.keys():
        return (
            f"mailboxes {sorted(truth.keys() - other.keys())} missing, {sorted(other.keys() - truth.keys())} too many"
        )
    counts: Counter[str] = Counter()
    for path, placed in truth.items():
        here = other[path]
        counts[f"{path} lacks"] += len(placed.keys() - here.keys())
        counts[f"{path} has too many"] += len(here.keys() - placed.keys())
        for uid in placed.keys() & here.keys():
            counts[f"{path} other blob"] += placed[uid][0] != here[uid][0]
            counts[f"{path} other flags"] += placed[uid][1] != here[uid][1]
    return str({what: count for what, count in counts.items() if count}) if any(counts.values()) else "nothing"
