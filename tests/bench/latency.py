"""One message handed to Dovecot until the API lists it, beside how long Dovecot itself takes to tell a client that idles.

python -m tests.bench.latency [--quick]
"""

import imaplib
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.report import arguments, conclude, p95, table
from tests.support.dovecot import Dovecot, User
from tests.support.imap_truth import session
from tests.support.installation import Person, Product, Reader, connect, product, state

GOAL = "p95 at most 1 s from the mail server to the API's list; every message is listed once"
EVERY = 0.005
"""Seconds between two questions."""


def main(*, quick: bool) -> None:
    times = 15 if quick else 60
    with Dovecot() as dovecot, product() as running:
        user = dovecot.user()
        person = running.register("bench")
        connect(person, dovecot, user)
        running.until(lambda: state(person)["state"] == "live", seconds=60)
        listed, heard = measure(running, person, dovecot, user, times)
        lines = Reader(person).json("/api/threads?view=unified&limit=200")
    table(
        ("ms", "median", "p95"),
        [
            ("Dovecot to a client that idles", statistics.median(heard) * 1000, p95(heard)),
            ("Dovecot to the API's list", statistics.median(listed) * 1000, p95(listed)),
        ],
    )
    once = sorted(line["subject"] for line in lines["threads"]) == sorted(f"message {n}" for n in range(times))
    figure = {"p95_ms": round(p95(listed)), "of_it_dovecot_ms": round(p95(heard))}
    conclude("latency", GOAL, figure, certain=once, measured=p95(listed) <= 1000)


def measure(
    running: Product, person: Person, dovecot: Dovecot, user: User, times: int
) -> tuple[list[float], list[float]]:
    """Seconds until each message is in the list, and until a client beside us is told."""
    reader = Reader(person)
    listed, heard = [], []
    for n in range(times):
        with idling(dovecot, user, heard):
            started = time.perf_counter()
            dovecot.deliver(
                user.name, f"Subject: message {n}\r\nMessage-ID: <{n}@x.example>\r\n\r\nHello.\r\n".encode()
            )
            running.until(lambda n=n: shown(reader, f"message {n}"), seconds=30, every=EVERY)
            listed.append(time.perf_counter() - started)
    return listed, heard


def shown(reader: Reader, subject: str) -> bool:
    """Near the top of the list; which of two of the same second comes first is chance."""
    return any(line["subject"] == subject for line in reader.json("/api/threads?view=unified&limit=5")["threads"])


@contextmanager
def idling(dovecot: Dovecot, user: User, heard: list[float]) -> Iterator[None]:
    """A plain client that waits for news (RFC 2177) while the block runs, and notes when it hears some."""
    with session(dovecot, user) as imap:
        imap.select("INBOX", readonly=True)
        imap.send(b"i IDLE\r\n")
        imap.readline()
        waiting = threading.Thread(target=note, args=(imap, time.perf_counter(), heard))
        waiting.start()
        yield
        waiting.join(30)
        imap.send(b"DONE\r\n")
        while not imap.readline().startswith(b"i "):
            continue


def note(imap: imaplib.IMAP4, started: float, heard: list[float]) -> None:
    while b"EXISTS" not in imap.readline():
        continue
    heard.append(time.perf_counter() - started)


if __name__ == "__main__":
    main(quick=arguments(__doc__ or "").quick)
