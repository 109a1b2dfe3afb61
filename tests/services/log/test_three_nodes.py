"""The same promises on a cluster, where a leader may die and a replica may lag behind."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from contracts import codec
from contracts.streams import Role, facts_name
from services.embedded.nats import NatsCluster, NatsServer
from services.log import api, leases
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.apply import apply, check
from services.log.connection import Connection, connect
from services.log.errors import LogError, Lost, Refused
from services.log.reader import PartitionLog
from tests.services.log.given import PARTITIONS, Account, connected, everything, new_account, stored, uids
from tests.services.log.test_append import one_of_three_wins
from tests.services.log.test_permissions import DANGERS, EXPECTED_LAST_MESSAGE


@dataclass
class Three:
    nodes: NatsCluster
    nc: Connection
    another: Connection

    async def leader(self, partition: int) -> NatsServer:
        """Of a partition's stream; for a moment after an election there is none."""
        for _ in range(200):
            cluster = (await api.ask(self.nc, f"STREAM.INFO.{facts_name(partition)}"))["cluster"]
            for node in self.nodes.nodes:
                if node.name == cluster.get("leader"):
                    return node
            await asyncio.sleep(0.05)
        raise AssertionError(f"partition {partition} has no leader")


@pytest.fixture(scope="module")
async def three() -> AsyncIterator[Three]:
    with tempfile.TemporaryDirectory(prefix="wm-three-") as folder:
        nodes = NatsCluster(Path(folder))
        nodes.start()
        nc, another = [await connect(nodes.urls, role) for role in (Role.SYNC, Role.OUTBOUND)]
        await apply(nc, PARTITIONS, 3)
        yield Three(nodes, nc, another)
        await nc.close()
        await another.close()
        nodes.stop()


async def test_the_log_is_as_declared_on_three_nodes(three: Three) -> None:
    await check(three.nc, PARTITIONS)
    assert (await api.ask(three.nc, "STREAM.INFO.FACTS_0"))["config"]["num_replicas"] == 3


async def test_two_that_believe_they_own_an_account(three: Three, account: Account) -> None:
    first, second = AccountAppender(three.nc, account.subjects), AccountAppender(three.another, account.subjects)
    await first.claim("one")
    await first.append(account.arrivals(1, 50), account.mark(50))
    assert await second.claim("two") == 2
    wrote = await asyncio.gather(
        first.append(account.arrivals(51, 50), account.mark(100)),
        second.append(account.arrivals(51, 50), account.mark(100)),
        return_exceptions=True,
    )
    assert isinstance(wrote[0], Lost)
    assert isinstance(wrote[1], int)
    for _ in range(3):
        with pytest.raises(Lost):
            await first.append(account.arrivals(101, 1), account.mark(101))
    assert uids(await everything(three.nc, account)) == list(range(1, 101))
    assert (await second.marks())[account.mailbox_id].epoch == 2


async def test_claims_at_once_take_no_epoch_twice(three: Three, account: Account) -> None:
    appenders = [AccountAppender(nc, account.subjects) for nc in (three.nc, three.another) * 3]
    claims = await asyncio.gather(*(appender.claim("w") for appender in appenders), return_exceptions=True)
    epochs = [claim for claim in claims if isinstance(claim, int)]
    assert epochs
    assert len(set(epochs)) == len(epochs)
    wrote = await asyncio.gather(
        *(appender.append(account.arrivals(1, 2), account.mark(2)) for appender in appenders), return_exceptions=True
    )
    assert sum(isinstance(sequence, int) for sequence in wrote) == 1
    assert uids(await everything(three.nc, account)) == [1, 2]


async def test_of_edit_cancel_and_attempt_exactly_one_wins(three: Three, account: Account) -> None:
    for _ in range(15):
        await one_of_three_wins((three.nc, three.another, three.nc), account)


