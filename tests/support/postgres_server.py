"""A real Postgres for tests, and a fresh, migrated database for each of them."""

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from services.config import PROCESSES, Process
from services.embedded.postgres import PostgresServer, dsn_of_role, ensure_database, ensure_roles, role_of
from services.state.prepare import prepare

# Tests kill processes, not the machine: what a killed Postgres wrote is still in the page cache.
FAST = {"fsync": "off", "full_page_writes": "off", "max_connections": "200", "shared_buffers": "128MB"}


@dataclass(frozen=True)
class Postgres:
    """The run's Postgres with the names of its databases."""

    server: PostgresServer
    template: str = "template_migrated"

    @property
    def dsn(self) -> str:
        """The administrator's, of the database `postgres`."""
        return self.server.dsn()

    def dsn_of(self, database: str) -> str:
        return self.server.dsn(database=database)

    def dsn_as(self, process: Process, dsn: str) -> str:
        """The DSN of the same database as one of the processes' roles."""
        return dsn_of_role(dsn, role_of(process), role_of(process))

    @contextmanager
    def fresh(self, template: str = "template0") -> Iterator[str]:
        """A new database for as long as the block lasts; gives its DSN."""
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(self.dsn, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        try:
            yield self.dsn_of(name)
        finally:
            with psycopg.connect(self.dsn, autocommit=True) as admin:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One Postgres for the whole run; every role has its name as its password."""
    with tempfile.TemporaryDirectory(prefix="wm-pg-") as folder:
        Path(folder).chmod(0o755)
        server = PostgresServer(Path(folder) / "postgres", password="postgres", settings=FAST)
        server.start()
        ensure_roles(server.dsn(), {role_of(process): role_of(process) for process in PROCESSES if process != "admin"})
        yield Postgres(server)
        server.stop()


@pytest.fixture(scope="session")
def migrated_template(postgres: Postgres) -> str:
    """The database that `database` clones: all but the schemas of projections, which tests install as they need them."""
    ensure_database(postgres.dsn, postgres.template)
    with ThreadPoolExecutor(1) as thread:  # the tests' event loop is not to be touched
        thread.submit(asyncio.run, prepare(postgres.dsn_of(postgres.template), [], 0)).result()
    return postgres.template


@pytest.fixture
def database(postgres: Postgres, migrated_template: str) -> Iterator[str]:
    """The DSN of a fresh, migrated database that nobody else uses."""
    with postgres.fresh(migrated_template) as dsn:
        yield dsn
