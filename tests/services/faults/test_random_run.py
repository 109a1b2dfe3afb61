"""Two mail programs do anything, processes are killed at any time: afterwards all is as on the server, told once."""

import imaplib
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest

from tests.services.sync.told import mailboxes, repeated
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.imap_truth import held, names, quoted, session
from tests.support.installation import Product, connect, product, state
from tests.support.shown import placed, told, verify

KILLED = ("sync", "nats-server", "projector")
QUIET = 90
"""Seconds in which all must be told and shown once nothing changes any more, and more where kills kept it back for long."""


class Program:
    """A mail program whose user does random things; `done` counts what the server agreed to."""

    def __init__(self, dovecot: Dovecot, user: User, seed: int, name: str) -> None:
        self.done: Counter[str] = Counter()
        self._dovecot = dovecot
        self._user = user
        self._chance = random.Random(f"{seed} {name}")
        self._name = name
        self._number = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._deeds: Mapping[Callable[[imaplib.IMAP4, str], object], int] = {
            self.append: 30,
            self.flag: 25,
            self.move: 15,
            self.expunge: 10,
            self.create: 4,
            self.rename: 4,
            self.delete: 2,
            self.renumber: 2,
        }

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def append(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        for _ in range(self._chance.randint(1, 4)):
            raw = self._mail()
            self._must(imap.append(quoted(mailbox), self._flags(), None, raw))  # type: ignore[arg-type] # None: now

    def flag(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        sign = self._chance.choice(["+", "-", ""])
        self._must(imap.uid("STORE", self._some(imap, mailbox), f"{sign}FLAGS", self._flags()))

    def move(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        uids = self._some(imap, mailbox)
        self._must(imap.uid(self._chance.choice(["MOVE", "COPY"]), uids, quoted(self._chance.choice(names(imap)))))

    def expunge(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        self._must(imap.uid("STORE", self._some(imap, mailbox), "+FLAGS", r"(\Deleted)"))
        self._must(imap.expunge())

    def create(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        self._must(imap.create(quoted(self._new_name())))

    def rename(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        if mailbox != "INBOX":
            self._must(imap.rename(quoted(mailbox), quoted(self._new_name())))

    def delete(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        if mailbox != "INBOX":
            self._must(imap.delete(quoted(mailbox)))

    def renumber(self, imap: imaplib.IMAP4, mailbox: str) -> None:
        number = str(self._chance.randrange(1, 2**32))
        self._dovecot.doveadm("mailbox", "update", "-u", self._user.name, "--uid-validity", number, mailbox)

    def _run(self) -> None:
        """Whatever the server refuses, or whoever it throws out, is no news here: the other program was faster."""
        while not self._over.is_set():
            try:
                with session(self._dovecot, self._user) as imap:
                    while not self._over.wait(self._chance.random() / 5):
                        self._do(imap)
            except (imaplib.IMAP4.error, OSError, subprocess.CalledProcessError):
                continue

    def _do(self, imap: imaplib.IMAP4) -> None:
        deeds, weights = zip(*self._deeds.items(), strict=True)
        (deed,) = self._chance.choices(deeds, weights)
        deed(imap, self._chance.choice(names(imap)))
        self.done[deed.__name__] += 1

    def _some(self, imap: imaplib.IMAP4, mailbox: str) -> str:
        """A few of the messages there, as a set."""
        self._must(imap.select(quoted(mailbox)))
        uids = imap.uid("SEARCH", "ALL")[1][0].decode().split()
        if not uids:
            raise imaplib.IMAP4.error("nothing there")
        return ",".join(self._chance.sample(uids, min(len(uids), self._chance.choice([1, 3, 20]))))

    def _must(self, answer: tuple[str, list[object]]) -> None:
        if answer[0] != "OK":
            raise imaplib.IMAP4.error(str(answer))

    def _flags(self) -> str:
        known = [r"\Seen", r"\Flagged", r"\Answered", r"\Draft", "$Forwarded", "label"]
        return f"({' '.join(self._chance.sample(known, self._chance.randint(0, 3)))})"

    def _new_name(self) -> str:
        self._number += 1
        return self._chance.choice(["", "Sub/", "Lists/"]) + f"{self._name}{self._number}"

    def _mail(self) -> bytes:
        self._number += 1
        answers = f"In-Reply-To: <{self._name}{self._chance.randrange(self._number)}@x.example>\r\n"
        head = f"From: {self._name}@x.example\r\nSubject: number {self._number}\r\nMessage-ID: <{self._name}{self._number}@x.example>\r\n"
        return f"{head}{answers}\r\nText {self._number}\r\n".encode() * self._chance.choice([1, 1, 1, 50])


# a mail program of the run that is cut off in the middle of a word leaves its socket to the collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seconds", [60, pytest.param(600, marks=pytest.mark.long)])
def test_after_anything_the_store_equals_the_server(dovecot: Dovecot, seed: int, seconds: int) -> None:
    chance = random.Random(seed)
    user = dovecot.user()
    dovecot.load(user.name, (Mail(f"Subject: old {n}\r\n\r\n{n}\r\n".encode()) for n in range(300)))
    with product() as running:
        person = running.register("wanda")
        account = connect(person, dovecot, user)
        with busy(Program(dovecot, user, seed, "ann"), Program(dovecot, user, seed, "bob")) as done:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                running.kill(chance.choice(KILLED))
                at = time.monotonic() + chance.uniform(1, 8)
                running.until(lambda at=at: time.monotonic() > at and ready(running), seconds=60)
        assert sum(done.values()) > seconds
        settle(running, lambda: held(dovecot, user), seconds=QUIET + seconds / 2)
        facts = told(running, person, account["id"])
        assert mailboxes(facts) == held(dovecot, user)
        assert repeated(facts) == []
        assert state(person)["state"] == "live"
        verify(running)


@contextmanager
def busy(*programs: Program) -> Iterator[Counter[str]]:
    """Until the block ends; then what they did."""
    done: Counter[str] = Counter()
    for program in programs:
        program.start()
    try:
        yield done
    finally:
        for program in programs:
            program.stop()
            done.update(program.done)


def ready(running: Product) -> bool:
    return all(running.child(name).running for name in KILLED) and running.ready()


def settle(
    running: Product, truth: Callable[[], dict[str, dict[int, tuple[str, frozenset[str]]]]], *, seconds: float = QUIET
) -> None:
    """Return when the read model holds what the server holds; what differs for too long is the test's failure."""
    wanted = {
        path: {uid: (blob, sorted(flags)) for uid, (blob, flags) in there.items()} for path, there in truth().items()
    }
    deadline = time.monotonic() + seconds
    while placed(running) != wanted and time.monotonic() < deadline:
        running.running.watch()
        time.sleep(0.3)
    assert placed(running) == wanted, running.last_words()
