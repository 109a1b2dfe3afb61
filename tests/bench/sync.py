"""A first sync of real mail and a later one of a hundred new messages, beside mbsync and notmuch; and a reconnect for nothing.

python -m tests.bench.sync [--quick]
"""

import asyncio
import datetime as dt
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec
from websockets.sync.client import ClientConnection, connect

from contracts.provider import MailboxDelta, Seen
from services.embedded.browser import Browser
from services.embedded.up import Installation
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.provider import ImapProvider
from tests.bench.ingest import MARKER, arrive, made, mailbox, real
from tests.bench.installed import installation, workplace
from tests.bench.latency import idling
from tests.bench.peers import Peers, Run
from tests.bench.processes import Cost, costs, since
from tests.bench.report import arguments, conclude, table
from tests.support.dovecot import FULL, Dovecot, Mail, User
from tests.support.fault_proxy import FaultProxy

GOAL = (
    "the first sync at least four times as fast as mbsync + notmuch new, a later one of 100 new messages at least as fast; "
    "a reconnect to a mailbox of 100,000 where nothing changed below 10 kB and 100 ms"
)
NEW = 100
SOON = 0.005
"""Seconds between two questions once the browser was told of the last message."""

REST = 75
"""Seconds between a first sync and the later ones, which come when it is long over: within a minute Postgres has looked at what is
new, put its words into the index and learned how much there is.
"""

TOLD = 30
"""Seconds that a browser may wait for the next event."""

SPENT = 0.005
"""CPU seconds that are worth a line."""

RECONNECT_BYTES, RECONNECT_MS = 10_000, 100


class Round(NamedTuple):
    """Seconds and CPU seconds of ours and of theirs, for the same work."""

    ours: float
    theirs: float
    spent: Mapping[str, float]


class Later(NamedTuple):
    """A round, and the seconds of it until Dovecot told: nobody can be faster than that."""

    round: Round
    told_us: float
    told_them: float


def main(*, quick: bool) -> None:
    mails = list(islice(real(), 400 if quick else None))
    with workplace() as place, Dovecot() as dovecot:
        firsts, laters = [], []
        for _ in range(1 if quick else 3):
            first, later = both(dovecot, mails, place, rounds=3, rest=0 if quick else REST)
            firsts.append(first)
            laters += later
        reconnected = reconnect(dovecot, 5_000 if quick else 100_000)
    count = len(mails) + 1
    told("first", count, firsts)
    told("later", NEW, [one.round for one in laters])
    table(
        ("later: of the seconds, median", "until Dovecot tells", "from then on"),
        [
            ("webmail", median(one.told_us for one in laters), median(one.round.ours - one.told_us for one in laters)),
            (
                "mbsync + notmuch new",
                median(one.told_them for one in laters),
                median(one.round.theirs - one.told_them for one in laters),
            ),
        ],
    )
    table(("no change, reconnected", "messages", "bytes", "ms"), [("", *reconnected)])
    figure = {
        "first": round(ratio(firsts), 2),
        "later": round(ratio([one.round for one in laters]), 2),
        "reconnect_bytes": reconnected.bytes,
        "reconnect_ms": round(reconnected.ms, 1),
    }
    conclude(
        "sync",
        GOAL,
        figure,
        certain=reconnected.bytes < RECONNECT_BYTES,
        measured=ratio(firsts) >= 4 and ratio([one.round for one in laters]) >= 1 and reconnected.ms < RECONNECT_MS,
    )


def ratio(rounds: Sequence[Round]) -> float:
    """How many times as fast as they are; of the median round."""
    return median(one.theirs / one.ours for one in rounds)


