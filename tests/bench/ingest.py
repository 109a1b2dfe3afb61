"""A mailbox from Dovecot until the API answers with all of it and search finds its last message, beside mbsync and notmuch.

python -m tests.bench.ingest [--quick]
"""

import datetime as dt
import statistics
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from services.embedded.browser import Browser
from services.embedded.up import Installation
from tests.bench.installed import installation, workplace
from tests.bench.peers import Peers
from tests.bench.processes import Cost, costs, since
from tests.bench.report import arguments, conclude, table
from tests.support import corpus
from tests.support.dovecot import FULL, Dovecot, Mail, User

GOAL = "four times as fast as mbsync + notmuch new; sync's memory does not grow with the mailbox (1.25 at the most)"
MARKER = "zyzzyvalast"
OLDEST = dt.datetime(1999, 1, 1, tzinfo=dt.UTC)
GROWTH = 1.25
POLL, SOON = 0.25, 0.05
"""Seconds between two questions, and once all is told: asking costs too."""


def main(*, quick: bool) -> None:
    mails = list(islice(real(), 400 if quick else None))
    sizes = (500, 2_000) if quick else (5_000, 20_000)
    with workplace() as place, Dovecot() as dovecot:
        ours, theirs = [], []
        spent: dict[str, Cost] = {}
        for _ in range(1 if quick else 3):
            theirs.append(peers(dovecot, mails, place))
            seconds, spent = webmail(dovecot, mails, place)
            ours.append(seconds)
        peaks = [webmail(dovecot, list(made(size)), place)[1]["services.sync"].peak_mib for size in sizes]
    count = len(mails) + 1
    us, them = statistics.median(ours), statistics.median(theirs)
    table(
        ("cold, median", "messages", "s", "messages/s"),
        [("webmail", count, us, count / us), ("mbsync + notmuch new", count, them, count / them)],
    )
    table(
        ("process", "CPU µs/message", "peak MiB of one", "processes"),
        [(name, cost.cpu / count * 1e6, cost.peak_mib, cost.processes) for name, cost in spent.items()],
    )
    table(("sync's peak MiB", *map(str, sizes)), [("", *peaks)])
    figure = {
        "ratio": round(them / us, 2),
        "messages_per_s": round(count / us),
        "growth": round(peaks[1] / peaks[0], 2),
    }
    conclude("ingest", GOAL, figure, certain=peaks[1] / peaks[0] <= GROWTH, measured=them / us >= 4)


def real() -> Iterator[Mail]:
    """The corpus, as it was delivered."""
    for n, message in enumerate(corpus.messages()):
        yield Mail(raw=message.raw, date=message.date or OLDEST + dt.timedelta(days=1, seconds=n), flags="S")


def made(size: int) -> Iterator[Mail]:
    for n in range(size):
        date = OLDEST + dt.timedelta(days=1, minutes=n)
        head = f"From: s{n % 400}@example.test\nTo: me@example.test\nSubject: number {n}\nMessage-ID: <{n}@made.test>\n"
        yield Mail(
            raw=f"{head}Date: {date:%a, %d %b %Y %H:%M:%S} +0000\n\n{'words and more ' * 80}{n}\n".encode(),
            date=date,
            flags="S",
        )


def last() -> Mail:
    """The oldest one, and so the last that a newest-first backfill brings."""
    head = f"From: last@example.test\nTo: me@example.test\nSubject: {MARKER}\nMessage-ID: <last@made.test>\n"
    return Mail(raw=f"{head}\nThe last of all.\n".encode(), date=OLDEST, flags="S")


def mailbox(dovecot: Dovecot, mails: Sequence[Mail]) -> User:
    """A user who nobody has looked at yet, whose first and oldest message is the marked one."""
    user = dovecot.user()
    dovecot.load(user.name, [last(), *mails])
    return user


def webmail(dovecot: Dovecot, mails: Sequence[Mail], place: Path) -> tuple[float, dict[str, Cost]]:
    """Seconds from typing the account in until everything is there, and what it cost whom."""
    with installation(place) as running:
        arrived = arrive(running, dovecot, mailbox(dovecot, mails), len(mails) + 1)
    return arrived.seconds, arrived.spent


class Arrived(NamedTuple):
    """Whose account it is, seconds until all of it was there, and what that cost whom."""

    browser: Browser
    seconds: float
    spent: dict[str, Cost]


def arrive(running: Installation, dovecot: Dovecot, user: User, count: int) -> Arrived:
    """A new account of so many messages, from typing it in until everything is there."""
    browser = Browser(running.address)
    person = {"localpart": "bench", "password": "a long enough one", "tz": "UTC", "language": "en"}
    browser.post("/api/auth/register", person)
    imap = {"host": FULL, "port": dovecot.port, "tls": "none", "username": user.name, "password": user.password}
    before = costs()
    started = time.perf_counter()
    browser.post("/api/accounts", {"email": user.name, "display_name": "Bench", "imap": imap, "smtp": None})
    while told(browser) < count:
        running.watch()
        time.sleep(POLL)
    while not complete(browser):
        running.watch()
        time.sleep(SOON)
    return Arrived(browser, time.perf_counter() - started, since(before))


def told(browser: Browser) -> int:
    """How many messages the account is said to have so far."""
    synced: int = browser.get("/api/accounts")["accounts"][0]["progress"]["synced"]
    return synced


def complete(browser: Browser) -> bool:
    """The last message is found and readable."""
    found = browser.get(f"/api/threads?view=search&q={MARKER}")["threads"]
    if not found:
        return False
    thread = browser.get(f"/api/threads/{found[0]['id']}")
    return "The last of all." in thread["messages"][0]["text"]


def peers(dovecot: Dovecot, mails: Sequence[Mail], place: Path) -> float:
    """Seconds of mbsync into a Maildir, notmuch's index of it, and a search that finds the marked one."""
    return Peers(dovecot, mailbox(dovecot, mails), place).run(MARKER, 1).seconds


if __name__ == "__main__":
    main(quick=arguments(__doc__ or "").quick)
