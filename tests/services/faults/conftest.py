"""Two installations with a sync and a projector process, shared by all tests; each has a mail user of its own."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.services.faults.mirror import Connect, Mirror, mirrored
from tests.support.cyrus_server import Cyrus
from tests.support.dovecot import Dovecot, User
from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation


@pytest.fixture(scope="session")
async def syncing(postgres: Postgres, migrated_template: str, dovecot: Dovecot) -> AsyncIterator[Installation]:
    """Looks at every mailbox each second, and tries again as soon."""
    with tempfile.TemporaryDirectory(prefix="wm-fa-") as folder, postgres.fresh(migrated_template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            more = {"POLL_WARM": "1", "PER_HOST_CONN_CAP": "200", "BULK_CONCURRENCY": "4", "SYNC_JOB_RETRY_MOST": "1"}
            sync = fresh.running("sync", **more, SSL_CERT_FILE=str(dovecot.certificate))
            with sync, fresh.running("projector"):
                yield fresh


@pytest.fixture(scope="session")
async def pushed(postgres: Postgres, migrated_template: str) -> AsyncIterator[Installation]:
    """Looks once an hour, so that only a server's word brings a change."""
    with tempfile.TemporaryDirectory(prefix="wm-fi-") as folder, postgres.fresh(migrated_template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            with fresh.running("sync", POLL_WARM="3600", SYNC_JOB_RETRY_MOST="1"), fresh.running("projector"):
                yield fresh


@pytest.fixture(scope="session")
def cyrus() -> Iterator[Cyrus]:
    """Shared: take a `user()`, never restart it. Where it can't be had, these tests fail and say so."""
    with Cyrus() as server:
        yield server


@pytest.fixture
def cyrus_user(cyrus: Cyrus) -> User:
    return cyrus.user()


@pytest.fixture
async def mirror(syncing: Installation) -> AsyncIterator[Connect]:
    """Connects accounts as `mirrored` does, for as long as the test lasts."""
    async with AsyncExitStack() as stack:

        async def connected(*where: Any, **how: Any) -> Mirror:
            return await stack.enter_async_context(mirrored(syncing, *where, **how))

        yield connected
