"""nats-server is killed while facts are written and read: nothing acknowledged is lost, nothing is told twice."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.facts import Fact
from contracts.streams import Role
from services.embedded.nats import NatsServer
from services.log import api
from services.log.appender import AccountAppender
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.log.errors import Closed
from services.log.reader import PartitionLog
from tests.services.log.given import new_account, stored, uids

SIZE = 100


@pytest.fixture
async def mortal(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[NatsServer]:
    """A server of its own, to be killed."""
    monkeypatch.setattr(api, "TIMEOUT", 0.5)
    with tempfile.TemporaryDirectory(prefix="wm-kill-") as folder:
        server = NatsServer(Path(folder))
        server.start()
        yield server
        server.stop()


class Writer:
    """Appends batch after batch until told to stop, and then a few more."""

    def __init__(self, nc: Connection) -> None:
        self.account = new_account(partitions=1)
        self.batches = 0
        self._nc = nc

    @property
    def facts(self) -> int:
        return 1 + self.batches * (SIZE + 1)

    async def write(self, stop: asyncio.Event) -> None:
        appender = AccountAppender(self._nc, self.account.subjects)
        await appender.claim("one")
        more = 5
        while more:
            more -= stop.is_set()
            first = 1 + self.batches * SIZE
            await appender.append(self.account.arrivals(first, SIZE), self.account.mark(first + SIZE - 1))
            self.batches += 1


async def follow(log: PartitionLog, found: list[tuple[int, Fact]]) -> None:
    """As a projector does it, until cancelled."""
    after = 0
    while True:
        facts = await log.coming(after, 500)
        found += facts
        after = facts[-1].sequence if facts else after


async def test_killed_while_written_and_read(mortal: NatsServer) -> None:
    writing, reading = await connect(mortal.url, Role.SYNC), await connect(mortal.url, Role.PROJECTOR)
    await apply(writing, 1, 1)
    found: list[tuple[int, Fact]] = []
    following = asyncio.create_task(follow(PartitionLog(reading, 0), found))
    stop = asyncio.Event()
    writers = [Writer(writing) for _ in range(3)]
    written = asyncio.gather(*(writer.write(stop) for writer in writers))
    for _ in range(4):
        await asyncio.sleep(0.15)
        mortal.kill9()
        await asyncio.sleep(0.05)
        mortal.start()
    stop.set()
    await written
    expected = sum(writer.facts for writer in writers)
    async with asyncio.timeout(20):
        while len(found) < expected:
            await asyncio.sleep(0.02)
    following.cancel()

    assert await stored(writing, 0) == expected
    assert [sequence for sequence, _ in found] == list(range(1, expected + 1))
    for writer in writers:
        mine = [fact for _, fact in found if fact.account_id == writer.account.subjects.account_id]
        assert uids(mine) == list(range(1, writer.batches * SIZE + 1))
    await writing.close()
    await reading.close()


async def test_a_closed_connection_is_not_waited_for(mortal: NatsServer) -> None:
    nc = await connect(mortal.url, Role.PROJECTOR)
    await apply(nc, 1, 1)
    await nc.close()
    account = new_account(partitions=1)
    with pytest.raises(Closed):
        await PartitionLog(nc, 0).read(0, 10)
    with pytest.raises(Closed):
        await PartitionLog(nc, 0).coming(0, 10)
    with pytest.raises(Closed):
        await AccountAppender(nc, account.subjects).claim("one")


async def test_a_reader_waits_for_a_log_that_is_away(mortal: NatsServer) -> None:
    nc = await connect(mortal.url, Role.PROJECTOR)
    await apply(nc, 1, 1)
    account = new_account(partitions=1)
    await AccountAppender(nc, account.subjects).claim("one")
    mortal.kill9()
    log = PartitionLog(nc, 0)
    reading = [asyncio.create_task(log.read(0, 10)), asyncio.create_task(log.head())]
    done, _ = await asyncio.wait(reading, timeout=0.8)
    assert not done
    mortal.start()
    facts, head = await asyncio.wait_for(asyncio.gather(*reading), 15)
    assert len(facts) == head == 1
    await nc.close()
