"""Numbered migrations: `NNNN_name.up.sql` and its `.down.sql`, one transaction each; for the core and for every plugin."""

import re
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from services.state.errors import MigrationError

CORE = "services.state"

_FILE = re.compile(r"^(\d{4})_(\w+)\.up\.sql$")
_LOCK = 0x7765626D  # one runner at a time in a database
_OWN_TABLE = """
CREATE SCHEMA IF NOT EXISTS control;
CREATE TABLE IF NOT EXISTS control.migrations (
  family text NOT NULL,
  number int NOT NULL,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (family, number)
);
"""


@dataclass(frozen=True)
class Migration:
    """One step forth and back."""

    number: int
    name: str
    up: str
    down: str

    def __str__(self) -> str:
        return f"{self.number:04}_{self.name}"


def found(package: str = CORE) -> list[Migration]:
    """The migrations that lie in a package, in order. Raises MigrationError when one has no way back or no number of its own."""
    folder = files(package)
    named = {entry.name: entry for entry in folder.iterdir()}
    migrations = []
    for name in sorted(named):
        match = _FILE.match(name)
        if match is None:
            continue
        down = named.get(name.replace(".up.sql", ".down.sql"))
        if down is None:
            raise MigrationError(f"{package}: {name} has no .down.sql beside it")
        number, title = int(match[1]), match[2]
        migrations.append(
            Migration(number, title, named[name].read_text(encoding="utf-8"), down.read_text(encoding="utf-8"))
        )
    if len({migration.number for migration in migrations}) != len(migrations):
        raise MigrationError(f"{package}: two migrations have one number")
    return migrations


def migrate(dsn: str, package: str = CORE) -> list[str]:
    """Apply what is missing, in order; gives the names of what was applied. Run as the owner of the database."""
    with psycopg.connect(dsn, autocommit=True) as db:
        applied = _locked(db, package)
        done = []
        for migration in _known(package, applied):
            if migration.number in applied:
                continue
            with db.transaction():
                _run(db, migration, migration.up)
                db.execute(
                    "INSERT INTO control.migrations (family, number, name) VALUES (%s, %s, %s)",
                    [package, migration.number, migration.name],
                )
            done.append(str(migration))
        return done


def revert(dsn: str, to: int, package: str = CORE) -> list[str]:
    """Go back until `to` is the last one applied (0: none); gives the names of what was undone."""
    with psycopg.connect(dsn, autocommit=True) as db:
        applied = _locked(db, package)
        done = []
        for migration in reversed(_known(package, applied)):
            if migration.number <= to or migration.number not in applied:
                continue
            with db.transaction():
                _run(db, migration, migration.down)
                db.execute(
                    "DELETE FROM control.migrations WHERE family = %s AND number = %s", [package, migration.number]
                )
            done.append(str(migration))
        return done


def _locked(db: "psycopg.Connection[psycopg.rows.TupleRow]", package: str) -> dict[int, str]:
    """Wait for our turn, held until the connection closes; what was applied until then."""
    db.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    db.execute(_OWN_TABLE)
    rows = db.execute("SELECT number, name FROM control.migrations WHERE family = %s", [package]).fetchall()
    return {int(number): str(name) for number, name in rows}


def _known(package: str, applied: dict[int, str]) -> list[Migration]:
    """What is on disk; refused when the database has steps that the disk does not know, or knows by another name."""
    migrations = found(package)
    on_disk = {migration.number: migration.name for migration in migrations}
    for number, name in sorted(applied.items()):
        if on_disk.get(number) != name:
            raise MigrationError(
                f"{package}: the database has {number:04}_{name}, which this version does not know; "
                "run the version that made it, or a newer one"
            )
    return migrations


def _run(db: "psycopg.Connection[psycopg.rows.TupleRow]", migration: Migration, statements: str) -> None:
    try:
        db.execute(statements.encode())
    except psycopg.Error as error:
        raise MigrationError(f"{migration} failed and changed nothing: {error}") from error
