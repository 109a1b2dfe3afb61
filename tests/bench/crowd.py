"""Many users' accounts: on the farm of mail servers, and in an installation whose workers a bench starts and ends."""

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
from nats.aio.msg import Msg

from contracts import events
from contracts.events import MessageNew
from contracts.facts import MessageArrived
from contracts.streams import LEASES
from contracts.subjects import ANY
from services.config import PROCESSES
from services.embedded.postgres import PostgresServer, ensure_database, ensure_roles, role_of
from services.log import api, headers
from services.log.reader import PartitionLog
from services.sync.workers import most
from services.vault import Credentials, Vault
from tests.bench.processes import cpu_seconds
from tests.support.farm_session import PASSWORD, username
from tests.support.imap_farm import Farm
from tests.support.postgres_server import Postgres
from tests.support.processes import PARTITIONS, Installation, installation, kill9, until

AT_ONCE = 0.15
"""Seconds between two new mails."""

STILL = 0.2
"""Of a core: what a worker that has settled uses less than."""


class Plan(msgspec.Struct, frozen=True):
    """How much of everything. `quiet`: seconds in which nothing happens; `warm`: POLL_WARM; `soon`: a shorter one."""

    accounts: int = 400
    hot: int = 250
    messages: int = 20
    quiet: float = 60
    warm: int = 180
    soon: int = 10
    ttl: int = 60


Worker = subprocess.Popen[bytes]


