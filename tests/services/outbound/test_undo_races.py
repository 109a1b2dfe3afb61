"""An undo at the very edge of its window: each mail is either taken back or sent, never both, on one node and on three."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import msgspec
import pytest

from contracts import ids
from contracts.facts import SendCancelled, SendQueued
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from projections import catalog
from projections.sql import Pool
from services.blobs import FolderBlobs
from services.embedded.nats import NatsCluster, NatsServer
from services.log.append import append_send
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.log.errors import Conflict
from services.log.reader import PartitionLog
from services.mail.budget import HostBudget
from services.outbound.account import Parts
from services.outbound.sends import PartitionSends
from services.positions import Positions
from services.state import sends
from services.state.drafts import Person
from services.state.prepare import prepare
from services.state.sends import Content
from services.vault import Credentials, Vault
from tests.services.log.conftest import sweep
from tests.services.outbound.holders import impatient, submission, writer
from tests.support.processes import until
from tests.support.smtp_sink import Sink, sink

SENDS = [200, pytest.param(1000, marks=pytest.mark.long)]
EDGE = 0.05
"""Seconds on either side of the moment at which it is decided."""

NUDGE = 0.005
"""Seconds by which a result moves the next moment to the other side: sends begin when they are due, and as late as the machine is busy."""

ACCOUNTS = 10
KEY = bytes(range(32))


class Race:
    """Accounts of one user whose mail goes through a sink; what is sent has no mailbox to be filed in."""

    def __init__(self, nc: Connection, gateway: Connection, db: Pool, sink: Sink, folder: Path) -> None:
        self.nc, self.gateway, self.db, self.sink = nc, gateway, db, sink
        self.blobs = FolderBlobs(folder)
        self.user = UUID(int=0)
        self.accounts: list[AccountSubjects] = []
        self.keys: dict[UUID, str] = {}

    async def begin(self) -> None:
        self.user = await self.db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('u', '') RETURNING id")
        server = {"host": "127.0.0.1", "port": self.sink.port, "tls": "none", "username": "u"}
        for number in range(ACCOUNTS):
            account = await self.db.fetchval(
                "INSERT INTO accounts (user_id, email, imap, smtp, status) VALUES ($1, $2, $3, $3, 'active') RETURNING id",
                self.user,
                f"a{number}@x.example",
                msgspec.json.encode(server).decode(),
            )
            sealed = Vault(KEY).keep(account, Credentials(imap_password="p").encoded())
            await self.db.execute(
                "INSERT INTO account_secrets (user_id, account_id, sealed) VALUES ($1, $2, $3)",
                self.user,
                account,
                sealed,
            )
            self.accounts.append(AccountSubjects(ids.partition(self.user, 1), self.user, account))

    @property
    def parts(self) -> Parts:
        return Parts(
            nc=self.nc,
            db=self.db,
            positions=Positions(self.db, "", 1),
            vault=Vault(KEY),
            budget=HostBudget(50),
            blobs=self.blobs,
            connect=writer,
            submission=submission,
            turns=asyncio.Semaphore(10),
            submissions=asyncio.Semaphore(10),
            expires=timedelta(days=3),
            patience=impatient(),
            partitions=1,
            worker="test",
        )

    async def send(self, account: AccountSubjects, due: datetime) -> tuple[UUID, int]:
        """Its outbox id, and the sequence of the fact."""
        outbox, draft = uuid4(), uuid4()
        key = self.keys[outbox] = f"<{outbox}@x.example>"
        raw = f"Message-ID: {key}\r\n\r\nWords.\r\n".encode()
        await self.blobs.put(self.user, [raw])
        content = Content(
            outbox, 1, draft, account.account_id, sha256(raw).hexdigest(), len(raw), key, "a@x.example",
            [Person(name="", email="b@x.example")], None, "new", "", due,
        )  # fmt: skip
        async with self.db.acquire() as db:
            await sends.put(db, self.user, content)
        fact = SendQueued(
            user_id=self.user, account_id=account.account_id, at=datetime.now(UTC), outbox_id=outbox, draft_id=draft,
            due=due, revision=1,
        )  # fmt: skip
        return outbox, await append_send(self.gateway, account.send(outbox), fact, expected=0)

    async def undo(self, account: AccountSubjects, outbox: UUID, expected: int) -> bool:
        fact = SendCancelled(user_id=self.user, account_id=account.account_id, at=datetime.now(UTC), outbox_id=outbox)
        try:
            await append_send(self.gateway, account.send(outbox), fact, expected=expected)
        except Conflict:
            return False
        return True

    async def told(self) -> dict[UUID, list[str]]:
        log = PartitionLog(self.gateway, 0)
        found: dict[UUID, list[str]] = {outbox: [] for outbox in self.keys}
        async for facts in log.history("fact.0.*.*.send.*", await log.head()):
            for _, fact in facts:
                found[fact.outbox_id].append(type(fact).__name__)  # type: ignore[attr-defined] # of sends
        return found


@asynccontextmanager
async def racing(urls: list[str], replicas: int, dsn: str) -> AsyncIterator[Race]:
    with tempfile.TemporaryDirectory(prefix="wm-race-") as folder:
        nc, gateway = [await connect(urls, Role.ADMIN) for _ in range(2)]
        await sweep(nc)
        await apply(nc, 1, replicas)
        await prepare(dsn, catalog.ALL, 1)
        async with asyncpg.create_pool(dsn, min_size=1, max_size=8) as db, sink() as server:
            race = Race(nc, gateway, db, server, Path(folder))
            await race.begin()
            yield race
        await sweep(nc)
        await nc.close()
        await gateway.close()


async def edge(race: Race, count: int) -> None:
    """Every mail is due at a moment of its own, and taken back within 50 ms of when it is attempted."""
    dice = random.Random(7)
    undone: dict[UUID, bool] = {}
    late = 0.0

    async def one_by_one(account: AccountSubjects) -> None:
        """An account sends one at a time: what waits for its turn would be no race."""
        nonlocal late
        for _ in range(count // ACCOUNTS):
            due = datetime.now(UTC) + timedelta(seconds=dice.uniform(0.15, 0.25))
            outbox, sequence = await race.send(account, due)
            while (early := due.timestamp() + late - EDGE - datetime.now(UTC).timestamp()) > 0:
                await asyncio.sleep(early)
            await asyncio.sleep(dice.uniform(0, 2 * EDGE))
            undone[outbox] = await race.undo(account, outbox, sequence)
            late += NUDGE if undone[outbox] else -NUDGE
            while not undone[outbox] and race.keys[outbox].encode() not in race.sink.ids():
                await asyncio.sleep(EDGE)

    working = asyncio.create_task(PartitionSends(race.parts, 0).work())
    async with asyncio.timeout(count / 2), asyncio.TaskGroup() as group:
        for account in race.accounts:
            group.create_task(one_by_one(account))

    async def over() -> bool:
        return all({"SendCancelled", "SendFiled"} & set(facts) for facts in (await race.told()).values())

    await until(over, seconds=60)
    working.cancel()
    await asyncio.wait({working})
    taken = race.sink.ids()
    assert len(taken) == len(set(taken)), "none twice"
    for outbox, facts in (await race.told()).items():
        sent = race.keys[outbox].encode() in taken
        assert facts == (
            ["SendQueued", "SendCancelled"]
            if undone[outbox]
            else ["SendQueued", "SendAttempted", "SendDelivered", "SendFiled"]
        )
        assert sent is not undone[outbox]
    assert 0 < len(taken) < count, "some of each, else it was no race"


@pytest.mark.parametrize("count", SENDS)
async def test_on_one_node(nats_server: NatsServer, database: str, count: int) -> None:
    async with racing([nats_server.url], 1, database) as race:
        await edge(race, count)


@pytest.mark.parametrize("count", SENDS)
async def test_on_three_nodes(nats_cluster: NatsCluster, database: str, count: int) -> None:
    async with racing(nats_cluster.urls, 3, database) as race:
        await edge(race, count)
