"""A log of its own for each test, on the run's server."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from contracts import streams
from services.embedded.nats import NatsServer
from services.log import api
from services.log.apply import apply
from services.log.connection import Connection, connect
from tests.services.log.given import PARTITIONS, Account, new_account


async def sweep(nc: Connection) -> None:
    """Remove every stream, so that the next log is fresh."""
    names = (await api.ask(nc, "STREAM.NAMES"))["streams"] or []
    await asyncio.gather(*(api.ask(nc, f"STREAM.DELETE.{name}") for name in names))


@pytest.fixture
async def nc(nats_server: NatsServer) -> AsyncIterator[Connection]:
    """Connected to a fresh log of two partitions, as sync, on a server that denies nothing."""
    connection = await connect(nats_server.url, streams.Role.SYNC)
    await sweep(connection)
    await apply(connection, PARTITIONS, 1)
    yield connection
    await sweep(connection)
    await connection.close()


@pytest.fixture
def account() -> Account:
    return new_account()
