"""A real Dovecot for tests, in a folder of its own, as root and as an ordinary user.

Three servers in one: 127.0.0.1 can all that Dovecot can, 127.0.0.2 announces little (a client must obey what is
announced, not what works), 127.0.0.3 allows one connection a user.
"""

import base64
import contextlib
import grp
import os
import pwd
import secrets
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from services.embedded.child import free_port
from tests.support import certificate
from tests.support.programs import find_program

TEMPLATES = Path(__file__).parent.parent / "fixtures" / "dovecot"
FULL, POOR, SINGLE = certificate.ADDRESSES
MAIL_ID = 5000  # the owner of all mail when Dovecot runs as root; needs no entry in /etc/passwd
USERS = 1000
BASE_DATE = datetime(2024, 1, 1, tzinfo=UTC)
OAUTH_SECRET = b"test-secret-test-secret-test-secret"


@dataclass(frozen=True)
class Mail:
    """A message to be put into a Maildir without asking the server. `flags` are Maildir's letters, sorted."""

    raw: bytes
    date: datetime = BASE_DATE
    flags: str = ""


@dataclass(frozen=True)
class User:
    name: str
    password: str


class Dovecot:
    """Starts in `__enter__`, stops in `__exit__`. `kill` is kill -9; `start` after it keeps mail, users and ports."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="wm-dc-"))  # short: socket names live below it
        self.root.chmod(0o755)
        self.port, self.tls_port, self.lmtp_port = free_ports(3)
        self.certificate = certificate.write(self.root / "tls")
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._render()
        self._users = iter(self._enroll())

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def trust(self) -> ssl.SSLContext:
        return certificate.trusting(self.certificate)

    def start(self) -> None:
        # A session of its own, so that all of Dovecot's processes can be killed at once.
        self._process = subprocess.Popen(
            [find_program("dovecot") or "dovecot", "-F", "-c", str(self.root / "dovecot.conf")],
            start_new_session=True,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while not all(listening(FULL, port) for port in (self.port, self.tls_port, self.lmtp_port)):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"dovecot did not start: {self.log()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """As an operator would: clients are told BYE."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def log(self) -> str:
        path = self.root / "dovecot.log"
        return path.read_text(errors="replace")[-2000:] if path.exists() else "no log"

    def user(self) -> User:
        """A new, empty user."""
        return next(self._users)

    def doveadm(self, *arguments: str) -> str:
        """Runs `doveadm` against this server and gives what it prints."""
        command = ["doveadm", "-c", str(self.root / "dovecot.conf"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def deliver(self, user: str, raw: bytes) -> None:
        """New mail over LMTP: into INBOX, and idling clients hear of it."""
        with smtplib.LMTP(FULL, self.lmtp_port) as lmtp:
            lmtp.sendmail("sender@example.test", [user], raw)

    def maildir(self, user: str, mailbox: str = "INBOX") -> Path:
        home = self.root / "home" / user / "Maildir"
        return home if mailbox == "INBOX" else home / f".{mailbox.replace('/', '.')}"

    def load(self, user: str, mails: Iterable[Mail], mailbox: str = "INBOX") -> int:
        """Writes messages straight into a Maildir; the server indexes them at the next SELECT. Gives their number."""
        folder = self.maildir(user, mailbox)
        for name in ("cur", "new", "tmp"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        run = secrets.token_hex(3)
        count = 0
        for mail in mails:
            raw = mail.raw.replace(b"\r\n", b"\n")
            seconds = mail.date.timestamp()
            # S= is the exact size of the file; Dovecot takes the order of UIDs from the names.
            path = folder / "cur" / f"{int(seconds)}.M{count:06d}P{run}.host,S={len(raw)}:2,{mail.flags}"
            path.write_bytes(raw)
            os.utime(path, (seconds, seconds))
            count += 1
        self.own(self.root / "home" / user)
        return count

    def own(self, path: Path) -> None:
        """Gives files that a test wrote to whoever owns the mail."""
        if os.geteuid() == 0:
            for folder, _, files in os.walk(path):
                for name in (folder, *(os.path.join(folder, file) for file in files)):  # noqa: PTH118 - 50,000 of them
                    os.chown(name, MAIL_ID, MAIL_ID)

    def _end(self, number: int) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        try:
            process.wait(10)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _render(self) -> None:
        root = os.geteuid() == 0
        service, group = ("dovenull", "dovenull") if root else (account_name(), grp.getgrgid(os.getegid()).gr_name)
        owner, owners = (MAIL_ID, MAIL_ID) if root else (os.getuid(), os.getgid())
        values = {
            "ROOT": self.root,
            "SVC": service,
            "SVCG": group,
            "MAILUID": owner,
            "MAILGID": owners,
            "IMAP": self.port,
            "IMAPS": self.tls_port,
            "LMTP": self.lmtp_port,
        }
        for name in ("run", "state", "home", "jwtkeys/default/HS256"):
            (self.root / name).mkdir(parents=True)
        if root:
            os.chown(self.root / "home", owner, owners)
        (self.root / "jwtkeys/default/HS256/default").write_bytes(base64.b64encode(OAUTH_SECRET))
        for template in TEMPLATES.glob("*.in"):
            text = template.read_text(encoding="utf-8")
            for name, value in values.items():
                text = text.replace(f"@{name}@", str(value))
            (self.root / template.stem).write_text(text, encoding="utf-8")

    def _enroll(self) -> list[User]:
        """All users a run may need: Dovecot may take a second to see a change of the file."""
        users = [User(f"u{number}@example.test", secrets.token_hex(8)) for number in range(USERS)]
        with (self.root / "users").open("a", encoding="utf-8") as file:
            file.writelines(f"{user.name}:{{PLAIN}}{user.password}::::::\n" for user in users)
        return users


def account_name() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def free_ports(count: int) -> list[int]:
    """Ports that are free on all three addresses at once."""
    ports: list[int] = []
    while len(ports) < count:
        port = free_port()
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for address in certificate.ADDRESSES:
                stack.enter_context(socket.socket()).bind((address, port))
            ports.append(port)
    return ports


def listening(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0
