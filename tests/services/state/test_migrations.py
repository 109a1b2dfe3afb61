"""Migrations go forth and back, once each, and give every role only what is its own."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from services.state.errors import MigrationError
from services.state.migrate import found, migrate, revert
from tests.support.postgres_server import Postgres


def test_every_migration_has_a_way_back_and_the_next_number() -> None:
    numbers = [migration.number for migration in found()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_migrating_twice_applies_nothing_the_second_time(postgres: Postgres) -> None:
    with postgres.fresh() as dsn:
        assert migrate(dsn) == [str(migration) for migration in found()]
        assert migrate(dsn) == []


def test_going_back_to_nothing_leaves_nothing_and_forth_works_again(postgres: Postgres) -> None:
    with postgres.fresh() as dsn:
        migrate(dsn)
        assert len(revert(dsn, 0)) == len(found())
        with psycopg.connect(dsn) as db:
            left = db.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert left == (0,)
        assert len(migrate(dsn)) == len(found())


def test_two_runners_at_once_apply_each_migration_once(postgres: Postgres) -> None:
    with postgres.fresh() as dsn, ThreadPoolExecutor(2) as threads:
        first, second = threads.map(migrate, (dsn, dsn))
        assert sorted(first + second) == [str(migration) for migration in found()]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An importable package for migrations of a plugin's own."""
    folder = tmp_path / f"plugin_{secrets.token_hex(4)}"  # importing remembers names
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def step(package: Path, name: str, up: str, down: str | None = "SELECT 1") -> None:
    (package / f"{name}.up.sql").write_text(up)
    if down is not None:
        (package / f"{name}.down.sql").write_text(down)


def test_a_failing_migration_changes_nothing_and_keeps_those_before_it(postgres: Postgres, package: Path) -> None:
    step(package, "0001_good", "CREATE TABLE plg_good (user_id uuid)")
    step(package, "0002_bad", "CREATE TABLE plg_half (user_id uuid); SELECT no_such_column")
    with postgres.fresh() as dsn:
        with pytest.raises(MigrationError, match="0002_bad"):
            migrate(dsn, package.name)
        with psycopg.connect(dsn) as db:
            names = db.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'plg_%'").fetchall()
            steps = db.execute("SELECT family, number FROM control.migrations").fetchall()
    assert names == [("plg_good",)]
    assert steps == [(package.name, 1)]


def test_a_database_from_the_future_is_refused(postgres: Postgres, package: Path) -> None:
    step(package, "0001_good", "SELECT 1")
    with postgres.fresh() as dsn:
        migrate(dsn, package.name)
        (package / "0001_good.up.sql").rename(package / "0001_other.up.sql")
        (package / "0001_good.down.sql").rename(package / "0001_other.down.sql")
        with pytest.raises(MigrationError, match="0001_good"):
            migrate(dsn, package.name)


def test_a_migration_without_a_way_back_is_refused(package: Path) -> None:
    step(package, "0001_one_way", "SELECT 1", down=None)
    with pytest.raises(MigrationError, match="one_way"):
        found(package.name)


def test_two_migrations_with_one_number_are_refused(package: Path) -> None:
    step(package, "0001_first", "SELECT 1")
    step(package, "0001_second", "SELECT 1")
    with pytest.raises(MigrationError, match="one number"):
        found(package.name)


@pytest.mark.parametrize(
    ("role", "forbidden"),
    [
        ("webmail_gateway", "SELECT sealed FROM account_secrets"),
        ("webmail_gateway", "UPDATE sessions SET user_id = gen_random_uuid()"),
        ("webmail_gateway", "DELETE FROM users"),
        ("webmail_sync", "SELECT password_hash FROM users"),
        ("webmail_sync", "SELECT token_hash FROM sessions"),
        ("webmail_sync", "SELECT * FROM unsettled_accounts('0')"),
        ("webmail_sync", "UPDATE accounts SET status = 'active'"),
        ("webmail_outbound", "DELETE FROM account_secrets"),
        ("webmail_projector", "SELECT email FROM accounts"),
        ("webmail_projector", "SELECT sealed FROM account_secrets"),
        ("webmail_plugins", "SELECT handle FROM users"),
        ("webmail_plugins", "CREATE TABLE public.mine (user_id uuid)"),
    ],
)
def test_a_role_is_refused_what_is_not_its_own(database: str, role: str, forbidden: str) -> None:
    with psycopg.connect(database) as db:
        db.execute(f"SET ROLE {role}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(forbidden)


def test_the_gateway_sees_accounts_of_the_named_user_only(database: str) -> None:
    with psycopg.connect(database) as db:
        for handle in ("ada@localhost", "bob@localhost"):
            db.execute("INSERT INTO users (handle, password_hash) VALUES (%s, '')", [handle])
        db.execute("INSERT INTO accounts (user_id, email, imap) SELECT id, handle, '{}' FROM users")
        db.execute("SET ROLE webmail_gateway")
        assert db.execute("SELECT count(*) FROM accounts").fetchone() == (0,)
        db.execute(
            "SELECT set_config('app.user_id', (SELECT id::text FROM users WHERE handle = 'ADA@localhost'), false)"
        )
        assert db.execute("SELECT email FROM accounts").fetchall() == [("ada@localhost",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(
                "INSERT INTO accounts (user_id, email, imap) SELECT id, 'x@y', '{}' FROM users WHERE handle = 'bob@localhost'"
            )