def told(name: str, count: int, rounds: Sequence[Round]) -> None:
    """The median round, and what the CPU did in it."""
    middle = sorted(rounds, key=lambda one: one.theirs / one.ours)[len(rounds) // 2]
    table(
        (name, "messages", "s", "messages/s"),
        [
            ("webmail", count, middle.ours, count / middle.ours),
            ("mbsync + notmuch new", count, middle.theirs, count / middle.theirs),
        ],
    )
    table(
        (f"{name}: process", "CPU s", "CPU µs/message"),
        [(who, cpu, cpu / count * 1e6) for who, cpu in middle.spent.items() if cpu >= SPENT],
    )


def both(
    dovecot: Dovecot, mails: Sequence[Mail], place: Path, *, rounds: int, rest: float
) -> tuple[Round, list[Later]]:
    """One mailbox for each from the beginning, then, `rest` seconds later, a hundred new messages some times."""
    mine, others = mailbox(dovecot, mails), mailbox(dovecot, mails)
    peers = Peers(dovecot, others, place)
    first = peers.run(MARKER, 1)
    with installation(place) as running:
        arrived = arrive(running, dovecot, mine, len(mails) + 1)
        time.sleep(rest)
        later = [again(dovecot, n, (mine, arrived.browser, running), (others, peers)) for n in range(rounds)]
    return round_of(arrived.seconds, arrived.spent, first), later


def again(dovecot: Dovecot, n: int, ours: tuple[User, Browser, Installation], theirs: tuple[User, Peers]) -> Later:
    """A hundred messages appear in a mailbox that a client idles on; both begin when Dovecot tells it, until all are found.

    Ours are looked for once a browser was told of them: asking all the time would be work for what is measured.
    """
    word, mails = f"zyzzyvanew{n}", fresh(n)
    user, peers = theirs
    heard: list[float] = []
    with idling(dovecot, user, heard):
        dovecot.load(user.name, mails)
    run = peers.run(word, NEW)
    user, browser, running = ours
    before = costs()
    with idling(dovecot, user, heard), listening(browser) as socket:
        started = time.perf_counter()
        dovecot.load(user.name, mails)
        wait(socket, NEW)
        while found(browser, word) < NEW:
            running.watch()
            time.sleep(SOON)
        taken = time.perf_counter() - started
    spent = since(before)
    told_them, told_us = heard
    return Later(round_of(taken, spent, run._replace(seconds=told_them + run.seconds)), told_us, told_them)


@contextmanager
def listening(browser: Browser) -> Iterator[ClientConnection]:
    """What the browser is told, as its page hears it."""
    address = browser.address.replace("http", "ws", 1)
    with connect(f"{address}/api/ws", additional_headers={"Cookie": browser.cookies}) as socket:
        yield socket


def wait(socket: ClientConnection, count: int) -> None:
    """Until so many messages are announced."""
    while count:
        count -= msgspec.json.decode(socket.recv(timeout=TOLD))["event"] == "message.new"


def found(browser: Browser, word: str) -> int:
    return len(browser.get(f"/api/threads?view=search&q={word}&limit=200")["threads"])


def round_of(seconds: float, spent: Mapping[str, Cost], run: Run) -> Round:
    return Round(seconds, run.seconds, {**{name: cost.cpu for name, cost in spent.items()}, **run.cpu})


def fresh(n: int) -> list[Mail]:
    """A hundred messages that came just now, each a conversation of its own."""
    now = dt.datetime.now(dt.UTC)
    return [
        Mail(
            raw=(
                f"From: s{i}@example.test\nTo: me@example.test\nSubject: news {n}.{i} zyzzyvanew{n}\n"
                f"Message-ID: <new.{n}.{i}@made.test>\nDate: {now:%a, %d %b %Y %H:%M:%S} +0000\n\n{'words and more ' * 80}{i}\n"
            ).encode(),
            date=now,
        )
        for i in range(NEW)
    ]


# -- a reconnect for nothing


class Reconnected(NamedTuple):
    """Bytes in both directions and milliseconds, from no connection to knowing that nothing has changed."""

    messages: int
    bytes: int
    ms: float


def reconnect(dovecot: Dovecot, size: int) -> Reconnected:
    """The best of three, as the first ones wake the server."""
    user = dovecot.user()
    dovecot.load(user.name, made(size))
    return min((asyncio.run(_reconnect(dovecot, user, size)) for _ in range(3)), key=lambda one: one.ms)


class Nothing:
    """Nobody asks for what is known where the server keeps its own record."""

    async def flags(self, mailbox: str, uidvalidity: int) -> Mapping[int, frozenset[str]]:
        raise AssertionError((mailbox, uidvalidity))


async def _reconnect(dovecot: Dovecot, user: User, size: int) -> Reconnected:
    async with FaultProxy(dovecot.port) as proxy:
        with tempfile.TemporaryDirectory() as spool:
            here = Endpoint(host=FULL, port=proxy.port, tls="none")
            login = Credentials(username=user.name, password=user.password)
            provider = ImapProvider(here, login, known=Nothing(), spool=Path(spool))
            status = await provider.status("INBOX")
            assert status.messages == size, status
            await provider.close()
            before = len(proxy.commands) + len(proxy.replies)
            started = time.perf_counter()
            seen = Seen(uidvalidity=status.uidvalidity, high_uid=status.uidnext - 1, highestmodseq=status.highestmodseq)
            delta = await provider.poll("INBOX", seen)
            taken = time.perf_counter() - started
            assert delta == MailboxDelta(status=status), delta
            await provider.close()
            return Reconnected(size, len(proxy.commands) + len(proxy.replies) - before, taken * 1000)


if __name__ == "__main__":
    main(quick=arguments(__doc__ or "").quick)
