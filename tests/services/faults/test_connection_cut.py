"""The connection ends in every phase, once by FIN and once by RST: everything is told, once, and news go on."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest

from tests.services.faults.mirror import mails, mirrored
from tests.support.dovecot import Dovecot
from tests.support.fault_proxy import FaultProxy, Trap
from tests.support.imap_truth import session
from tests.support.processes import Installation

MAILS = 230  # two batches
PHASES: Mapping[str, Trap] = {
    "before the greeting": Trap(b"* OK", by="server", after=-4),
    "in the greeting": Trap(b"* OK", by="server"),
    "in the TLS handshake": Trap(b"\x16\x03", by="server", after=200),
    "before the answer to the login": Trap(b"AUTHENTICATE"),
    "in the answer to the login": Trap(b"AUTHENTICATE", after=30),
    "at ENABLE": Trap(b"ENABLE"),
    "in the list of mailboxes": Trap(b"LIST ", after=50),
    "in the answer to EXAMINE": Trap(b"EXAMINE", after=50),
    "in a search": Trap(b"UID SEARCH", after=3),
    "in the list of sizes": Trap(b"RFC822.SIZE)", after=100),
    "in the head of a FETCH": Trap(b"BODY.PEEK[])", after=30),
    "in a literal": Trap(b"BODY[] {", by="server", after=60),
    "before the end of a FETCH": Trap(b"OK Fetch completed", by="server", nth=2, after=-10),
    "between two batches": Trap(b"BODY.PEEK[])", nth=2),
    "at IDLE": Trap(b"IDLE\r\n", after=2),
    "while idling": Trap(b"+ idling", by="server", after=10),
    "at DONE": Trap(b"DONE"),
    "in a poll for changes": Trap(b"CHANGEDSINCE", after=20),
}
CASES = [(phase, reset) for phase in PHASES for reset in (False, True)]


def trap_of(phase: str) -> Trap:
    """A fresh one."""
    known = PHASES[phase]
    return Trap(known.words, known.by, known.after, known.nth)


@pytest.fixture(scope="module")
async def survived(
    syncing: Installation, dovecot: Dovecot
) -> AsyncIterator[Mapping[tuple[str, bool], "asyncio.Task[None]"]]:
    """All cases at once, since each mostly waits for the account to be tried again."""
    tasks = {case: asyncio.create_task(survive(syncing, dovecot, *case)) for case in CASES}
    yield tasks
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)


async def survive(syncing: Installation, dovecot: Dovecot, phase: str, reset: bool) -> None:
    user = dovecot.user()
    dovecot.load(user.name, mails(MAILS))
    dovecot.load(user.name, mails(3, first=500), "Sent")
    encrypted = "TLS" in phase
    async with FaultProxy(dovecot.tls_port if encrypted else dovecot.port, reset=reset) as proxy:
        proxy.trap = trap = trap_of(phase)
        async with mirrored(syncing, dovecot, user, via=proxy, tls="ssl" if encrypted else "none") as here:
            await here.live(seconds=90)
            with session(dovecot, user) as imap:
                imap.select("INBOX")
                imap.uid("STORE", "5:9", "+FLAGS.SILENT", r"(\Flagged)")
            await here.equal()
            dovecot.deliver(user.name, f"Subject: {phase}\r\n\r\nNews.\r\n".encode())
            await asyncio.wait_for(trap.sprung.wait(), 30)
            await here.equal()


@pytest.mark.parametrize("reset", [False, True], ids=["FIN", "RST"])
@pytest.mark.parametrize("phase", PHASES)
async def test_a_cut_connection_loses_and_repeats_nothing(
    survived: Mapping[tuple[str, bool], "asyncio.Task[None]"], phase: str, reset: bool
) -> None:
    await survived[phase, reset]
