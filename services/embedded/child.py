"""Child processes that end with their parent, write their output to one file and stop in a bounded time."""

import contextlib
import errno
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from services.embedded.errors import ServerDidNotStart

# Runs between fork and the real program: gives up root where asked, asks the kernel for a signal at the parent's death
# (after giving up root, which would clear the wish), and leaves at once if the parent is already gone. It takes its
# lock, if it has one, and keeps it through the exec: two programs never have one store open, even if the first is
# still on its way out. An interpreter of its own and not a preexec_fn, because Python code between fork and exec
# can deadlock.
_GUARD = """
import ctypes, fcntl, os, sys
parent, wish, uid, gid = map(int, sys.argv[1:5])
if uid >= 0:
    os.setgroups([]); os.setgid(gid); os.setuid(uid)
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, wish)
if os.getppid() != parent:
    os._exit(1)
if sys.argv[5]:
    held = os.open(sys.argv[5], os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    os.set_inheritable(held, True)
os.execve(sys.argv[6], sys.argv[6:], os.environ)
"""
_PORTS = range(20_000, 32_768)  # below those that systems give to connections that go out
_given: set[int] = set()
LARGEST_LOG = 16 * 1024 * 1024
"""Bytes after which the next start begins a new one and keeps one old."""


@dataclass(frozen=True)
class Identity:
    """The unprivileged user that a child runs as."""

    uid: int
    gid: int


def guarded(
    command: Sequence[str],
    *,
    at_parents_death: signal.Signals,
    identity: Identity | None = None,
    lock: Path | None = None,
) -> list[str]:
    """The command line that runs `command` so that it does not outlive the thread which starts it."""
    uid, gid = (identity.uid, identity.gid) if identity else (-1, -1)
    guard = [os.path.realpath(sys.executable), "-I", "-S", "-c", _GUARD]
    return [*guard, *map(str, (os.getpid(), int(at_parents_death), uid, gid, lock or "")), *command]


@dataclass
class Child:
    """One child process; `start` must be called on a thread that lives as long as the child should."""

    name: str
    command: Sequence[str]
    log: Path
    environ: Mapping[str, str]
    stop_signal: signal.Signals = signal.SIGTERM
    identity: Identity | None = None
    lock: Path | None = None
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _starts_at: int = 0

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_name(f"{self.log.name}.1"))
        with self.log.open("ab") as output:
            self._starts_at = output.tell()
            self.process = subprocess.Popen(  # noqa: S603 - our own programs, no shell
                guarded(self.command, at_parents_death=self.stop_signal, identity=self.identity, lock=self.lock),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=dict(self.environ),
                cwd="/",
                start_new_session=True,  # a Ctrl-C in the terminal reaches the parent only, which stops in order
            )

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def wait_until(self, ready: Callable[[], bool], *, seconds: float) -> None:
        """Return when `ready()`; raise with the end of the log if the child ends or time runs out."""
        deadline = time.monotonic() + seconds
        while not ready():
            if not self.running:
                raise ServerDidNotStart(f"{self.name} ended while starting:\n{self.last_words()}")
            if time.monotonic() > deadline:
                self.stop()
                raise ServerDidNotStart(f"{self.name} was not ready within {seconds:.0f} s:\n{self.last_words()}")
            time.sleep(0.005)

    def wait(self) -> int:
        """Its exit status, when it has ended by itself."""
        if self.process is None:
            raise RuntimeError(f"{self.name} was not started")
        return self.process.wait()

    def last_words(self, lines: int = 12) -> str:
        """The end of what it has said since it was last started."""
        with self.log.open("rb") as log:
            log.seek(self._starts_at)
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:]) or "(nothing)"

    def send(self, number: signal.Signals) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)

    def ask_to_stop(self) -> None:
        self.send(self.stop_signal)

    def stop(self, *, seconds: float = 8) -> None:
        """Ask it to end, then kill it; returns when it is gone."""
        if self.process is None:
            return
        self.ask_to_stop()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.send(signal.SIGKILL)
            self.process.wait()


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on, and that this process has not given before. Raises OSError."""
    for port in secrets.SystemRandom().sample(_PORTS, len(_PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            if port not in _given:
                _given.add(port)
                return port
    raise OSError(errno.EADDRINUSE, "no port is free")


def accepts(port: int) -> bool:
    """Whether something accepts connections on the port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