async def test_no_header_loses_or_adds_a_fact_on_three_nodes(three: Three, account: Account) -> None:
    appender = AccountAppender(three.nc, account.subjects)
    await appender.claim("one")
    await appender.append(account.arrivals(1, 3), account.mark(3))
    before = await stored(three.nc, account.partition)
    for danger in DANGERS:
        if danger is EXPECTED_LAST_MESSAGE:
            continue  # the last test of this file
        refused = await asyncio.gather(
            api.publish(three.nc, account.subjects.request, b"{}", danger), return_exceptions=True
        )
        assert isinstance(refused[0], Refused) or danger.get("Nats-Batch-Sequence") == "1"
    await asyncio.sleep(1.2)
    assert await stored(three.nc, account.partition) == before
    await appender.append(account.arrivals(4, 2), account.mark(5))
    assert uids(await everything(three.nc, account)) == [1, 2, 3, 4, 5]


async def test_the_same_request_at_once_is_one_fact(three: Three, account: Account) -> None:
    sequences = await asyncio.gather(
        *(append(nc, account.subjects.account, connected(account), key="one") for nc in (three.nc, three.another) * 4)
    )
    assert len(set(sequences)) == 1
    assert await everything(three.nc, account) == [connected(account)]


async def test_a_lease_has_one_owner_on_three_nodes(three: Three) -> None:
    taken = await asyncio.gather(
        *(leases.take(nc, "partition.1", f"w{n}", 2) for n, nc in enumerate((three.nc, three.another) * 2)),
        return_exceptions=True,
    )
    owners = [lease for lease in taken if isinstance(lease, leases.Lease)]
    assert len(owners) == 1
    await owners[0].renew()
    assert await leases.take(three.another, "partition.1", "late", 2) is None


async def test_killing_the_leader_while_batches_are_written_loses_and_repeats_nothing(
    three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "TIMEOUT", 1.0)
    accounts = [new_account(partitions=1) for _ in range(3)]
    held = await stored(three.nc, 0)
    written = dict.fromkeys(accounts, 0)
    back = asyncio.Event()

    async def fill(nc: Connection, account: Account) -> None:
        """Before the kill, through it, and ten batches more once the node is back."""
        appender = AccountAppender(nc, account.subjects)
        await appender.claim("one")
        more = 10
        while more:
            more -= back.is_set()
            first = 1 + 50 * written[account]
            await appender.append(account.arrivals(first, 50), account.mark(first + 49))
            written[account] += 1

    killed = await three.leader(0)
    writers = asyncio.gather(
        *(fill(nc, account) for nc, account in zip((three.nc, three.another, three.nc), accounts, strict=True))
    )
    while min(written.values()) < 3:
        await asyncio.sleep(0.01)
    killed.kill9()
    await asyncio.sleep(1.5)
    killed.start()
    back.set()
    await asyncio.wait_for(writers, 40)

    assert await stored(three.nc, 0) == held + sum(1 + 51 * batches for batches in written.values())
    for account in accounts:
        log = PartitionLog(three.nc, 0)
        facts = [
            recorded.fact
            async for batch in log.history(account.subjects.everything, await log.head())
            for recorded in batch
        ]
        assert uids(facts) == list(range(1, 50 * written[account] + 1))


async def test_the_one_header_that_stops_a_partition_of_a_cluster_loses_no_fact(three: Three) -> None:
    """nats-server 2.15.1 replicates a false `Nats-Expected-Last-Msg-Id` before it looks at it, and every replica then stops
    the stream. Nothing of ours sends it, and no permission can keep a role that may write from sending it: it can stop its
    partition, as it could by filling it, but what is stored stays, and stays readable.
    """
    account = new_account(UUID(int=1))
    appender = AccountAppender(three.nc, account.subjects)
    await appender.claim("one")
    await appender.append(account.arrivals(1, 50), account.mark(50))
    with suppress(LogError):
        await api.publish(three.another, account.subjects.request, b"{}", EXPECTED_LAST_MESSAGE, timeout=1)
    query = {"seq": 1, "batch": 1000, "next_by_subj": account.subjects.everything}
    async with asyncio.timeout(20):
        while len((found := await api.listed(three.nc, facts_name(1), query)).messages) < 52:
            await asyncio.sleep(0.1)
    assert uids(codec.decode_at(stored.subject, stored.data) for stored in found.messages) == list(range(1, 51))
