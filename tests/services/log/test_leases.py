"""One owner a key, forgotten by the server when it falls silent."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from services.log import api, headers, leases
from services.log.connection import Connection
from services.log.errors import LeaseLost, Unavailable


async def owner_of(nc: Connection, key: str) -> str | None:
    held = await api.from_leader(nc, "KV_leases", {"last_by_subj": f"$KV.leases.{key}"})
    return None if held is None or headers.KV_OPERATION in held.headers else held.data.decode()


async def _hold_and_wait(lease: leases.Lease, meanwhile: Callable[[], Awaitable[None]]) -> None:
    async with lease.hold():
        await meanwhile()
        await asyncio.wait_for(asyncio.Event().wait(), 5)


async def test_one_of_many_gets_the_lease(nc: Connection) -> None:
    taken = await asyncio.gather(*(leases.take(nc, "account.a", f"worker{n}", 5) for n in range(8)))
    assert sum(lease is not None for lease in taken) == 1


async def test_a_released_lease_is_free_at_once(nc: Connection) -> None:
    first = await leases.take(nc, "partition.0", "one", 5)
    assert first is not None
    assert await owner_of(nc, "partition.0") == "one"
    await first.release()
    assert await owner_of(nc, "partition.0") is None
    second = await leases.take(nc, "partition.0", "two", 5)
    assert second is not None
    await first.release()  # no longer ours: nothing happens
    assert await owner_of(nc, "partition.0") == "two"


async def test_who_has_which_lease_is_listed_and_what_was_released_is_not(nc: Connection) -> None:
    assert await leases.owners(nc, "account.*") == {}
    first = await leases.take(nc, "account.a", "one", 5)
    assert first is not None
    assert await leases.take(nc, "account.b", "two", 5)
    assert await leases.take(nc, "partition.0", "two", 5)
    assert await leases.owners(nc, "account.*") == {"account.a": "one", "account.b": "two"}
    await first.release()
    assert await leases.owners(nc, "account.*") == {"account.b": "two"}


async def test_the_server_forgets_a_silent_owner(nc: Connection) -> None:
    assert await leases.take(nc, "partition.0", "one", 1)
    started = time.monotonic()
    while await leases.take(nc, "partition.0", "two", 1) is None:
        await asyncio.sleep(0.05)
    assert time.monotonic() - started > 0.9


async def test_the_lease_of_a_dead_owner_is_taken_at_once_and_by_one(nc: Connection) -> None:
    assert await leases.take(nc, "partition.0", "dead", 30)
    assert await leases.take(nc, "partition.0", "two", 30, abandoned=lambda owner: owner != "dead") is None
    taken = await asyncio.gather(
        *(leases.take(nc, "partition.0", f"w{n}", 30, abandoned=lambda owner: owner == "dead") for n in range(6))
    )
    assert sum(lease is not None for lease in taken) == 1


async def test_a_held_lease_outlives_its_ttl_and_ends_with_the_body(nc: Connection) -> None:
    lease = await leases.take(nc, "partition.0", "one", 1)
    assert lease is not None
    async with lease.hold():
        for _ in range(8):
            await asyncio.sleep(0.2)
            assert await leases.take(nc, "partition.0", "two", 1) is None
    assert await leases.take(nc, "partition.0", "two", 1)


async def test_the_body_is_cancelled_when_somebody_else_has_the_lease(nc: Connection) -> None:
    lease = await leases.take(nc, "partition.0", "one", 1)
    assert lease is not None

    async def rob() -> None:
        await api.ask(nc, "STREAM.PURGE.KV_leases", {"filter": "$KV.leases.partition.0"})
        assert await leases.take(nc, "partition.0", "two", 5)

    with pytest.raises(LeaseLost):
        await _hold_and_wait(lease, rob)
    assert await owner_of(nc, "partition.0") == "two"


async def test_the_body_is_cancelled_before_the_lease_ends_when_renewal_gets_no_answer(
    nc: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = await leases.take(nc, "partition.0", "one", 1)
    assert lease is not None

    async def silence(*_: object, **__: object) -> None:
        raise Unavailable("cut off")

    started = time.monotonic()

    async def cut() -> None:
        monkeypatch.setattr(api, "publish", silence)

    with pytest.raises(LeaseLost):
        await _hold_and_wait(lease, cut)
    assert time.monotonic() - started < 1


async def test_a_renewal_whose_answer_was_lost_is_recognised(nc: Connection) -> None:
    lease = await leases.take(nc, "partition.0", "one", 5)
    assert lease is not None
    before = lease.revision
    await lease.renew()
    lease.revision = before
    await lease.renew()
    assert lease.revision > before
    assert await owner_of(nc, "partition.0") == "one"


async def test_an_error_of_the_body_is_its_own(nc: Connection) -> None:
    lease = await leases.take(nc, "partition.0", "one", 5)
    assert lease is not None
    with pytest.raises(TimeoutError):
        async with lease.hold():
            raise TimeoutError
    assert await owner_of(nc, "partition.0") is None
