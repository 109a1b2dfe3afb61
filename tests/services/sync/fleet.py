"""Many accounts at mail servers in memory, and sync workers within the test, on a real log and a real database."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast
from uuid import UUID, uuid4

import asyncpg
import msgspec

from contracts import ids
from contracts.facts import MessageArrived
from contracts.provider import (
    KnownMessages,
    MailboxDelta,
    MailboxStatus,
    MailSource,
    ProviderError,
    RemoteMailbox,
    Seen,
)
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from services import config
from services.jobs.job import Limits
from services.jobs.jobs import Jobs
from services.log import leases
from services.log.connection import Connection, connect
from services.mail.budget import HostBudget, Places
from services.state.logins import Login
from services.sync.bulk import Bulk
from services.sync.claims import Claimer
from services.sync.cooldowns import Cooldowns
from services.sync.ingest import Ingest
from services.sync.runner import Parts
from services.sync.tiers import Rules
from services.vault import Credentials, Vault
from tests.services.sync.mail_server import MailServer
from tests.support.processes import PARTITIONS, Installation

HOST = "imap.example.com"
SEAL = Credentials(imap_password="secret").encoded()


class Server(MailServer):
    """Tells of new mail, counts who is there and has been, and fails or falls silent when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.looks: list[float] = []
        self.watching = 0
        self.open = self.opened = self.compared = 0
        self.trouble: ProviderError | None = None
        self.silent = False
        self.refuses_to_wait: ProviderError | None = None
        self._news = asyncio.Event()

    def deliver(self, raw: bytes) -> int:
        uid = self.inbox.add(raw)
        self.tell()
        return uid

    def tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def list_mailboxes(self) -> list[RemoteMailbox]:
        self.looks.append(time.monotonic())
        if self.silent:
            await asyncio.Event().wait()
        if self.trouble is not None:
            raise self.trouble
        return list(await super().list_mailboxes())

    async def uids(self, mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        self.compared += 1
        return await super().uids(mailbox, uidvalidity=uidvalidity)

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        if self.refuses_to_wait is not None:
            raise self.refuses_to_wait
        self.watching += 1
        try:
            while self.boxes[mailbox].status(condstore=self.condstore) == status:
                await self._news.wait()
        finally:
            self.watching -= 1


class Placed:
    """One connection to a server, which takes a place at its host."""

    def __init__(self, server: Server, places: Places) -> None:
        self._server = server
        self._places = places
        self._release: Callable[[], None] | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._server, name)

    async def list_mailboxes(self) -> list[RemoteMailbox]:
        await self._open()
        return await self._server.list_mailboxes()

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        await self._open()
        return await self._server.poll(mailbox, seen)

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        await self._open()
        await self._server.idle(mailbox, status)

    async def close(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            self._server.open -= 1
            release()

    async def _open(self) -> None:
        if self._release is None:
            self._release = await self._places.take(HOST, 0.5)
            self._server.open += 1
            self._server.opened += 1


class Fleet:
    """`servers` by account."""

    def __init__(
        self, installed: Installation, nc: Connection, db: "asyncpg.Pool[asyncpg.Record]", ingest: Ingest
    ) -> None:
        self.installed = installed
        self.nc = nc
        self.jobs = Jobs(nc, Limits(retry=0.2))
        self.servers: defaultdict[UUID, Server] = defaultdict(Server)
        self.budget = HostBudget(50)
        self._db = db
        self._ingest = ingest

    async def add(self, count: int = 1, *, seen_days_ago: float = 0) -> list[AccountSubjects]:
        """Each of a user of its own, who was last there so long ago."""
        vault = Vault(self.installed.master_key)
        rows = [(uuid4(), uuid4()) for _ in range(count)]
        db = self.installed.db
        await db.executemany(
            "INSERT INTO users (id, handle, password_hash, seen_at) VALUES ($1, $2, '', now() - $3 * interval '1 day')",
            [(user, f"{user}@localhost", seen_days_ago) for user, _ in rows],
        )
        await db.executemany(
            "INSERT INTO accounts (id, user_id, email, imap, status, settled) VALUES ($1, $2, 'a@x', $3, 'pending', true)",
            [(account, user, _endpoint(account)) for user, account in rows],
        )
        await db.executemany(
            "INSERT INTO account_secrets (account_id, user_id, sealed) VALUES ($1, $2, $3)",
            [(account, user, vault.keep(account, SEAL)) for user, account in rows],
        )
        await db.execute("UPDATE accounts SET status = 'active' WHERE id = ANY ($1)", [account for _, account in rows])
        return [AccountSubjects(ids.partition(user, PARTITIONS), user, account) for user, account in rows]

    @asynccontextmanager
    async def worker(self, name: str, **environ: str) -> AsyncIterator[Claimer]:
        """Ended with the block, in order."""
        claimer, bulk, cooldowns = await self.made(name, **environ)
        async with cooldowns.followed():
            tasks = [asyncio.create_task(bulk.run()), asyncio.create_task(claimer.run())]
            try:
                yield claimer
            finally:
                for task in tasks:
                    task.cancel()
                done, _ = await asyncio.wait(tasks)
                for task in done:
                    assert task.cancelled(), task.exception()

    async def made(self, name: str, **environ: str) -> tuple[Claimer, Bulk, Cooldowns]:
        given = self.installed.environ("sync", **{"LEASE_TTL": "3", **environ})
        settings = config.settings(given)
        cooldowns = Cooldowns(self.nc)
        parts = Parts(
            nc=self.nc,
            db=self._db,
            ingest=self._ingest,
            connect=self._connect,
            budget=self.budget,
            cooldowns=cooldowns,
            rules=Rules.of(settings),
            starting=defaultdict(lambda: asyncio.Semaphore(8)),
            size=settings.sync_job_chunk,
            most=settings.sync_job_chunks,
            audit_every=settings.audit_every,
        )
        bulk = Bulk(self.jobs, settings.bulk_concurrency)
        return Claimer(parts, bulk, Vault(self.installed.master_key), settings, name), bulk, cooldowns

    async def owners(self) -> dict[UUID, str]:
        """Who has which account's lease."""
        held = await leases.owners(self.nc, "account.*")
        return {UUID(key.removeprefix("account.")): owner for key, owner in held.items()}

    async def arrived(self, account: AccountSubjects) -> int:
        return sum(isinstance(fact, MessageArrived) for fact in await self.installed.told(account))

    def _connect(self, login: Login, known: KnownMessages, places: Places) -> MailSource:
        server = self.servers[UUID(login.endpoint.username)]
        server.asked_by(known)
        return cast("MailSource", Placed(server, places))


def _endpoint(account: UUID) -> str:
    return msgspec.json.encode({"host": HOST, "port": 993, "tls": "ssl", "username": str(account)}).decode()


@asynccontextmanager
async def fleet(installed: Installation, ingest: Ingest) -> AsyncIterator[Fleet]:
    """Its accounts are removed at the end."""
    password = installed.nats_passwords[Role.SYNC]
    nc = await connect(installed.nats.url.replace("://", f"://sync:{password}@"), Role.SYNC)
    dsn = installed.postgres.dsn_as("sync", installed.dsn)
    try:
        async with asyncpg.create_pool(dsn, min_size=1, max_size=3) as db:
            yield Fleet(installed, nc, db, ingest)
    finally:
        await nc.close()
