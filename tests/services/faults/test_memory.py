"""What a worker takes does not grow with a message or a mailbox."""

import asyncio
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Self

import pytest

from tests.services.faults.mirror import Mirror, mails, mirrored
from tests.services.sync.told import mailboxes, repeated
from tests.support.dovecot import Dovecot, User
from tests.support.imap_truth import held, session
from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, installation, stop, until

MB = 1 << 20
PARSERS, STREAMED = 2, 4  # PARSE_CONCURRENCY, STREAM_PARSE_MB
CONSTANT = 48 * MB
"""Beside the settings' product: one batch on its way, and the allocator's slack."""

LINE = b"Sixty-two characters of text, of which some are letters: \xc5\xbc\xc3\xb3\xc5\x82\r\n"
BASE64 = b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg==\r\n"


class Worker:
    """A sync process whose own memory, with that of its children, is looked at all the time.

    Pages of mapped files are not counted: the kernel takes them back when it likes.
    """

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        self.most = 0
        self._pid = child.pid
        self._over = Event()
        self._thread = Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def now(self) -> int:
        """Bytes."""
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text(encoding="ascii").split()
        return sum(map(self._anonymous, (str(self._pid), *children)))

    def _watch(self) -> None:
        while not self._over.wait(0.01):
            with suppress(FileNotFoundError, ProcessLookupError, StopIteration):  # a child that has just ended
                self.most = max(self.most, self.now())

    def _anonymous(self, pid: str) -> int:
        lines = Path("/proc", pid, "status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) * 1024


@asynccontextmanager
async def alone(postgres: Postgres, template: str, *, every: int = 1) -> AsyncIterator[tuple[Installation, Worker]]:
    """A worker that has nothing else to do than to look `every` so many seconds."""
    with tempfile.TemporaryDirectory(prefix="wm-fm-") as folder, postgres.fresh(template) as dsn:
        async with installation(postgres, dsn, Path(folder)) as fresh:
            settings = {"PARSE_CONCURRENCY": str(PARSERS), "STREAM_PARSE_MB": str(STREAMED), "POLL_WARM": str(every)}
            child = fresh.start("sync", **settings)
            try:
                with Worker(child) as worker:
                    yield fresh, worker
            finally:
                stop(child)


def big(megabytes: int) -> bytes:
    """One half text, one half attachment."""
    half = megabytes * MB // 2
    return (
        b"Subject: big\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        + LINE * (half // len(LINE))
        + b"--b\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        + BASE64 * (half // len(BASE64))
        + b"--b--\r\n"
    )


async def test_a_message_of_100_mb_takes_no_more_than_the_settings_allow(
    postgres: Postgres, migrated_template: str, dovecot_of_its_own: Dovecot
) -> None:
    user = User("dbox@example.test", "pw")  # whose mail is in single files, which the server gives in pieces fast
    async with alone(postgres, migrated_template) as (installed, worker):
        with session(dovecot_of_its_own, user) as imap:
            imap.append("INBOX", None, None, big(1))  # type: ignore[arg-type] # None: now
            async with mirrored(installed, dovecot_of_its_own, user) as here:
                await here.inbox_until({1})
                await here.live()
                before = worker.now()
                worker.most = 0
                imap.append("INBOX", None, None, big(100))  # type: ignore[arg-type]
                await here.inbox_until({1, 2}, seconds=90)
                assert worker.most - before < PARSERS * STREAMED * MB + CONSTANT
        assert mailboxes(await here.facts()) == held(dovecot_of_its_own, user)


@pytest.mark.parametrize("count", [20_000, pytest.param(600_000, marks=pytest.mark.long)])
async def test_a_mailbox_of_any_size_takes_the_same(
    postgres: Postgres, migrated_template: str, dovecot: Dovecot, mail_user: User, count: int
) -> None:
    await asyncio.to_thread(dovecot.load, mail_user.name, mails(count))
    seldom = 1 + count // 10_000  # Dovecot takes seconds to look at so many, in which it gives none
    async with alone(postgres, migrated_template, every=seldom) as (installed, worker):
        async with mirrored(installed, dovecot, mail_user) as here:
            await until_parsed(here, 4_000, seconds=60 + count / 1_000)  # the server has to look at all of them first
            early, worker.most = worker.most, 0
            await here.live(seconds=30 + count / 200)
            assert worker.most < early + 16 * MB + 16 * count  # the numbers of all messages are known, and little more
        facts = await here.facts()
        assert mailboxes(facts) == await asyncio.to_thread(held, dovecot, mail_user)
        assert repeated(facts) == []


async def until_parsed(here: Mirror, count: int, *, seconds: float) -> None:
    async def there() -> bool:
        statement = "SELECT count(*) FROM documents.memo WHERE user_id = $1"
        return int(await here.installed.db.fetchval(statement, here.account.user_id)) >= count

    await until(there, seconds=seconds)
