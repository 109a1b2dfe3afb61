"""pymap, an IMAP server from PyPI, for tests: it has no CONDSTORE, QRESYNC, SPECIAL-USE or ESEARCH, but OBJECTID."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from tests.support.dovecot import User, free_ports, listening


class PymapServer:
    """One user, everything in memory."""

    def __init__(self) -> None:
        self.user = User("alice@example.test", "alice-pw")
        (self.port,) = free_ports(1)

    def __enter__(self) -> Self:
        program = Path(sys.executable).parent / "pymap"
        user = ["--demo-user", self.user.name, "--demo-password", self.user.password]
        self._process = subprocess.Popen(
            [program, "--host", "127.0.0.1", "--port", str(self.port), "--no-tls", "dict", *user],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while not listening("127.0.0.1", self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("pymap did not start")
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
