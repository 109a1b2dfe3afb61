"""One installation for all of these tests; each has accounts of its own and starts the processes it needs."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from projections.documents import memo
from services.blobs import FolderBlobs
from services.parsing.pool import ParsePool, parse_pool
from services.sync.ingest import Ingest
from tests.services.sync.one_account import Begin, Connect, OneAccount, owner
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


@pytest.fixture(scope="session")
async def parsers() -> AsyncIterator[ParsePool]:
    async with parse_pool(1) as pool:
        yield pool


@pytest.fixture
async def begin(database: str, parsers: ParsePool, tmp_path: Path) -> AsyncIterator[Begin]:
    """Makes an account whose mail server is the one given, and looks at it once."""
    async with asyncpg.create_pool(database, min_size=1, max_size=3) as pool:
        async with pool.acquire() as connection:
            await memo.prepare(connection)

        async def with_server(connect: Connect) -> OneAccount:
            ingest = Ingest(pool, FolderBlobs(tmp_path / "blobs"), parsers)
            account = OneAccount(pool, ingest, await owner(pool), connect)
            await account.restart()
            await account.look()
            return account

        yield with_server
