"""One installation for all of these tests; each has accounts of its own and starts the processes it needs."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation


@pytest.fixture(scope="session")
async def installation_of_the_run(postgres: Postgres, migrated_template: str) -> AsyncIterator[Installation]:
    with tempfile.TemporaryDirectory(prefix="wm-in-") as folder, postgres.fresh(migrated_template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            yield fresh


@pytest.fixture
async def installed(installation_of_the_run: Installation) -> AsyncIterator[Installation]:
    """Nothing runs in it, and no account is active."""
    yield installation_of_the_run
    await installation_of_the_run.remove_accounts()
