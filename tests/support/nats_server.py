"""Real nats-servers for tests: one with JetStream on disk, and three in a cluster."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.embedded.nats import NatsCluster, NatsServer


@pytest.fixture(scope="session")
def nats_server() -> Iterator[NatsServer]:
    """One server for the whole run, without users; `.kill9()` and `.start()` keep its port and its store."""
    with tempfile.TemporaryDirectory(prefix="wm-nats-") as folder:
        server = NatsServer(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def nats_cluster() -> Iterator[NatsCluster]:
    """Three nodes, fresh for each test, each in `.nodes` to be killed and started by itself."""
    with tempfile.TemporaryDirectory(prefix="wm-nats3-") as folder:
        cluster = NatsCluster(Path(folder))
        cluster.start()
        yield cluster
        cluster.stop()
