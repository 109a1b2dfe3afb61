"""Our own launcher of Postgres: as root and not, after a kill, in deep folders, and never without a password."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from services.embedded import postgres as launcher
from services.embedded.errors import EmbeddedError
from services.embedded.postgres import PostgresServer, dsn_of_role, ensure_database, ensure_roles
from tests.support.postgres_server import FAST, Postgres


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wm-pgl-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def asked(server: PostgresServer, question: str) -> object:
    with psycopg.connect(server.dsn()) as db:
        row = db.execute(question.encode()).fetchone()
        return row[0] if row else None


def test_what_was_committed_is_there_after_a_kill_and_a_start(folder: Path) -> None:
    server = PostgresServer(folder / "pg", password="p w/ö%", settings=FAST)
    server.start()
    with psycopg.connect(server.dsn(), autocommit=True) as db:
        db.execute("CREATE TABLE kept AS SELECT 7 AS n")
    server.kill9()
    server.start()
    assert asked(server, "SELECT n FROM kept") == 7
    server.stop()
    assert not server.child.running
    server.start()
    assert asked(server, "SELECT n FROM kept") == 7
    server.stop()


def test_text_of_every_language_is_kept_and_lowered(postgres: Postgres) -> None:
    assert asked(postgres.server, "SELECT lower('ŁÓDŹ') || '日本'") == "łódź日本"


def test_nothing_listens_on_the_network_and_nobody_is_trusted(postgres: Postgres) -> None:
    server = postgres.server
    assert asked(server, "SHOW listen_addresses") == ""
    assert asked(server, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'") == 0
    assert stat.S_IMODE(server.socket.stat().st_mode) == 0o700
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.dsn(password="wrong"))


def test_the_server_is_not_root(postgres: Postgres) -> None:
    process = postgres.server.child.process
    assert process is not None
    status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    for line in status:
        if line.startswith(("Uid:", "Gid:")):
            assert "0" not in line.split()[1:]


def test_a_role_gets_a_new_password(postgres: Postgres) -> None:
    ensure_roles(postgres.dsn, {"webmail_changing": "first"})
    ensure_roles(postgres.dsn, {"webmail_changing": "second ' one"})
    with psycopg.connect(dsn_of_role(postgres.dsn, "webmail_changing", "second ' one")) as db:
        assert db.execute("SELECT current_user").fetchone() == ("webmail_changing",)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn_of_role(postgres.dsn, "webmail_changing", "first"))


def test_a_database_is_made_once(postgres: Postgres) -> None:
    for _ in range(2):
        ensure_database(postgres.dsn, "made_once")
    with psycopg.connect(postgres.dsn_of("made_once")) as db:
        assert db.execute("SELECT current_database()").fetchone() == ("made_once",)


def test_a_role_of_another_host_keeps_host_and_database() -> None:
    changed = dsn_of_role("postgresql://admin:pw@db.example:5433/mail?sslmode=require", "webmail_sync", "a/b")
    assert changed == "postgresql://webmail_sync:a%2Fb@db.example:5433/mail?sslmode=require"


def test_a_deep_folder_gets_a_short_socket(folder: Path) -> None:
    deep = folder / ("d" * 60) / ("e" * 60) / "pg"
    server = PostgresServer(deep, password="p", settings=FAST, shelter=folder / "shelter")
    server.start()
    assert len(str(server.socket)) < 90
    assert asked(server, "SELECT 1") == 1
    server.stop()
    shutil.rmtree(server.socket)


def test_a_strangers_folder_is_refused(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "pg").symlink_to(folder / "elsewhere")
    server = PostgresServer(folder / "pg", password="p", settings=FAST)
    with pytest.raises(EmbeddedError, match="belongs to somebody else"):
        server.start()


def test_an_interrupted_first_start_is_made_again(folder: Path) -> None:
    half = folder / "pg" / "data"
    half.mkdir(parents=True)
    (half / "postgresql.conf").touch()
    server = PostgresServer(folder / "pg", password="p", settings=FAST)
    server.start()
    assert asked(server, "SELECT 1") == 1
    server.stop()


def test_a_private_home_is_left_closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root, in a folder that `nobody` can't reach: the data live in the shelter, and no mode is changed."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    home = folder / "home"
    home.mkdir(mode=0o700)
    server = PostgresServer(home / "webmail" / "pg", password="p", shelter=folder / "shelter")
    assert server.folder.parent == folder / "shelter"
    anew = PostgresServer(home / "webmail" / "pg", password="another", shelter=folder / "shelter")
    assert anew.folder != server.folder
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_programs_in_a_private_home_are_copied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    package = launcher._installation().parent
    for part in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(part, home / part.name, symlinks=True)
    monkeypatch.setattr(launcher, "_installation", lambda: home / package.name / "pginstall")
    server = PostgresServer(folder / "pg", password="p", settings=FAST, shelter=folder / "shelter")
    server.start()
    assert asked(server, "SELECT 1") == 1
    server.stop()
