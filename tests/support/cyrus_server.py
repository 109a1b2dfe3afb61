"""A real Cyrus IMAP server for tests, in a folder of its own, as root and as an ordinary user."""

import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.support import cyrus_programs
from tests.support.dovecot import User, account_name, free_ports, listening

TEMPLATES = Path(__file__).parent.parent / "fixtures" / "cyrus"
OWNER = "nobody"
FOLDERS = ("conf/socket", "spool", "sock", "proc", "lock")  # without conf/socket IDLE would look every few seconds


class Cyrus:
    """Starts in `__enter__`, stops in `__exit__`; `start` after `stop` or `kill` keeps mail, users and port."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="wm-cy-"))
        self.root.chmod(0o755)
        self.programs = self.root / "programs"  # a cache may lie where the server's user can't look
        shutil.copytree(cyrus_programs.fetch(), self.programs, symlinks=True)
        (self.port,) = free_ports(1)
        self._environ = {
            **cyrus_programs.environ(self.programs),
            "CYRUS_USER": OWNER if os.geteuid() == 0 else account_name(),
        }
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        values = {"ROOT": self.root, "BIN": self.programs / "usr/lib/cyrus/bin", "IMAP": self.port}
        for template in TEMPLATES.glob("*.in"):
            text = template.read_text(encoding="utf-8")
            for name, value in values.items():
                text = text.replace(f"@{name}@", str(value))
            (self.root / template.stem).write_text(text, encoding="utf-8")
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True)
        self._own()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.root, ignore_errors=True)

    def start(self) -> None:
        """In a session of its own, so that all of its processes can be killed at once."""
        with (self.root / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                [
                    self._program("usr/lib/cyrus/bin/master"),
                    *("-C", "imapd.conf", "-M", "cyrus.conf", "-p", str(self.root / "master.pid")),
                ],
                cwd=self.root,
                env=self._environ,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        deadline = time.monotonic() + 20
        while not listening("127.0.0.1", self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"cyrus did not start: {(self.root / 'output.log').read_text(errors='replace')}")
            time.sleep(0.05)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def user(self) -> User:
        """A new one; its mailboxes are made when it logs in first."""
        user = User(f"c{next(self._numbers)}", secrets.token_hex(8))
        subprocess.run(
            [self._program("usr/sbin/saslpasswd2"), "-p", "-c", "-f", "sasldb2", "-u", socket.gethostname(), user.name],
            cwd=self.root,
            env=self._environ,
            input=user.password.encode(),
            capture_output=True,
            check=True,
        )
        self._own()
        return user

    def run(self, program: str, *arguments: str) -> str:
        """One of Cyrus' own tools; what it prints."""
        command = [self._program(f"usr/lib/cyrus/bin/{program}"), "-C", str(self.root / "imapd.conf"), *arguments]
        return subprocess.run(command, env=self._environ, check=True, capture_output=True, text=True).stdout

    def forget_index(self, user: User) -> None:
        """The inbox loses its index, which is made again from the files: under a new UIDVALIDITY."""
        name = f"user/{user.name}"
        (Path(self.run("mbpath", name).strip()) / "cyrus.index").unlink()
        self.run("reconstruct", name)

    def _own(self) -> None:
        """Cyrus does not run as root, so what root made is given away."""
        if os.geteuid() == 0:
            names = [name for name in ("sasldb2", "conf", "conf/socket", *FOLDERS) if (self.root / name).exists()]
            for path in (self.root, *(self.root / name for name in names)):
                shutil.chown(path, OWNER)

    def _program(self, path: str) -> str:
        return str(self.programs / path)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)
