"""Everything that a search finds is moved, while the gateway and outbound are killed: right on the server, asked once, honestly told."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from contracts.facts import MoveRequested, RequestApplied
from services.embedded.errors import EmbeddedError
from tests.support.dovecot import Dovecot, Mail
from tests.support.imap_truth import held
from tests.support.installation import Person, Product, connect, product
from tests.support.shown import told, verify

RAW = b"Message-ID: <%d@bulk.test>\r\nFrom: a@x.test\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nSubject: %s %d\r\n\r\nText\r\n"
KEPT = 50
"""Messages that the search does not find."""


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_everything_that_a_search_finds_is_moved_whatever_is_killed(dovecot: Dovecot, count: int) -> None:
    user = dovecot.user()
    dovecot.doveadm("mailbox", "create", "-u", user.name, "-s", "Orders")
    mails = [Mail(RAW % (n, b"Walrus" if n < count else b"Note", n)) for n in range(count + KEPT)]
    dovecot.load(user.name, mails)
    with product() as running:
        person = running.register("wanda")
        account = connect(person, dovecot, user)
        running.until(lambda: searchable(running) == count + KEPT, seconds=120 + count / 50, every=0.5)
        job = begin(person, mailbox(person, "Orders"))
        assert job["total"] == count
        seen = follow(running, person, job["id"], kills=["gateway", "outbound", "gateway"][: count // 1_000])
        assert (seen[-1]["state"], seen[-1]["done"], seen[-1]["refused"]) == ("done", count, 0)
        truth = held(dovecot, user)
        assert {path: len(placed) for path, placed in truth.items() if placed} == {"Orders": count, "INBOX": KEPT}
        once(running, person, account["id"], count)
        verify(running)


def follow(running: Product, person: Person, job_id: str, *, kills: list[str]) -> list[dict[str, Any]]:
    """Until the job is settled: all that it said of itself, which may only grow. Something is killed whenever it has advanced."""
    seen: list[dict[str, Any]] = []
    left = [*kills]

    def ended() -> bool:
        try:
            now: dict[str, Any] = person.browser.get(f"/api/actions/jobs/{job_id}")
        except EmbeddedError:  # it is away
            return False
        if not seen or counts(now) != counts(seen[-1]):
            seen.append(now)
            if left and now["asked"]:
                running.kill(left.pop(0))
        return bool(now["settled"])

    running.until(ended, seconds=240, every=0.05)
    running.until(running.ready, seconds=60)
    assert left == []
    for earlier, later in pairwise(seen):
        assert all(a <= b for a, b in zip(counts(earlier), counts(later), strict=True)), (earlier, later)
    assert all(one["done"] + one["refused"] <= one["asked"] <= one["total"] for one in seen)
    return seen


def once(running: Product, person: Person, account_id: str, count: int) -> None:
    """No message was asked for twice, and none moved twice."""
    facts = told(running, person, account_id)
    requests = [fact for fact in facts if isinstance(fact, MoveRequested)]
    outcomes = [fact for fact in facts if isinstance(fact, RequestApplied)]
    assert len({one.request_id for one in requests}) == len(requests) == len(outcomes)
    asked = Counter(message for one in requests for message in one.message_ids)
    assert (len(asked), set(asked.values())) == (count, {1})


def counts(job: dict[str, Any]) -> tuple[int, int, int]:
    return job["asked"], job["done"], job["refused"]


def begin(person: Person, target: str) -> dict[str, Any]:
    wish = {"action": "move", "view": "search", "q": "walrus", "mailbox_id": target}
    job: dict[str, Any] = person.browser.post("/api/actions/everything", wish)
    return job


def searchable(running: Product) -> int:
    """Messages that are shown and that a search can find: each read model folds by itself."""
    statement = "SELECT least((SELECT count(*) FROM search.docs), (SELECT count(*) FROM mail.placements))"
    return int(running.rows(statement)[0][0])


def mailbox(person: Person, path: str) -> str:
    (found,) = [one for one in person.browser.get("/api/accounts")["accounts"][0]["mailboxes"] if one["path"] == path]
    return str(found["id"])
