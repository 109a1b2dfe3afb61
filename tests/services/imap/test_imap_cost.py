"""Coming back to a big mailbox in which nothing happened costs next to nothing."""

import asyncio
import time
from collections.abc import AsyncIterator
from math import inf

import pytest

from contracts.provider import Seen
from tests.services.imap.conftest import Connect
from tests.support.dovecot import Dovecot, Mail, User


class Meter:
    """Counts the bytes of all connections through it, both ways."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.port = 0
        self.bytes = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            self.bytes += len(data)
            writer.write(data)
        writer.close()


@pytest.fixture
async def meter(dovecot: Dovecot) -> AsyncIterator[Meter]:
    made = Meter(dovecot.port)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()


SHARED = 30.0
"""Seconds in which the machine, which is shared, has a moment for it: the best is what it costs."""


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.long)])
async def test_a_reconnect_without_changes_costs_little(
    connect: Connect, dovecot: Dovecot, mail_user: User, meter: Meter, count: int
) -> None:
    dovecot.load(mail_user.name, (Mail(b"Subject: n%d\r\n\r\nx\r\n" % number) for number in range(count)))
    first = connect(dovecot.port, mail_user)
    status = await first.status("INBOX")
    assert status.messages == count
    await first.close()
    seen = Seen(uidvalidity=status.uidvalidity, high_uid=count, highestmodseq=status.highestmodseq)
    best, end = inf, time.monotonic() + SHARED
    while best >= 0.1 and time.monotonic() < end:
        meter.bytes = 0
        again = connect(meter.port, mail_user)
        began = time.perf_counter()
        delta = await again.poll("INBOX", seen)
        best = min(best, time.perf_counter() - began)
        await again.close()
        assert (delta.new_uids, delta.flag_changes, delta.expunged) == ((), (), "")
        assert meter.bytes < 10_000
    assert best < 0.1
