"""Hundreds of accounts in one worker: their cost while nothing happens, how soon new mail is seen, who takes over from the dead.

python -m tests.bench.accounts [--quick]
"""

import asyncio
import signal
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

import msgspec

from contracts.facts import MessageArrived
from contracts.streams import LEASES
from services.config import PROCESSES
from services.embedded.postgres import PostgresServer, ensure_database, ensure_roles, role_of
from services.log import api, headers
from services.log.reader import PartitionLog
from services.vault import Credentials, Vault
from tests.bench.installed import workplace
from tests.bench.processes import cpu_seconds, resident_mib
from tests.bench.report import arguments, conclude, p95, table
from tests.support.farm_session import PASSWORD, username
from tests.support.imap_farm import Farm
from tests.support.postgres_server import Postgres
from tests.support.processes import PARTITIONS, Installation, installation, kill9, until

GOAL = (
    "while nothing happens 1.5 MB an account and 10 % of a core for all; new mail visible within 2 s (p95) where an account is "
    "hot, within POLL_WARM where it is warm; a dead worker's accounts owned again within 90 s; nothing told or shown twice"
)
EVERY = 0.02
AT_ONCE = 0.06
"""Seconds between two new mails."""

STILL = 0.2
"""Of a core: what a worker that has settled uses less than."""

PER_ACCOUNT, PER_HOST = 2, 50
"""Connections of a worker, whose PER_HOST_CONN_CAP is the default."""


class Plan(msgspec.Struct, frozen=True):
    """How much of everything. `quiet`: seconds in which nothing happens; `warm`: POLL_WARM; `soon`: a shorter one."""

    accounts: int = 400
    hot: int = 250
    messages: int = 20
    quiet: float = 60
    warm: int = 180
    soon: int = 10
    ttl: int = 60


QUICK = Plan(accounts=40, hot=24, messages=3, quiet=3, warm=3, soon=2, ttl=4)

Worker = subprocess.Popen[bytes]


class Bench:
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
        """Seconds until the new mail of each of these accounts is shown; `patience` for what is not."""
        self._rounds += 1
        subjects = {f"round {self._rounds} of {n}": n for n in numbers}
        sent: dict[str, float] = {}
        seen: dict[str, float] = {}
        sending = asyncio.create_task(self._send(subjects, sent))
        while not sending.done() or (len(seen) < len(sent) and time.monotonic() < max(sent.values()) + patience):
            now = time.monotonic()
            for subject in await self.shown(f"round {self._rounds} of %"):
                seen.setdefault(subject, now)
            await asyncio.sleep(EVERY)
        await sending
        return [seen[subject] - at if subject in seen else patience for subject, at in sent.items()]

    async def _send(self, subjects: dict[str, int], sent: dict[str, float]) -> None:
        for subject, n in subjects.items():
            self.farm.append(n, letter(subject, n))
            sent[subject] = time.monotonic()
            await asyncio.sleep(AT_ONCE)

    async def owned(self) -> Counter[int]:
        """How many accounts each process has, as the leases say."""
        query = {"multi_last": [f"$KV.{LEASES.name}.account.*"]}
        found = await api.listed(self.running.admin, f"KV_{LEASES.name}", query)
        held = (one for one in found.messages if one.data and headers.KV_OPERATION not in one.headers)
        return Counter(int(one.data.decode().split("/")[2]) for one in held)

    async def shared_by(self, *workers: Worker) -> float:
        """Seconds until these have all accounts, each at least half of its share."""
        count = self.plan.accounts
        started = time.monotonic()

        async def shared() -> bool:
            owned = await self.owned()
            return owned.total() == count and all(owned[one.pid] >= count / len(workers) / 2 for one in workers)

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
        await asyncio.sleep(2)
        now = cpu_seconds(worker.pid)
        before, busy = now, (now - before) / 2 > STILL


async def main(*, quick: bool) -> None:
    plan = QUICK if quick else Plan()
    with workplace() as place, Farm(plan.accounts, plan.messages) as farm:
        async with installed(place) as running:
            bench = Bench(plan, farm, running)
            try:
                with running.running("projector"):
                    await measure(bench)
            finally:
                bench.end()


