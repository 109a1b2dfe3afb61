"""A whole installation for each test, on servers of the run."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation


@pytest.fixture
async def installed(postgres: Postgres, database: str, tmp_path: Path) -> AsyncIterator[Installation]:
    """Nothing runs in it yet."""
    async with installation(postgres, database, tmp_path) as fresh:
        yield fresh
