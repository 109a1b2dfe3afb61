"""An installation whose sync, projector and outbound run, shared by these tests; each has a mail user of its own."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.services.faults.mirror import mirrored
from tests.services.outbound.acting import Acting, Connect
from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation


@pytest.fixture(scope="session")
async def acting(postgres: Postgres, migrated_template: str) -> AsyncIterator[Installation]:
    """Looks at every mailbox each second."""
    with tempfile.TemporaryDirectory(prefix="wm-ac-") as folder, postgres.fresh(migrated_template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            more = {"POLL_WARM": "1", "PER_HOST_CONN_CAP": "200", "SYNC_JOB_RETRY_MOST": "1"}
            with fresh.running("sync", **more), fresh.running("projector"), fresh.running("outbound"):
                yield fresh


@pytest.fixture
async def act_on(acting: Installation) -> AsyncIterator[Connect]:
    """Connects accounts whose mail is acted on, for as long as the test lasts."""
    async with AsyncExitStack() as stack:

        async def connected(*where: Any, **how: Any) -> Acting:
            return Acting(await stack.enter_async_context(mirrored(acting, *where, **how)))

        yield connected
