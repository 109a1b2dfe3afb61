"""Twenty people act on their mail at once: how soon each change is shown, and how soon their mail server has done it.

python -m tests.bench.act [--quick]
"""

import random
import statistics
import threading
import time
from typing import NamedTuple

from tests.bench.processes import costs, since
from tests.bench.report import arguments, conclude, p95, table
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.imap_truth import held
from tests.support.installation import Person, Product, connect, product, state

GOAL = (
    "p95 at most 30 ms until the answer shows a change, 300 ms until the mail server has done it; all equal in the end"
)
USERS = 20
MAILS = 20
THINKING = (1.0, 3.0)
"""Seconds between two changes of one person."""

APPLIED = "SELECT extract(epoch FROM settled_at - at)::float8 FROM history.requests WHERE state = 'applied'"


class Someone(NamedTuple):
    """A person, and their account."""

    person: Person
    user: User
    messages: list[str]


def main(*, quick: bool) -> None:
    times = 6 if quick else 60
    with Dovecot() as dovecot, product(POLL_WARM="60") as running:
        people = [begin(running, dovecot, number) for number in range(USERS)]
        running.until(lambda: all(state(one.person)["state"] == "live" for one in people), seconds=120)
        for one in people:
            running.until(lambda one=one: len(lines(one.person)) == MAILS, seconds=60)
            one.messages.extend(ids(one.person))
        shown: list[float] = []
        refused: list[int] = []
        before = costs()
        acting = [threading.Thread(target=act, args=(one, times, n, shown, refused)) for n, one in enumerate(people)]
        for thread in acting:
            thread.start()
        for thread in acting:
            thread.join()
        asked = USERS * times
        running.until(lambda: len(running.rows(APPLIED)) == asked, seconds=60)
        spent = since(before)
        done = [seconds for (seconds,) in running.rows(APPLIED)]
        running.until(lambda: all(equal(dovecot, one) for one in people), seconds=60, every=0.5)
    rows = [
        ("until the answer shows it", statistics.median(shown) * 1000, p95(shown)),
        ("until the mail server has done it", statistics.median(done) * 1000, p95(done)),
    ]
    table(("ms", "median", "p95"), rows)
    table(("CPU of a change", "ms"), [(name, cost.cpu / asked * 1000) for name, cost in spent.items()])
    figure = {"shown_p95_ms": round(p95(shown)), "applied_p95_ms": round(p95(done)), "changes": asked}
    certain = len(shown) == asked and not refused
    conclude("act", GOAL, figure, certain=certain, measured=p95(shown) <= 30 and p95(done) <= 300)


def begin(running: Product, dovecot: Dovecot, number: int) -> Someone:
    user = dovecot.user()
    raw = b"Message-ID: <%d@act.example>\r\nFrom: a@x.example\r\nSubject: message %d\r\n\r\nHello.\r\n"
    dovecot.load(user.name, [Mail(raw % (n, n)) for n in range(MAILS)])
    person = running.register(f"bench{number}")
    connect(person, dovecot, user)
    return Someone(person, user, [])


def lines(person: Person) -> list[dict[str, object]]:
    found: list[dict[str, object]] = person.browser.get("/api/threads?view=unified&limit=100")["threads"]
    return found


def ids(person: Person) -> list[str]:
    threads = [person.browser.get(f"/api/threads/{line['id']}?expand=0") for line in lines(person)]
    return [thread["messages"][0]["id"] for thread in threads]


def act(one: Someone, times: int, seed: int, shown: list[float], refused: list[int]) -> None:
    """Each change is of what was not so before, and is in the answer's read model: 200, never 202."""
    dice = random.Random(seed)
    starred: set[str] = set()
    for _ in range(times):
        time.sleep(dice.uniform(*THINKING))
        message = dice.choice(one.messages)
        flags = {"remove" if message in starred else "add": ["\\Flagged"]}
        starred ^= {message}
        started = time.perf_counter()
        answer = one.person.browser.post(f"/api/messages/{message}/flags", flags)
        shown.append(time.perf_counter() - started)
        refused += [] if len(answer["requests"]) == 1 else [1]


def equal(dovecot: Dovecot, one: Someone) -> bool:
    """Whether the server has the stars that are shown."""
    truth = sum("\\Flagged" in flags for _, flags in held(dovecot, one.user)["INBOX"].values())
    return truth == sum(line["starred"] is True for line in lines(one.person))


if __name__ == "__main__":
    main(quick=arguments(__doc__ or "").quick)
