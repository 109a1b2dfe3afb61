"""A log of the run's own, in which every test has users of its own."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from contracts.streams import Role
from services.embedded.nats import NatsServer
from services.jobs.jobs import Jobs
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.log.permissions import passwords, users
from tests.services.jobs.quick import QUICK
from tests.services.log.given import PARTITIONS, Account, new_account


class Server:
    """With every role's rights and nothing more."""

    def __init__(self, nats: NatsServer, known: dict[Role, str]) -> None:
        self.nats = nats
        self._known = known

    def url(self, role: Role, port: int = 0) -> str:
        return f"nats://{role}:{self._known[role]}@127.0.0.1:{port or self.nats.port}"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    known = passwords()
    with tempfile.TemporaryDirectory(prefix="wm-jobs-") as folder:
        nats = NatsServer(Path(folder), users=users(known))
        nats.start()
        yield Server(nats, known)
        nats.stop()


@pytest.fixture(scope="session")
async def admin(server: Server) -> AsyncIterator[Connection]:
    connection = await connect(server.url(Role.ADMIN), Role.ADMIN)
    await apply(connection, PARTITIONS, 1)
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
async def nc(server: Server, admin: Connection) -> AsyncIterator[Connection]:
    """As sync."""
    connection = await connect(server.url(Role.SYNC), Role.SYNC)
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
async def gateway(server: Server, admin: Connection) -> AsyncIterator[Connection]:
    connection = await connect(server.url(Role.GATEWAY), Role.GATEWAY)
    yield connection
    await connection.close()


@pytest.fixture
def jobs(nc: Connection) -> Jobs:
    """As a sync worker asks, with times that a test can wait for."""
    return Jobs(nc, QUICK)


@pytest.fixture
def asked(gateway: Connection) -> Jobs:
    """As the gateway asks."""
    return Jobs(gateway, QUICK)


@pytest.fixture
def account() -> Account:
    return new_account()
