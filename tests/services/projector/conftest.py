"""A fresh installation for each test."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation


@pytest.fixture
async def installed(postgres: Postgres, migrated_template: str) -> AsyncIterator[Installation]:
    """A fresh one for each test: nothing runs in it."""
    with tempfile.TemporaryDirectory(prefix="wm-in-") as folder, postgres.fresh(migrated_template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            yield fresh
