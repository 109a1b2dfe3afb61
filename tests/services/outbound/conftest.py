"""An installation whose sync and projector run, and an outbound that may be killed; each test has a mail user of its own."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.services.faults.mirror import mirrored
from tests.services.outbound.acting import Acting, Connect
from tests.services.outbound.holders import Outbound
from tests.services.outbound.sending import Sender
from tests.support.dovecot import Dovecot, User
from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation
from tests.support.smtp_sink import sink


@pytest.fixture(scope="session")
async def acting(postgres: Postgres, migrated_template: str) -> AsyncIterator[Installation]:
    """Looks at every mailbox each second."""
    with tempfile.TemporaryDirectory(prefix="wm-ac-") as folder, postgres.fresh(migrated_template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            more = {"POLL_WARM": "1", "PER_HOST_CONN_CAP": "200", "SYNC_JOB_RETRY_MOST": "1"}
            with fresh.running("sync", **more), fresh.running("projector"):
                yield fresh


@pytest.fixture(scope="session")
def outbound_of_the_run(acting: Installation) -> Iterator[Outbound]:
    impatient = {"SEND_LOOKED_FOR": "3", "SEND_COPY_AWAITED": "2", "DRAFTS_MIRRORED_EVERY": "1"}
    with Outbound(acting, **impatient) as process:
        yield process


@pytest.fixture
def outbound(outbound_of_the_run: Outbound) -> Outbound:
    """It runs, whatever the test before has done to it."""
    outbound_of_the_run.start()
    return outbound_of_the_run


@pytest.fixture
async def act_on(acting: Installation, outbound: Outbound) -> AsyncIterator[Connect]:
    """Connects accounts whose mail is acted on, for as long as the test lasts."""
    async with AsyncExitStack() as stack:

        async def connected(*where: Any, **how: Any) -> Acting:
            return Acting(await stack.enter_async_context(mirrored(acting, *where, **how)))

        yield connected


@pytest.fixture
async def sender(act_on: Connect, dovecot: Dovecot, mail_user: User) -> AsyncIterator[Sender]:
    """Whose account has a submission server of its own."""
    async with sink() as server:
        one = Sender(await act_on(dovecot, mail_user), server)
        await one.begin()
        await one.mirror.equal()
        yield one