async def measure(bench: Bench) -> None:
    plan, farm = bench.plan, bench.farm
    worker = await bench.worker(plan.warm)
    empty = resident_mib(worker.pid)
    started = time.monotonic()
    await bench.connect()
    await until(lambda: all_shown(bench), seconds=300)
    print(f"{plan.accounts} accounts are there after {time.monotonic() - started:.1f} s")
    await settled(worker)
    before, commands = cpu_seconds(worker.pid), farm.count().commands
    await asyncio.sleep(plan.quiet)
    cpu = (cpu_seconds(worker.pid) - before) / plan.quiet
    per_account = (resident_mib(worker.pid) - empty) / plan.accounts
    rest = farm.count()
    table(
        (
            "while nothing happens",
            "MiB with none",
            "MiB an account",
            "% of a core",
            "connections",
            "idling",
            "commands/s",
        ),
        [("", empty, per_account, cpu * 100, rest.connections, rest.idling, (rest.commands - commands) / plan.quiet)],
    )
    hot = await bench.arrive(bench.hot, 30)
    warm = await bench.arrive(bench.warm, plan.warm * 2)
    most = farm.count()
    second = await bench.worker(plan.soon)
    balanced = await bench.shared_by(worker, second)
    started = time.monotonic()
    worker.send_signal(signal.SIGTERM)
    await asyncio.to_thread(worker.wait, 20)
    drained = time.monotonic() - started
    told = await bench.shared_by(second)
    soon = await bench.arrive(bench.warm, plan.soon * 2)
    third = await bench.worker(plan.soon)
    await bench.shared_by(second, third)
    kill9(second)
    killed = await bench.shared_by(third)
    fourth = await bench.worker(plan.soon)
    await bench.shared_by(third, fourth)
    third.send_signal(signal.SIGSTOP)  # as if its machine were gone: its connections stay, nobody sees it die
    frozen = await bench.shared_by(fourth)
    kill9(third)
    after = await bench.arrive(range(plan.accounts), 60)
    once = await bench.once()
    table(
        ("new mail until it is shown, s", "accounts", "median", "p95", "most"),
        [
            (name, len(seconds), median(seconds), p95(seconds) / 1000, max(seconds))
            for name, seconds in [
                ("hot", hot),
                (f"warm, POLL_WARM={plan.warm}", warm),
                (f"warm, POLL_WARM={plan.soon}", soon),
                (f"all after the failovers, POLL_WARM={plan.soon}", after),
            ]
        ],
    )
    table(
        ("a worker's accounts have another owner, s", ""),
        [
            ("shared with a newcomer", balanced),
            ("told to end: it has", drained),
            ("told to end: owned", told),
            ("killed on this machine", killed),
            (f"frozen, LEASE_TTL={plan.ttl}", frozen),
        ],
    )
    figure = {
        "mib_per_account": round(per_account, 2),
        "idle_core_percent": round(cpu * 100, 1),
        "hot_p95_s": round(p95(hot) / 1000, 2),
        "warm_most_s": round(max(warm), 1),
        "failover_s": round(frozen),
        "drained_s": round(drained, 1),
        "most_of_account": most.most_of_account,
        "most_of_host": most.most_of_host,
    }
    certain = once and most.most_of_account <= PER_ACCOUNT and most.most_of_host <= PER_HOST
    measured = (
        per_account <= 1.5
        and cpu <= 0.1
        and p95(hot) <= 2000
        and max(warm) <= plan.warm + 2
        and max(soon) <= plan.soon + 2
        and max(killed, frozen) <= 90
        and drained <= 10
    )
    conclude("accounts", GOAL, figure, certain=certain, measured=measured)


async def all_shown(bench: Bench) -> bool:
    return (await bench.shown("farm %")).total() == bench.plan.accounts * bench.plan.messages


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


if __name__ == "__main__":
    asyncio.run(main(quick=arguments(__doc__ or "").quick))
