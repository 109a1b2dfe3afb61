"""A connection says what is denied, comes back, and can be cancelled."""

import asyncio
from contextlib import suppress

import nats.errors
import pytest
import structlog.testing
from nats.aio.client import Client

from contracts.streams import Role
from services.embedded.nats import NatsServer
from services.log.connection import Connection, connect
from services.log.errors import Forbidden


async def test_what_is_published_after_a_subscription_is_seen(nats_server: NatsServer, nc: Connection) -> None:
    other = await connect(nats_server.url, Role.GATEWAY)
    for number in range(50):
        subscription = await nc.subscribe(f"test.{number}")
        await other.publish(f"test.{number}", b"")
        assert (await subscription.next_msg(2)).subject == f"test.{number}"
        await subscription.unsubscribe()
    await other.close()


async def test_it_comes_back_by_itself_with_its_subscriptions(nats_server: NatsServer, nc: Connection) -> None:
    seen = await nc.subscribe("test.again")
    nats_server.kill9()
    nats_server.start()
    for _ in range(100):
        try:
            await nc.flush(1)
            break
        except (nats.errors.Error, OSError):
            await asyncio.sleep(0.05)
    await nc.publish("test.again", b"still here")
    assert (await seen.next_msg(5)).data == b"still here"
    await seen.unsubscribe()


async def test_a_cancelled_flush_is_cancelled(nc: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nc, "_flush_queue", asyncio.Queue())  # nobody writes
    flushing = asyncio.create_task(nc.flush())
    await asyncio.sleep(0.05)
    flushing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await flushing


async def test_a_connection_that_is_closed_while_its_server_is_away_tries_no_more(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trying = asyncio.Event()

    async def loses_a_cancellation(*_: object) -> None:
        trying.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        raise ConnectionRefusedError

    nc = await connect(nats_server.url, Role.SYNC)
    monkeypatch.setattr(Client, "_connect_to_server", loses_a_cancellation)
    await nc.force_reconnect()
    await asyncio.wait_for(trying.wait(), 5)
    reconnecting = nc._reconnection_task
    await nc.close()
    assert reconnecting is not None
    await asyncio.wait([reconnecting], timeout=5)
    assert reconnecting.done()


async def test_a_denial_wakes_only_whom_it_concerns(nc: Connection) -> None:
    with nc.watching("fact.0.X") as one, nc.watching("fact.0.y") as other:
        nc.note(nats.errors.Error('nats: permissions violation for publish to "fact.0.x"'))
        assert not other.done()
        with pytest.raises(Forbidden, match="sync may not use"):
            one.result()


async def test_errors_are_logged_without_subjects_or_payloads(nc: Connection) -> None:
    with structlog.testing.capture_logs() as logs:
        nc.note(nats.errors.Error('nats: permissions violation for publish to "event.secret"'))
        nc.note(nats.errors.Error("nats: something with secret"))
    assert len(logs) == 2
    assert "secret" not in str(logs)


async def test_headers_are_read_as_they_were_written(nc: Connection) -> None:
    seen = await nc.subscribe("test.headers")
    sent = {"One": "1", "With-Colon": "a:b: c", "Empty": "", "Non-Ascii": "zażółć"}
    await nc.publish("test.headers", b"", headers=sent)
    message = await seen.next_msg(2)
    assert message.headers == sent
    await seen.unsubscribe()
