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
from tests.services.log.given import Account, new_account, stored, uids

BATCHES, SIZE = 24, 100


@pytest.fixture
async def mortal(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[NatsServer]:
    """A server of its own, to be killed."""
    monkeypatch.setattr(api, "TIMEOUT", 0.5)
    with tempfile.TemporaryDirectory(prefix="wm-kill-") as folder:
        server = NatsServer(Path(folder))
        server.start()
        yield server
        server.stop()


async def fill(nc: Connection, account: Account) -> None:
    appender = AccountAppender(nc, account.subjects)
    await appender.claim("one")
    for first in range(1, BATCHES * SIZE, SIZE):
        await appender.append(account.arrivals(first, SIZE), account.mark(first + SIZE - 1))


async def follow(log: PartitionLog, upto: int) -> list[tuple[int, Fact]]:
    """As a projector does it."""
    found: list[tuple[int, Fact]] = []
    after = 0
    while len(found) < upto:
        facts = await log.read(after, 500)
        if facts:
            found += facts
            after = facts[-1].sequence
        else:
            await log.grown(after)
    return found


async def test_killed_while_written_and_read(mortal: NatsServer) -> None:
    writing, reading = await connect(mortal.url, Role.SYNC), await connect(mortal.url, Role.PROJECTOR)
    await apply(writing, 1, 1)
    accounts = [new_account(partitions=1) for _ in range(3)]
    expected = 3 * (1 + BATCHES * (SIZE + 1))
    following = asyncio.create_task(follow(PartitionLog(reading, 0), expected))
    writers = asyncio.gather(*(fill(writing, account) for account in accounts))
    kills = 0
    while not writers.done() and kills < 4:
        await asyncio.sleep(0.15)
        mortal.kill9()
        kills += 1
        await asyncio.sleep(0.05)
        mortal.start()
    await writers
    found = await asyncio.wait_for(following, 20)

    assert kills > 1
    assert await stored(writing, 0) == expected
    assert [sequence for sequence, _ in found] == list(range(1, expected + 1))
    for account in accounts:
        mine = [fact for _, fact in found if fact.account_id == account.subjects.account_id]
        assert uids(mine) == list(range(1, BATCHES * SIZE + 1))
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
        await PartitionLog(nc, 0).grown(0)
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
