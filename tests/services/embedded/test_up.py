"""`webmail up` as a person at a terminal sees it: starts, refuses a second, keeps data, and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from services.config import SECRETS
from services.embedded.browser import ApiError, Browser
from services.embedded.nats import NatsServer
from services.embedded.postgres import PostgresServer
from tests.support.postgres_server import FAST

PERSON = {"localpart": "wanda", "password": "brass lantern 42 owls", "tz": "UTC", "language": "pl"}
PYTHON_PROCESSES = ("services.sync", "services.projector", "services.gateway")


class Up:
    """One `webmail up` on one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: Any = None

    def start(self, **settings: str) -> str:
        """The address that it prints."""
        environ = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **settings}
        command = [sys.executable, "-m", "services.admin", "up", "--data", str(self.folder)]
        self.process = subprocess.Popen(
            command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder.parent
        )
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if "webmail runs on" in line:
                return line.split()[3]
        raise AssertionError("".join(said))

    def children(self) -> dict[int, str]:
        return {pid: line for pid, line in processes().items() if parent(pid) == self.process.pid}

    def child(self, name: str) -> int:
        return next(pid for pid, line in self.children().items() if name in line)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=20)
        return self.process.returncode, said


def processes() -> dict[int, str]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
    return found


def parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def descendants(pid: int) -> set[int]:
    below = {child for child in processes() if parent(child) == pid}
    return below | {further for child in below for further in descendants(child)}


def remaining(pids: set[int]) -> dict[int, str]:
    """Which of them still run; a zombie has no command line."""
    return {pid: line for pid, line in processes().items() if pid in pids and line}


def wait_until(ready: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture(scope="module")
def up() -> Iterator[Up]:
    with tempfile.TemporaryDirectory(prefix="wm-up-") as folder:
        Path(folder).chmod(0o755)
        one = Up(Path(folder) / "data")
        yield one
        if one.process is not None and one.process.poll() is None:
            one.end(signal.SIGKILL)


def test_everything_runs_each_with_its_own_secrets_and_ctrl_c_ends_all_of_it(up: Up) -> None:
    address = up.start()
    with urllib.request.urlopen(f"{address}/readyz", timeout=5) as answer:
        assert answer.status == 200
    Browser(address).post("/api/auth/register", PERSON)

    for name in PYTHON_PROCESSES:
        environ = Path(f"/proc/{up.child(name)}/environ").read_bytes().decode().split("\0")
        held = {line.partition("=")[0] for line in environ} & set(SECRETS)
        assert held == {secret for secret in held if name.removeprefix("services.") in SECRETS[secret]}
        assert "HOME" not in {line.partition("=")[0] for line in environ}
        assert any(
            line.startswith(f"DATABASE_URL=postgresql://webmail_{name.removeprefix('services.')}:") for line in environ
        )
    assert "SYNC_PRIVATE_KEY" not in " ".join(processes().values())

    second = subprocess.run(
        [sys.executable, "-m", "services.admin", "up", "--data", str(up.folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 1
    assert "already runs" in second.stderr

    left = descendants(up.process.pid)
    asked = time.monotonic()
    status, _ = up.end(signal.SIGINT)
    assert status == 0
    assert time.monotonic() - asked < 10
    assert remaining(left) == {}


def test_data_are_kept_what_dies_comes_back_and_a_killed_up_leaves_nothing(up: Up) -> None:
    address = up.start()
    with pytest.raises(ApiError) as taken:
        Browser(address).post("/api/auth/register", PERSON)
    assert taken.value.code == "handle_taken"
    Browser(address).post("/api/auth/login", {"handle": PERSON["localpart"], "password": PERSON["password"]})

    for name in ("services.projector", "nats-server", "bin/postgres"):
        before = up.child(name)
        os.kill(before, signal.SIGKILL)
        wait_until(
            lambda name=name, before=before: any(name in line and pid != before for pid, line in up.children().items())
        )
    wait_until(lambda: signs_in(address))

    left = descendants(up.process.pid)
    up.end(signal.SIGKILL)
    wait_until(lambda: not remaining(left), seconds=15)


def signs_in(address: str) -> bool:
    try:
        Browser(address).post("/api/auth/login", {"handle": PERSON["localpart"], "password": PERSON["password"]})
    except ApiError:
        return False
    return True


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "services.admin", "up", "--data", str(tmp_path)]
        environ = {"HTTP_PORT": port}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert f"HTTP_PORT {port}" in done.stderr


def test_the_keys_of_a_process_are_no_business_of_the_terminal(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "services.admin", "up", "--data", str(tmp_path)]
    environ = {"MASTER_KEY": "from-some-shell"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "must not hold MASTER_KEY" in done.stderr
    assert "from-some-shell" not in done.stderr


def test_servers_that_are_there_already_are_used(up: Up) -> None:
    log = NatsServer(up.folder.parent / "nats")
    database = PostgresServer(up.folder.parent / "postgres", password="admin", settings=FAST)
    for server in (log, database):
        server.start()
    other = Up(up.folder.parent / "other")
    address = other.start(DATABASE_URL=database.dsn(), NATS_URL=log.url)
    Browser(address).post("/api/auth/register", PERSON)
    assert not [line for line in other.children().values() if "bin/postgres" in line or "nats-server" in line]
    status, _ = other.end(signal.SIGTERM)
    assert status == 0
    with psycopg.connect(database.dsn()) as db:
        assert db.execute("SELECT count(*) FROM users").fetchone() == (1,)
    for server in (log, database):
        server.stop()
