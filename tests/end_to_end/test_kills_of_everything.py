"""Each process and both servers are killed while mail arrives: afterwards everything is there, and was told once."""

import random
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from uuid import UUID

import pytest

from contracts.facts import MessageArrived
from tests.services.sync.told import mailboxes, repeated
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.imap_truth import held, session
from tests.support.installation import KILLABLE, Person, Product, connect, product, state
from tests.support.shown import placed, same_bytes, seen, told, verify

FIRST, MORE = 600, 100
"""Messages in the mailbox at the beginning, and further ones before each kill."""


def test_whatever_is_killed_while_mail_arrives_nothing_is_lost_and_nothing_told_twice(dovecot: Dovecot) -> None:
    survive(dovecot, seed=random.SystemRandom().randrange(10**6), kills=[*KILLABLE])


@pytest.mark.long
@pytest.mark.parametrize("victim", KILLABLE)
def test_whatever_is_killed_again_and_again_nothing_is_lost_and_nothing_told_twice(
    dovecot: Dovecot, victim: str
) -> None:
    survive(dovecot, seed=random.SystemRandom().randrange(10**6), kills=[victim] * 5)


def survive(dovecot: Dovecot, *, seed: int, kills: list[str]) -> None:
    sys.stdout.write(f"seed {seed}\n")
    chance = random.Random(seed)
    chance.shuffle(kills)
    user = dovecot.user()
    sent = Sent(chance)
    dovecot.load(user.name, sent.more(FIRST))
    with product() as running:
        person = running.register("wanda")
        account = connect(person, dovecot, user)
        for number, victim in enumerate(kills):
            until = folded(running) + chance.randrange(MORE if number else FIRST)
            dovecot.load(user.name, sent.more(MORE))
            with deliveries(dovecot, user, number):
                running.until(lambda count=until: folded(running) > count, seconds=60, every=0.01)
                disturb(dovecot, user, chance)
                running.kill(victim)
                disturb(dovecot, user, chance)
                running.until(lambda: ready(running), seconds=60)
        settle(running, person, dovecot, user)
        truth, facts = held(dovecot, user), told(running, person, account["id"])
        assert mailboxes(facts) == truth
        assert repeated(facts) == []
        blobs = {fact.message_id: fact.blob for fact in facts if isinstance(fact, MessageArrived)}
        there = seen(person)
        assert {path: by_bytes(blobs, mailbox.messages) for path, mailbox in there.items()} == {
            path: Counter(placed.values()) for path, placed in truth.items()
        }
        inbox = there["INBOX"]
        assert inbox.conversations == sent.conversations(blobs, inbox.messages)
        assert same_bytes(person, {id_: blobs[id_] for id_ in [*inbox.messages][::20]})
        verify(running)


class Sent:
    """Messages of which about a third answer an earlier one of the same lot."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._roots: list[int] = []
        self._root_of: dict[str, int] = {}

    def more(self, count: int) -> list[Mail]:
        start = len(self._roots)
        return [self._one(n, start) for n in range(start, start + count)]

    def _one(self, n: int, start: int) -> Mail:
        answered = self._chance.randrange(start, n) if n > start and self._chance.random() < 1 / 3 else None
        reference = "" if answered is None else f"In-Reply-To: <{answered}@x.example>\n"
        head = f"From: w{n % 7}@x.example\nSubject: number {n}\nMessage-ID: <{n}@x.example>\n{reference}"
        raw = f"{head}\nText {n}\n".encode() * (1 + n % 3)
        self._roots.append(n if answered is None else self._roots[answered])
        self._root_of[sha256(raw.replace(b"\n", b"\r\n")).hexdigest()] = self._roots[n]
        return Mail(raw, flags=self._chance.choice(["", "S", "FS"]))

    def conversations(self, blobs: Mapping[UUID, str], messages: Iterable[UUID]) -> set[frozenset[UUID]]:
        """Those of `messages` that belong together; what was not sent from here stands alone."""
        together: defaultdict[object, set[UUID]] = defaultdict(set)
        for message in messages:
            together[self._root_of.get(blobs[message], message)].add(message)
        return set(map(frozenset, together.values()))


@contextmanager
def deliveries(dovecot: Dovecot, user: User, number: int) -> Iterator[None]:
    """New mail one after the other, for as long as the block lasts."""
    over = threading.Event()

    def deliver() -> None:
        n = 0
        while not over.wait(0.1):
            dovecot.deliver(user.name, f"Subject: delivered {number}.{n}\r\n\r\nNow.\r\n".encode())
            n += 1

    thread = threading.Thread(target=deliver)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def by_bytes(blobs: Mapping[UUID, str], messages: Mapping[UUID, frozenset[str]]) -> Counter[tuple[str, frozenset[str]]]:
    return Counter((blobs[message], flags) for message, flags in messages.items())


def disturb(dovecot: Dovecot, user: User, chance: random.Random) -> None:
    """Flags change and messages go, among those that are there already and those that are not."""
    with session(dovecot, user) as imap:
        imap.select("INBOX")
        uids = imap.uid("SEARCH", "ALL")[1][0].decode().split()
        chosen = chance.sample(uids, 12)
        imap.uid("STORE", ",".join(chosen[:6]), "+FLAGS.SILENT", r"(\Flagged \Seen)")
        imap.uid("STORE", ",".join(chosen[6:9]), "-FLAGS.SILENT", r"(\Seen)")
        imap.uid("STORE", ",".join(chosen[9:]), "+FLAGS.SILENT", r"(\Deleted)")
        imap.uid("EXPUNGE", ",".join(chosen[9:]))


def folded(running: Product) -> int:
    """How many messages the read model has placed."""
    return int(running.rows("SELECT count(*) FROM mail.placements")[0][0])


def ready(running: Product) -> bool:
    return all(running.child(name).running for name in KILLABLE) and running.ready()


def settle(running: Product, person: Person, dovecot: Dovecot, user: User) -> None:
    """Until the read model holds what the server holds; what differs after a minute is the test's failure."""
    truth = {
        path: {uid: (blob, sorted(flags)) for uid, (blob, flags) in placed.items()}
        for path, placed in held(dovecot, user).items()
    }

    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (state(person)["state"] != "live" or placed(running) != truth):
        running.running.watch()
        time.sleep(0.3)
    assert placed(running) == truth, running.last_words()
    assert state(person)["state"] == "live"
