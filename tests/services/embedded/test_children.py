"""Children end with their parent, are started again when they end, and stop in a bounded time."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from services.embedded.child import LARGEST_LOG, Child, free_port
from services.embedded.errors import ServerDidNotStart
from services.embedded.supervisor import LONGEST_DELAY, STEADY, Supervisor, Worker, stop_all

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
)
PARENT = """
import sys, time
from pathlib import Path
from services.embedded.child import Child
child = Child("sleeper", ["/bin/sleep", "60"], Path(sys.argv[1]) / "log", {})
child.start()
print(child.process.pid, flush=True)
time.sleep(60)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_until_gone(pid: int, seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while alive(pid):
        assert time.monotonic() < deadline, f"{pid} outlived its parent"
        time.sleep(0.02)


def python(folder: Path, code: str, name: str = "worker") -> Child:
    return Child(name, [sys.executable, "-c", code], folder / f"{name}.log", {})


def test_a_child_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert alive(child)
        parent.kill()
    wait_until_gone(child)


def test_a_child_sees_only_the_environment_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTER_KEY", "of-somebody-else")
    child = Child("env", ["/usr/bin/env"], tmp_path / "log", {"ONLY": "this", "LC_ALL": "C.UTF-8"})
    child.start()
    assert child.process is not None
    child.process.wait()
    assert child.last_words().splitlines() == ["ONLY=this", "LC_ALL=C.UTF-8"]


def test_who_does_not_listen_is_killed_in_time(tmp_path: Path) -> None:
    children = [python(tmp_path, STUBBORN, name) for name in ("one", "two")]
    for child in children:
        child.start()
        child.wait_until(lambda child=child: "deaf" in child.last_words(), seconds=10)
    asked = time.monotonic()
    stop_all(children, seconds=0.5)
    assert time.monotonic() - asked < 2
    assert not any(child.running for child in children)


def test_an_early_end_is_told_with_the_childs_own_words(tmp_path: Path) -> None:
    child = python(tmp_path, "raise SystemExit('no such table')")
    child.start()
    with pytest.raises(ServerDidNotStart, match="no such table"):
        child.wait_until(lambda: False, seconds=10)


def test_a_child_that_is_never_ready_is_stopped(tmp_path: Path) -> None:
    child = python(tmp_path, "import time; time.sleep(60)")
    child.start()
    with pytest.raises(ServerDidNotStart, match="not ready within"):
        child.wait_until(lambda: False, seconds=0.2)
    assert not child.running


def test_a_lock_is_held_as_long_as_the_child_lives(tmp_path: Path) -> None:
    first, second = (
        Child(name, ["/bin/echo", name], tmp_path / f"{name}.log", {}, lock=tmp_path / "lock")
        for name in ("one", "two")
    )
    first.command = ["/bin/sleep", "60"]
    first.start()
    assert first.process is not None
    first.wait_until(lambda: Path(f"/proc/{first.process.pid}/comm").read_text() == "sleep\n", seconds=10)
    second.start()
    time.sleep(0.3)
    assert second.running
    assert second.last_words() == "(nothing)"
    first.kill()
    assert second.process is not None
    assert second.process.wait(10) == 0
    assert second.last_words() == "two"


class Clock:
    """Moves when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_ends_starts_again_ever_more_slowly_and_its_words_are_told(tmp_path: Path) -> None:
    told: list[str] = []
    clock = Clock()
    supervisor = Supervisor(told.append, clock)
    child = python(tmp_path, "import sys; sys.exit('out of luck')")
    supervisor.run(Worker(child))
    delays = []
    for _ in range(9):
        assert child.process is not None
        child.process.wait()
        supervisor.look()
        before = child.process
        delay = 0.0
        while child.process is before:
            delay += 0.25
            clock.now += 0.25
            supervisor.look()
        delays.append(delay)
    supervisor.stop(seconds=5)
    assert delays == [0.5, 1, 2, 4, 8, 16, LONGEST_DELAY, LONGEST_DELAY, LONGEST_DELAY]
    assert all("out of luck" in line for line in told)


def test_after_a_steady_time_an_end_is_followed_by_a_quick_start(tmp_path: Path) -> None:
    told: list[str] = []
    clock = Clock()
    supervisor = Supervisor(told.append, clock)
    child = python(tmp_path, "import time; time.sleep(60)")
    supervisor.run(Worker(child))
    for _ in range(3):
        clock.now += STEADY + 1
        child.kill()
        supervisor.look()
        clock.now += 0.5
        supervisor.look()
        assert child.running
    assert [line.split("starts again in ")[1].split(" s;")[0] for line in told] == ["0.5", "0.5", "0.5"]
    supervisor.stop(seconds=2)
    assert not child.running


def test_a_free_port_is_free_and_is_given_once() -> None:
    ports = [free_port() for _ in range(50)]
    assert len(set(ports)) == 50
    with contextlib.ExitStack() as stack:
        for port in ports:
            stack.enter_context(socket.socket()).bind(("127.0.0.1", port))


def test_stopping_what_never_started_is_nothing(tmp_path: Path) -> None:
    child = python(tmp_path, "")
    child.send(signal.SIGTERM)
    child.stop()
    assert not child.running


def test_a_large_log_is_put_aside_at_the_next_start(tmp_path: Path) -> None:
    child = python(tmp_path, "print('new')")
    child.log.write_bytes(b"x" * (LARGEST_LOG + 1))
    child.start()
    assert child.wait() == 0
    assert child.log.read_text() == "new\n"
    assert (tmp_path / "worker.log.1").stat().st_size == LARGEST_LOG + 1
