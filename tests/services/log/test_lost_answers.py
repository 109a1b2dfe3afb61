"""Nobody knows whether a commit whose answer was lost happened; the leader does, and nothing is lost or repeated."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from contracts.facts import LeaseTaken
from contracts.streams import Role
from services.embedded.nats import NatsServer
from services.log import api
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.connection import Connection, connect
from services.log.errors import Lost
from tests.services.log.given import Account, connected, everything, stored, uids
from tests.services.log.proxy import Proxy, never


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "TIMEOUT", 0.4)


@pytest.fixture
async def proxy(nats_server: NatsServer, nc: Connection) -> AsyncIterator[Proxy]:
    proxy = Proxy(nats_server.port)
    yield proxy
    await proxy.stop()


@pytest.fixture
async def far(proxy: Proxy) -> AsyncIterator[Connection]:
    """A connection through the proxy."""
    connection = await connect(await proxy.start(), Role.SYNC)
    yield connection
    proxy.cut_asked = proxy.cut_answered = never
    await connection.close()


class Once:
    """Says yes to the first chunk that holds a piece."""

    def __init__(self, proxy: Proxy, piece: bytes) -> None:
        self._before, self._proxy, self._piece = proxy.cuts, proxy, piece

    def __call__(self, chunk: bytes) -> bool:
        return self._proxy.cuts == self._before and self._piece in chunk


@pytest.mark.parametrize("messages", [1, 2, 300])
async def test_a_commit_whose_answer_was_lost_is_recognised_and_not_repeated(
    nc: Connection, far: Connection, proxy: Proxy, account: Account, messages: int
) -> None:
    appender = AccountAppender(far, account.subjects)
    await appender.claim("one")
    proxy.cut_answered = Once(proxy, b'"seq"')
    last = await appender.append(account.arrivals(1, messages))
    assert proxy.cuts == 1
    assert last == 1 + messages
    assert uids(await everything(nc, account)) == list(range(1, messages + 1))
    await appender.append(account.arrivals(messages + 1, 2), account.mark(messages + 2))
    assert uids(await everything(nc, account)) == list(range(1, messages + 3))


@pytest.mark.parametrize("piece", [b"Nats-Batch-Commit", b"Nats-Batch-Sequence: 1\r\n"])
async def test_a_batch_that_never_arrived_goes_again(
    nc: Connection, far: Connection, proxy: Proxy, account: Account, piece: bytes
) -> None:
    appender = AccountAppender(far, account.subjects)
    await appender.claim("one")
    proxy.cut_asked = Once(proxy, piece)
    await appender.append(account.arrivals(1, 300), account.mark(300))
    assert proxy.cuts == 1
    assert uids(await everything(nc, account)) == list(range(1, 301))
    assert await stored(nc, account.partition) == 302


async def test_an_owner_that_was_replaced_while_its_answer_was_lost_is_lost_for_good(
    nc: Connection, far: Connection, proxy: Proxy, account: Account
) -> None:
    """What it wrote is in the log once; but it may not go on, and the next owner goes on from its mark."""
    first, second = AccountAppender(far, account.subjects), AccountAppender(nc, account.subjects)
    await first.claim("one")
    proxy.cut_answered = lambda chunk: b'"seq"' in chunk or b"STREAM.MSG.GET" in chunk
    proxy.cut_asked = lambda chunk: b"STREAM.MSG.GET" in chunk  # it can't find out yet
    doubtful = asyncio.create_task(first.append(account.arrivals(1, 3), account.mark(3)))
    while await stored(nc, account.partition) < 5:
        await asyncio.sleep(0.02)
    await second.claim("two")
    assert (await second.marks())[account.mailbox_id].high_uid == 3
    proxy.cut_asked = proxy.cut_answered = never
    with pytest.raises(Lost):
        await doubtful
    with pytest.raises(Lost):
        await first.append(account.arrivals(4, 1), account.mark(4))
    await second.append(account.arrivals(4, 1), account.mark(4))
    assert uids(await everything(nc, account)) == [1, 2, 3, 4]


async def test_a_claim_whose_answer_was_lost_is_one_claim(
    nc: Connection, far: Connection, proxy: Proxy, account: Account
) -> None:
    proxy.cut_answered = Once(proxy, b'"seq":1}')
    appender = AccountAppender(far, account.subjects)
    assert await appender.claim("one") == 1
    assert proxy.cuts == 1
    assert [fact.epoch for fact in await everything(nc, account) if isinstance(fact, LeaseTaken)] == [1]


async def test_a_request_whose_answer_was_lost_is_one_fact(
    nc: Connection, far: Connection, proxy: Proxy, account: Account
) -> None:
    proxy.cut_answered = Once(proxy, b'"seq"')
    fact = connected(account)
    assert await append(far, account.subjects.account, fact, key="one") == 1
    assert proxy.cuts == 1
    assert await append(nc, account.subjects.account, fact, key="one") == 1
    assert await everything(nc, account) == [fact]


async def test_a_cancelled_append_leaves_an_appender_that_writes_no_more(
    nc: Connection, far: Connection, proxy: Proxy, account: Account
) -> None:
    appender = AccountAppender(far, account.subjects)
    await appender.claim("one")
    proxy.cut_answered = lambda chunk: b'"seq"' in chunk
    doubtful = asyncio.create_task(appender.append(account.arrivals(1, 3), account.mark(3)))
    await asyncio.sleep(0.2)
    doubtful.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doubtful
    with pytest.raises(Lost):
        await appender.append(account.arrivals(1, 3), account.mark(3))


async def test_with_a_connection_that_breaks_all_the_time_every_fact_is_there_once(
    nc: Connection, far: Connection, proxy: Proxy, account: Account
) -> None:
    dice = random.Random(7)  # the same cuts every time, as far as chunks are
    appender = AccountAppender(far, account.subjects)
    await appender.claim("one")
    proxy.cut_asked = lambda chunk: b"HPUB" in chunk and dice.random() < 0.08
    proxy.cut_answered = lambda chunk: b"MSG" in chunk and dice.random() < 0.08
    for batch in range(8):
        await appender.append(account.arrivals(1 + batch * 20, 20), account.mark(20 + batch * 20))
    assert proxy.cuts > 0
    assert uids(await everything(nc, account)) == list(range(1, 161))
    assert await stored(nc, account.partition) == 1 + 8 * 21
