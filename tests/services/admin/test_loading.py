"""Folding again in several processes: the same rows, no process left behind, and nothing lost when one dies."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
import pytest

from contracts import ids, streams
from contracts.facts import AccountConnected
from contracts.subjects import AccountSubjects
from projections.accounts_state.projector import accounts_state
from projections.engine import control
from projections.engine.follow import Folder
from services.admin import loading, projections
from services.admin.errors import CommandFailed
from services.admin.loading import shared_out
from services.admin.projections import fold_again
from services.admin.servers import Servers, connected
from services.config import settings
from services.embedded.nats import NatsServer
from services.log.append import append
from services.log.apply import apply
from services.log.connection import connect
from services.runtime import Runtime
from services.state.prepare import prepare
from tests.support.processes import ROOT, until

PARTITIONS, USERS = 3, 10
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WAITING = """SELECT count(*) FROM pg_locks
             WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


@pytest.fixture
async def servers(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Servers]:
    """A few users in three partitions, folded once; small enough for one process, so that is never thought to be enough."""
    monkeypatch.setattr(projections, "SMALL", 0)
    own = NatsServer(tmp_path / "nats")
    own.start()
    nc = await connect(own.url, streams.Role.ADMIN)
    await apply(nc, PARTITIONS, 1)
    await prepare(database, [accounts_state], PARTITIONS)
    for user in map(UUID, (f"{n:032x}" for n in range(USERS))):
        partition = ids.partition(user, PARTITIONS)
        subject = AccountSubjects(partition, user, user).account
        await append(nc, subject, AccountConnected(user_id=user, account_id=user, at=NOW))
    await nc.close()
    environ = {"DATABASE_URL": database, "NATS_URL": own.url, "PARTITIONS": str(PARTITIONS), "DATA_DIR": str(tmp_path)}
    async with connected(Runtime("admin", settings(environ)), range(PARTITIONS)) as found:
        for log in found.logs:
            await Folder(accounts_state, log, found.db, found.documents).advance(0)
        yield found
    own.stop()


async def test_rows_folded_by_several_processes_are_the_live_rows(servers: Servers) -> None:
    await fold_again(accounts_state, servers, compare=True)
    assert await servers.db.fetchval("SELECT count(*) FROM accounts_state.accounts") == USERS


async def test_what_a_loader_says_is_told_and_the_live_rows_stay(
    servers: Servers, capfd: pytest.CaptureFixture[str]
) -> None:
    astray = msgspec.structs.replace(
        servers.settings, database_url=urlsplit(servers.settings.database_url)._replace(path="/none").geturl()
    )
    before = await rows(servers)
    with pytest.raises(CommandFailed, match="a loader ended with 1"):
        await fold_again(accounts_state, Servers(astray, servers.db, servers.logs, servers.documents), compare=False)
    assert await rows(servers) == before
    assert "webmail: " in capfd.readouterr().err, "the loader says why"


async def test_a_loader_that_is_killed_is_told_and_the_next_rebuild_succeeds(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await rows(servers)
    with monkeypatch.context() as patched:
        patched.setattr(loading, "PROGRAM", program(f"os.kill(os.getpid(), {signal.SIGKILL:d})"))
        with pytest.raises(CommandFailed, match="a loader ended with -9; the rows that are served stay"):
            await fold_again(accounts_state, servers, compare=False)
    assert await rows(servers) == before
    await fold_again(accounts_state, servers, compare=True)


async def test_an_interrupted_rebuild_ends_its_loaders(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = f"open({str(tmp_path)!r} + f'/loader-{{os.getpid()}}', 'w'); time.sleep(600)"
    monkeypatch.setattr(loading, "PROGRAM", program(told))
    rebuilding = asyncio.create_task(fold_again(accounts_state, servers, compare=False))
    expected = min(os.cpu_count() or 1, PARTITIONS)
    await until(lambda: len(loaders(tmp_path)) == expected)
    rebuilding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rebuilding
    for loader in loaders(tmp_path):
        with pytest.raises(ProcessLookupError):
            os.kill(loader, 0)


async def test_how_far_a_rebuild_is_is_told_by_tenths(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(projections, "GLANCE", 0.01)
    async with servers.db.acquire() as connection, connection.transaction():
        await control.create(connection, accounts_state, "accounts_state_next", PARTITIONS)
    await servers.db.execute("UPDATE control.positions SET sequence = 2 WHERE schema = 'accounts_state_next'")
    said = ""

    def told() -> str:
        nonlocal said
        said += capsys.readouterr().err
        return said

    telling = asyncio.create_task(projections._tell_progress(accounts_state, servers.db))
    await until(told)
    telling.cancel()
    assert said == f"accounts_state: {2 * PARTITIONS} of {USERS} facts\n"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """What a shell runs in the background ignores SIGINT, and so would its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


async def test_an_interrupted_command_ends_without_a_traceback(servers: Servers, interruptible: None) -> None:
    known = servers.settings
    environ = {"DATABASE_URL": known.database_url, "NATS_URL": known.nats_url, "PARTITIONS": str(PARTITIONS)}
    command = ["-m", "services.admin", "projections", "rebuild", "accounts_state"]
    async with servers.db.acquire() as other, other.transaction():
        await other.execute("LOCK TABLE control.positions IN EXCLUSIVE MODE")  # so that it is not over too soon
        rebuilding = await asyncio.create_subprocess_exec(
            sys.executable, *command, env=environ, cwd=ROOT, stderr=subprocess.PIPE
        )
        await until(lambda: servers.db.fetchval(WAITING))
        rebuilding.send_signal(signal.SIGINT)
        _, said = await asyncio.wait_for(rebuilding.communicate(), 20)
    assert rebuilding.returncode == 128 + signal.SIGINT
    assert b"Traceback" not in said


@pytest.mark.parametrize(
    ("positions", "most", "shares"),
    [
        ([5, 5, 5, 5], 2, [{0: 5, 2: 5}, {1: 5, 3: 5}]),
        ([9, 1, 1, 1], 2, [{0: 9}, {1: 1, 2: 1, 3: 1}]),
        ([0, 7, 0], 3, [{1: 7}]),
        ([0], 1, []),
    ],
)
def test_partitions_are_shared_out_by_what_is_in_them(
    positions: list[int], most: int, shares: list[dict[int, int]]
) -> None:
    assert shared_out(positions, most) == shares


def program(line: str) -> list[str]:
    return [sys.executable, "-I", "-c", f"import os, time; {line}"]


def loaders(folder: Path) -> list[int]:
    return [int(file.name.removeprefix("loader-")) for file in folder.glob("loader-*")]


async def rows(servers: Servers) -> object:
    found = await servers.db.fetch("SELECT * FROM accounts_state.accounts ORDER BY account_id")
    return [tuple(row) for row in found]
