"""mbsync and `notmuch new`, which a mailbox is read and indexed with elsewhere: the same mail, the same server, beside us."""

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.support.dovecot import Dovecot, User


class Run(NamedTuple):
    """Seconds from the start of the first program to the end of the last, and the CPU seconds of each."""

    seconds: float
    cpu: dict[str, float]


class Peers:
    """A Maildir that mbsync keeps equal to a user's mailboxes, and notmuch's index of it, in a folder of their own."""

    def __init__(self, dovecot: Dovecot, user: User, place: Path) -> None:
        folder = Path(tempfile.mkdtemp(prefix="peers-", dir=place))
        (folder / "mail").mkdir()
        self._mbsyncrc = folder / "mbsyncrc"
        self._mbsyncrc.write_text(
            MBSYNC.format(folder=folder, port=dovecot.port, user=user.name, password=user.password)
        )
        (folder / "notmuchrc").write_text(NOTMUCH.format(folder=folder))
        self._environ = {"PATH": os.defpath, "HOME": str(folder), "NOTMUCH_CONFIG": str(folder / "notmuchrc")}

    def run(self, word: str, count: int) -> Run:
        """Both programs once, and a search that finds so many messages with a word."""
        started = time.perf_counter()
        cpu = {
            "mbsync": self._spend("mbsync", "-q", "-c", str(self._mbsyncrc), "bench"),
            "notmuch": self._spend("notmuch", "new", "--quiet"),
        }
        found = subprocess.run(
            ["notmuch", "count", word], check=True, env=self._environ, capture_output=True, text=True
        ).stdout
        taken = time.perf_counter() - started
        assert int(found) == count, (word, found)
        return Run(taken, cpu)

    def _spend(self, *command: str) -> float:
        """CPU seconds of a program that ends here: no other child of this process does meanwhile."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, env=self._environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


MBSYNC = """IMAPAccount bench
Host 127.0.0.1
Port {port}
User {user}
Pass {password}
SSLType None
AuthMechs LOGIN

IMAPStore there
Account bench

MaildirStore here
Path {folder}/mail/
Inbox {folder}/mail/INBOX
SubFolders Verbatim

Channel bench
Far :there:
Near :here:
Patterns *
Create Near
Sync Pull
SyncState *
"""

NOTMUCH = """[database]
path={folder}/mail
[user]
name=Bench
primary_email=bench@example.test
[new]
tags=unread;inbox
"""
