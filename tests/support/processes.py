"""A small installation for tests: a log with every role's rights, a prepared database, and the real processes as children."""

import asyncio
import base64
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import asyncpg
import msgspec
from nats.errors import NoRespondersError

from contracts import ids
from contracts.facts import AccountConnected, AccountState, AccountStateChanged, Fact
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from projections import catalog
from projections.engine.log import Recorded
from services import vault
from services.config import Process
from services.embedded.nats import NatsServer
from services.log.append import append
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.log.permissions import passwords, users
from services.log.reader import PartitionLog
from services.state.accounts import Tls
from services.state.prepare import prepare
from services.vault import Credentials
from tests.support import secrecy
from tests.support.dovecot import FULL, User
from tests.support.imap_truth import Server
from tests.support.postgres_server import Postgres

PARTITIONS = 2
ROOT = Path(__file__).parents[2]


@dataclass
class Installation:
    """One log, one database, one folder of blobs; `start` runs a process with nothing but its own secrets."""

    folder: Path
    nats: NatsServer
    nats_passwords: dict[Role, str]
    postgres: Postgres
    dsn: str
    gateway: Connection
    admin: Connection
    db: "asyncpg.Pool[asyncpg.Record]"
    private_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    master_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def environ(self, process: Process, **more: str) -> dict[str, str]:
        password = self.nats_passwords[Role(process)]
        base = {
            "DATABASE_URL": self.postgres.dsn_as(process, self.dsn),
            "NATS_URL": self.nats.url.replace("://", f"://{process}:{password}@"),
            "DATA_DIR": str(self.folder),
            "PARTITIONS": str(PARTITIONS),
            "PARSE_CONCURRENCY": "2",
            "PATH": "/usr/bin:/bin",
        }
        if process in ("sync", "outbound"):
            base |= {"MASTER_KEY": _text(self.master_key), "SYNC_PRIVATE_KEY": _text(self.private_key)}
        return base | more

    @contextmanager
    def running(self, process: Process, **more: str) -> Iterator["subprocess.Popen[bytes]"]:
        """The process as a child; ended with the block, its log in the folder."""
        child = self.start(process, **more)
        try:
            yield child
        finally:
            stop(child)

    def start(self, process: Process, **more: str) -> "subprocess.Popen[bytes]":
        with (self.folder / f"{process}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"services.{process}"],
                env=self.environ(process, **more),
                stdout=log,
                stderr=log,
                cwd=ROOT,
            )

    def log_of(self, process: Process) -> str:
        path = self.folder / f"{process}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    async def add_user(self) -> UUID:
        handle = f"u{secrets.token_hex(5)}@localhost"
        user: UUID = await self.db.fetchval(
            "INSERT INTO users (handle, password_hash) VALUES ($1, '') RETURNING id", handle
        )
        return user

    async def add_account(self, server: Server, user: User, *, host: str = FULL, tls: Tls = "none") -> AccountSubjects:
        """What the gateway does when a user connects an account that works."""
        owner = await self.add_user()
        account = await self.pending(server, user, owner, host, tls)
        answer = await self.connect(server, user, owner, account)
        assert answer == {"ok": True}, answer
        return await self.activate(owner, account)

    async def activate(self, owner: UUID, account: UUID) -> AccountSubjects:
        """An account whose secret sync has."""
        subjects = AccountSubjects(ids.partition(owner, PARTITIONS), owner, account)
        fact = AccountConnected(user_id=owner, account_id=account, at=datetime.now(UTC))
        await append(self.gateway, subjects.account, fact)
        await self.db.execute("UPDATE accounts SET status = 'active', settled = true WHERE id = $1", account)
        return subjects

    async def pending(self, server: Server, user: User, owner: UUID, host: str = FULL, tls: Tls = "none") -> UUID:
        account: UUID = await self.db.fetchval(
            "INSERT INTO accounts (user_id, email, imap) VALUES ($1, $2, $3) RETURNING id",
            owner,
            user.name,
            msgspec.json.encode(imap(server, user, host, tls)).decode(),
        )
        return account

    async def connect(
        self, server: Server, user: User, owner: UUID, account: UUID, password: str | None = None
    ) -> dict[str, object]:
        """The gateway's question to sync."""
        sealed = vault.seal(
            vault.public_key(self.private_key), Credentials(imap_password=password or user.password).encoded()
        )
        question = {
            "user_id": owner,
            "account_id": account,
            "email": user.name,
            "imap": imap(server, user),
            "smtp": None,
            "sealed": sealed,
        }
        answer: dict[str, object] = msgspec.json.decode(await self.ask_sync(msgspec.json.encode(question)))
        return answer

    async def ask_sync(self, question: bytes) -> bytes:
        """Asked until sync is there to answer."""
        deadline = time.monotonic() + 20
        while True:
            try:
                return (await self.gateway.request("rpc.sync.account.connect", question, timeout=10)).data
            except (NoRespondersError, TimeoutError):
                assert time.monotonic() < deadline, self.log_of("sync")
                await asyncio.sleep(0.1)

    async def remove_accounts(self) -> None:
        """So that no later process takes them up."""
        await self.db.execute("UPDATE accounts SET status = 'removed'")

    async def facts(self, subjects: AccountSubjects) -> list[Recorded[Fact]]:
        """All facts of an account, in order."""
        log = PartitionLog(self.admin, subjects.partition)
        return [r async for batch in log.history(subjects.everything, await log.head()) for r in batch]

    async def told(self, subjects: AccountSubjects) -> list[Fact]:
        return [fact for _, fact in await self.facts(subjects)]

    async def states(self, subjects: AccountSubjects) -> list[AccountStateChanged]:
        return [fact for fact in await self.told(subjects) if isinstance(fact, AccountStateChanged)]

    async def until_live(self, subjects: AccountSubjects, *, seconds: float = 20) -> None:
        async def live() -> bool:
            states = await self.states(subjects)
            return bool(states) and states[-1].state is AccountState.LIVE

        await until(live, seconds=seconds)


@asynccontextmanager
async def installation(postgres: Postgres, dsn: str, folder: Path) -> AsyncIterator[Installation]:
    """A fresh one, on a nats-server of its own with a user a role."""
    known = passwords()
    nats = NatsServer(folder / "nats", users=users(known))
    nats.start()
    urls = {role: nats.url.replace("://", f"://{role}:{known[role]}@") for role in (Role.ADMIN, Role.GATEWAY)}
    admin, gateway = await connect(urls[Role.ADMIN], Role.ADMIN), await connect(urls[Role.GATEWAY], Role.GATEWAY)
    db = await asyncpg.create_pool(dsn, min_size=1, max_size=4)
    try:
        await apply(admin, PARTITIONS, 1)
        await prepare(dsn, catalog.ALL, PARTITIONS)
        yield Installation(folder, nats, known, postgres, dsn, gateway, admin, db)
        await secrecy.search_installation(folder, dsn, urls[Role.ADMIN])
    finally:
        await db.close()
        await gateway.close()
        await admin.close()
        nats.stop()


def imap(server: Server, user: User, host: str = FULL, tls: Tls = "none") -> dict[str, object]:
    return {"host": host, "port": server.port, "tls": tls, "username": user.name}


def stop(child: "subprocess.Popen[bytes]") -> None:
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def kill9(child: "subprocess.Popen[bytes]") -> None:
    child.kill()
    child.wait()


async def until(true: Callable[[], object], *, seconds: float = 20) -> None:
    """Wait for something to become so."""
    deadline = time.monotonic() + seconds
    while True:
        found = true()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.05)


def _text(key: bytes) -> str:
    return base64.b64encode(key).decode()