class Crowd:
    """The farm, the installation, and the accounts that are in both."""

    def __init__(self, plan: Plan, farm: Farm, running: Installation) -> None:
        self.plan = plan
        self.farm = farm
        self.running = running
        self.accounts = [uuid4() for _ in range(plan.accounts)]
        self.hot, self.warm = range(plan.hot), range(plan.hot, plan.accounts)
        self._rounds = 0
        self._workers: list[Worker] = []

    async def worker(self, poll_warm: int) -> Worker:
        """A new one that is ready."""
        more = {"POLL_WARM": poll_warm, "LEASE_TTL": self.plan.ttl, "HOT_BUDGET_PER_WORKER": self.plan.hot}
        worker = self.running.start("sync", LOG_LEVEL="warning", **{name: str(value) for name, value in more.items()})
        self._workers.append(worker)
        await settled(worker)
        return worker

    def end(self) -> None:
        for worker in self._workers:
            kill9(worker)

    async def connect(self) -> None:
        """All accounts at once, each of a user of its own; those of the hot ones are here, the others were yesterday."""
        vault, now = Vault(self.running.master_key), datetime.now(UTC)
        users, accounts, sealed = [], [], []
        for n, account in enumerate(self.accounts):
            user = uuid4()
            seen = now if n in self.hot else now - timedelta(days=1)
            imap = msgspec.json.encode(self.farm.imap(n)).decode()
            users.append((user, f"u{n}@localhost", seen))
            accounts.append((account, user, username(n), imap))
            sealed.append((account, user, vault.keep(account, Credentials(imap_password=PASSWORD).encoded())))
        async with self.running.db.acquire() as db, db.transaction():
            await db.executemany(
                "INSERT INTO users (id, handle, password_hash, seen_at) VALUES ($1, $2, '', $3)", users
            )
            await db.executemany(
                "INSERT INTO accounts (id, user_id, email, imap, status, settled) VALUES ($1, $2, $3, $4, 'active', true)",
                accounts,
            )
            await db.executemany(
                "INSERT INTO account_secrets (account_id, user_id, sealed) VALUES ($1, $2, $3)", sealed
            )

    async def shown(self, subject: str) -> Counter[str]:
        """How often each such subject is shown."""
        rows = await self.running.db.fetch(
            "SELECT m.subject FROM mail.messages m JOIN mail.placements p ON p.message_id = m.id "
            "WHERE p.place IS NOT NULL AND m.subject LIKE $1",
            subject,
        )
        return Counter(row["subject"] for row in rows)

    async def arrive(self, numbers: Sequence[int], patience: float) -> list[float]:
        """Seconds until browsers are told of new mail in each of these accounts; `patience` where they never were."""
        self._rounds += 1
        waiting = {self.accounts[n]: asyncio.get_running_loop().create_future() for n in numbers}

        async def tell(message: Msg) -> None:
            event = msgspec.json.decode(message.data, type=MessageNew)
            if event.account_id in waiting and not waiting[event.account_id].done():
                waiting[event.account_id].set_result(time.monotonic())

        told = await self.running.admin.subscribe(f"event.{ANY}.{events.name(MessageNew)}", cb=tell)
        sent = {}
        for n in numbers:
            sent[self.accounts[n]] = time.monotonic()
            self.farm.append(n, letter(f"round {self._rounds} of {n}", n))
            await asyncio.sleep(AT_ONCE)
        await asyncio.wait(waiting.values(), timeout=patience)
        await told.unsubscribe()
        return [one.result() - sent[account] if one.done() else patience for account, one in waiting.items()]

    async def complete(self) -> bool:
        """Whether all that was there from the beginning is shown."""
        return (await self.shown("farm %")).total() == self.plan.accounts * self.plan.messages

    async def owned(self) -> Counter[int]:
        """How many accounts each process has, as the leases say."""
        query = {"multi_last": [f"$KV.{LEASES.name}.account.*"]}
        found = await api.listed(self.running.admin, f"KV_{LEASES.name}", query)
        held = (one for one in found.messages if one.data and headers.KV_OPERATION not in one.headers)
        return Counter(int(one.data.decode().split("/")[2]) for one in held)

    async def shared_by(self, *workers: Worker) -> float:
        """Seconds until these have all accounts, each at least what the others leave it."""
        count, others = self.plan.accounts, len(workers) - 1
        least = count - others * most(count, len(workers), count)
        started = time.monotonic()

        async def shared() -> bool:
            owned = await self.owned()
            return owned.total() == count and all(owned[one.pid] >= least for one in workers)

        await until(shared, seconds=200)
        return time.monotonic() - started

    async def once(self) -> bool:
        """Whether no fact was told twice, and no mail is missing or shown twice."""
        told: Counter[tuple[UUID, UUID, int]] = Counter()
        for partition in range(PARTITIONS):
            log = PartitionLog(self.running.admin, partition)
            async for facts in log.history(f"fact.{partition}.>", await log.head()):
                told.update((f.account_id, f.mailbox_id, f.uid) for _, f in facts if isinstance(f, MessageArrived))
        shown = await self.shown("%")
        return set(told.values()) == {1} and set(shown.values()) == {1} and len(told) == len(shown)


def letter(subject: str, n: int) -> bytes:
    head = f"From: new@farm.example\r\nTo: {username(n)}\r\nSubject: {subject}\r\n"
    return f"{head}Message-ID: <{subject.replace(' ', '.')}@farm.example>\r\n\r\nSomething new.\r\n".encode()


async def settled(worker: Worker) -> None:
    """Wait until it does nothing but what it always does."""
    before, busy = cpu_seconds(worker.pid), True
    while busy:
        assert worker.poll() is None, "the worker has ended"
        await asyncio.sleep(1)
        now = cpu_seconds(worker.pid)
        before, busy = now, now - before > STILL


@asynccontextmanager
async def installed(place: Path) -> AsyncIterator[Installation]:
    """Both servers with everything in them, and the processes' roles."""
    server = PostgresServer(place / "pg", password="bench")
    server.start()
    try:
        ensure_roles(server.dsn(), {role_of(process): role_of(process) for process in PROCESSES if process != "admin"})
        ensure_database(server.dsn(), "webmail")
        async with installation(Postgres(server), server.dsn(database="webmail"), place) as running:
            yield running
    finally:
        server.stop()
