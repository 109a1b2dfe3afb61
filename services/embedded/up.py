"""`webmail up`: nats-server, Postgres and every process of the product as children of one command, in one data folder."""

import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from contracts.streams import Role
from services.config import PLAIN, PROCESSES, SECRETS, ConfigurationError, Process, refuse_foreign_secrets
from services.embedded.child import Child, accepts
from services.embedded.errors import EmbeddedError, ServerDidNotStart
from services.embedded.folder import DataFolder
from services.embedded.nats import NatsServer
from services.embedded.postgres import PostgresServer, dsn_of_role, ensure_database, ensure_roles, role_of
from services.embedded.supervisor import Supervisor, Worker
from services.log.permissions import users

RUN: tuple[Process, ...] = ("sync", "outbound", "projector", "gateway")
"""The processes in the order of their start."""

DATABASE = "webmail"
PREFERRED_HTTP_PORT = 8080
EVERY_HOST = ("0.0.0.0", "::")  # noqa: S104 - an operator's choice is recognised here, not made
PROCESSES_STOP_IN, SERVERS_STOP_IN = 6.0, 3.0
"""Seconds; together under ten, Ctrl-C included."""

_BASE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"}


def say(text: str) -> None:
    """One line for the person at the terminal."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Installation:
    """One running webmail on one data folder; `environ` is what the operator set."""

    def __init__(self, folder: DataFolder, environ: Mapping[str, str], report: Callable[[str], None] = say) -> None:
        self.folder = folder
        self._environ = {name: value for name, value in environ.items() if value.strip()}
        self._report = report
        self._processes = Supervisor(report)
        self._servers = Supervisor(report)

    @property
    def address(self) -> str:
        """Where a browser opens it; only under `localhost` do `__Host-` cookies work without TLS."""
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Return when the gateway says that it is ready; raise with the reason otherwise."""
        refuse_foreign_secrets("admin", self._environ)
        self.folder.lock()
        self.port = self._http_port()
        with step("Postgres", self._report):
            self._admin_dsn = self._environ.get("DATABASE_URL") or self._own_postgres()
            ensure_roles(self._admin_dsn, self._role_passwords())
        with step("nats-server", self._report):
            self._nats = self._environ.get("NATS_URL") or self._own_nats()
        with step("tables and streams", self._report):
            self.folder.remember_environment(self.environment("admin"))
            self._at_once(["database", "migrate"], ["streams", "apply"])
            self._at_once(["projections", "rebuild", "--changed"])
        with step(f"{', '.join(RUN)}, eraser", self._report):
            for process in RUN:
                self._processes.run(
                    Worker(self._child(process, ["-m", f"services.{process}"], self.environment(process)))
                )
            eraser = ["-m", "services.admin", "erase", "--follow"]
            self._processes.run(Worker(self._child("eraser", eraser, self.environment("admin"))))
            self._wait_until_ready()

    def watch(self) -> None:
        """Start again whatever ends."""
        self._servers.look()
        self._processes.look()

    def stop(self) -> None:
        """The processes first, then the servers that they write to."""
        self._processes.stop(seconds=PROCESSES_STOP_IN)
        self._servers.stop(seconds=SERVERS_STOP_IN)
        self.folder.release()

    def run_beside(self, name: str, arguments: list[str], environ: Mapping[str, str]) -> None:
        """A server in Python that the processes speak to: it stops after them, and has nothing but what it is given."""
        self._servers.run(Worker(self._child(name, arguments, {**_BASE, **environ})))

    def _http_port(self) -> int:
        chosen = self._environ.get("HTTP_PORT")
        if chosen is None:
            return self.folder.port("http", PREFERRED_HTTP_PORT)
        if not chosen.isdecimal():
            raise ConfigurationError("HTTP_PORT must be a whole number")
        if accepts(int(chosen)):
            raise EmbeddedError(f"something else listens on HTTP_PORT {chosen} already")
        return int(chosen)

    def _own_postgres(self) -> str:
        password = self.folder.secrets("admin")["DATABASE_PASSWORD"]
        server = PostgresServer(self.folder.root / "postgres", password=password)
        if server.folder.parent != self.folder.root:
            self._report(f"  Postgres' own user can't reach {self.folder.root}: its data are in {server.folder}")
        self._servers.run(server)
        ensure_database(server.dsn(), DATABASE)
        return server.dsn(database=DATABASE)

    def _own_nats(self) -> str:
        everyone = users({Role(process): self.folder.secrets(process)["NATS_PASSWORD"] for process in PROCESSES})
        server = NatsServer(self.folder.root / "nats", port=self.folder.port("nats"), users=everyone)
        self._servers.run(server)
        return server.url

    def _role_passwords(self) -> Mapping[str, str]:
        others = [process for process in PROCESSES if process != "admin"]
        return {role_of(process): self.folder.secrets(process)["DATABASE_PASSWORD"] for process in others}

    def environment(self, process: Process) -> Mapping[str, str]:
        """All that a process learns: plain settings, its own two accounts and its own keys."""
        may_have = PLAIN | {name for name, holders in SECRETS.items() if process in holders}
        given = {name: value for name, value in self._environ.items() if name in may_have}
        own = dict(self.folder.secrets(process))
        database_password, nats_password = own.pop("DATABASE_PASSWORD"), own.pop("NATS_PASSWORD")
        dsn = (
            self._admin_dsn if process == "admin" else dsn_of_role(self._admin_dsn, role_of(process), database_password)
        )
        nats = self._environ.get("NATS_URL") or self._nats.replace("://", f"://{process}:{nats_password}@")
        urls = {"DATABASE_URL": dsn, "NATS_URL": nats}
        place = {"DATA_DIR": str(self.folder.root), "HTTP_PORT": str(self.port)}
        return {**_BASE, **place, **given, **own, **urls}

    def _child(self, name: str, arguments: list[str], environ: Mapping[str, str]) -> Child:
        return Child(name, [sys.executable, *arguments], self.folder.logs / f"{name}.log", environ)

    def _at_once(self, *commands: list[str]) -> None:
        """Run administrator's commands beside each other, each to its end."""
        children = [
            self._child("-".join(command[:2]), ["-m", "services.admin", *command], self.environment("admin"))
            for command in commands
        ]
        for child in children:
            child.start()
        for command, child in zip(commands, children, strict=True):
            if child.wait() != 0:
                raise ServerDidNotStart(f"`webmail {' '.join(command)}` failed:\n{child.last_words()}")

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        host = self._environ.get("HTTP_HOST", "127.0.0.1")
        place = "127.0.0.1" if host in EVERY_HOST else f"[{host}]" if ":" in host else host
        while not _answers(f"http://{place}:{self.port}/readyz"):
            if time.monotonic() > deadline:
                raise ServerDidNotStart(f"the gateway was not ready within 60 s; logs are in {self.folder.logs}")
            self.watch()
            time.sleep(0.05)


@contextmanager
def step(name: str, report: Callable[[str], None]) -> Iterator[None]:
    started = time.monotonic()
    yield
    report(f"  {name}  {time.monotonic() - started:.1f} s")


def up(data: Path, environ: Mapping[str, str]) -> int:
    """Run until told to stop; the exit status."""
    installation = Installation(DataFolder(data), environ)
    return until_told(installation, lambda: say(f"\nwebmail runs on {installation.address}   (Ctrl-C stops it)"))


def until_told(installation: Installation, started: Callable[[], None], *, then_stop: bool = False) -> int:
    """Start, call `started`, supervise until a signal or `then_stop`, stop in order; errors are told in their own words."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _told)
    try:
        say(f"webmail starts on {installation.folder.root}")
        installation.start()
        started()
        while not then_stop:
            installation.watch()
            time.sleep(0.2)
    except KeyboardInterrupt:
        return 1 if then_stop else 0
    except (EmbeddedError, ConfigurationError) as error:
        sys.stderr.write(f"webmail: {error}\n")
        return 1
    else:
        return 0
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # stopping is already under way, and is short
        installation.stop()


def _told(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - our own http address
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
