"""Writing and sending as a browser does, over the whole product: a draft in two places, sent once, filed once, taken back in time."""

import smtplib
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.dovecot import FULL, Dovecot, Mail, User
from tests.support.imap_truth import held
from tests.support.installation import Person, Product, product
from tests.support.smtp_sink import Sink, Taken, sink_beside

RAW = b"Message-ID: <1@send.test>\r\nFrom: Ann <%s>\r\nTo: me\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nSubject: Lunch\r\n\r\nToday?\r\n"


def test_a_person_writes_answers_and_takes_back(dovecot: Dovecot) -> None:
    me, friend = dovecot.user(), dovecot.user()
    dovecot.load(me.name, [Mail(RAW % friend.name.encode())])
    with sink_beside() as sink, product(DRAFTS_MIRRORED_EVERY="1", SEND_COPY_AWAITED="1") as running:
        sink.users = {me.name: me.password}
        sink.deliver = delivering(dovecot)
        person = running.register("ewa")
        connect(person, dovecot, me, sink)
        running.until(lambda: person.browser.get("/api/threads?view=unified")["threads"], seconds=60)
        a_new_mail_goes_out_once(running, person, dovecot, (me, friend), sink)
        an_answer_marks_what_it_answers(running, person, dovecot, me, sink)
        what_is_taken_back_stays_a_draft(running, person, sink)


def a_new_mail_goes_out_once(
    running: Product, person: Person, dovecot: Dovecot, people: tuple[User, User], sink: Sink
) -> None:
    me, friend = people
    draft = written(person, {"kind": "new"}, [friend.name], "Plan", "<p>Shall we?</p>")
    running.until(lambda: len(mailbox(dovecot, me, "Drafts")) == 1, seconds=30)
    sent = person.browser.post("/api/send", {"draft_id": draft["id"], "revision": draft["revision"]})
    at_once(person, sent["outbox_id"])
    running.until(lambda: send_of(person, sent)["filed"], seconds=40)
    assert send_of(person, sent)["state"] == "delivered"
    assert [one.recipients for one in sink.taken] == [[friend.name]]
    assert len(mailbox(dovecot, friend, "INBOX")) == 1
    ((_, flags),) = mailbox(dovecot, me, "Sent").values()
    assert "\\Seen" in flags
    assert mailbox(dovecot, me, "Drafts") == {}
    assert person.browser.get("/api/drafts")["drafts"] == []


def an_answer_marks_what_it_answers(running: Product, person: Person, dovecot: Dovecot, me: User, sink: Sink) -> None:
    (thread,) = [one for one in person.browser.get("/api/threads?view=unified")["threads"] if one["subject"] == "Lunch"]
    (message,) = person.browser.get(f"/api/threads/{thread['id']}")["messages"]
    draft = person.browser.post("/api/drafts", {"kind": "reply", "message_id": message["id"]})
    sent = person.browser.post("/api/send", {"draft_id": draft["id"], "revision": draft["revision"]})
    at_once(person, sent["outbox_id"])
    running.until(lambda: send_of(person, sent)["filed"], seconds=40)
    assert b"In-Reply-To: <1@send.test>" in sink.taken[-1].raw
    ((_, flags),) = mailbox(dovecot, me, "INBOX").values()
    assert "\\Answered" in flags
    running.until(lambda: len(person.browser.get(f"/api/threads/{thread['id']}")["messages"]) == 2, seconds=30)


def what_is_taken_back_stays_a_draft(running: Product, person: Person, sink: Sink) -> None:
    before = len(sink.taken)
    draft = written(person, {"kind": "new"}, ["nobody@x.example"], "Never mind", "<p>Angry words</p>")
    sent = person.browser.post("/api/send", {"draft_id": draft["id"], "revision": draft["revision"]})
    assert person.browser.post(f"/api/send/{sent['outbox_id']}/undo", {})["draft_id"] == draft["id"]
    running.until(lambda: send_of(person, sent)["state"] == "cancelled", seconds=20)
    assert [one["id"] for one in person.browser.get("/api/drafts")["drafts"]] == [draft["id"]]
    assert len(sink.taken) == before


def connect(person: Person, dovecot: Dovecot, user: User, sink: Sink) -> None:
    known = {"host": FULL, "tls": "none", "username": user.name, "password": user.password}
    account = {"email": user.name, "display_name": "Me", "imap": known | {"port": dovecot.port}}
    person.browser.post("/api/accounts", account | {"smtp": known | {"port": sink.port}})


def written(person: Person, wish: dict[str, Any], to: list[str], subject: str, html: str) -> dict[str, Any]:
    draft = person.browser.post("/api/drafts", wish)
    content = {
        "revision": draft["revision"],
        "identity_id": draft["identity_id"],
        "to": [{"name": "", "email": one} for one in to],
        "cc": [],
        "bcc": [],
        "subject": subject,
        "html": html,
        "plain": False,
        "quote": "none",
    }
    saved: dict[str, Any] = person.browser._json("PUT", f"/api/drafts/{draft['id']}", content)["draft"]
    return saved


def at_once(person: Person, outbox_id: str) -> None:
    person.browser._json("PATCH", f"/api/send/{outbox_id}", {"due": None})


def send_of(person: Person, sent: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = person.browser.get(f"/api/send/{sent['outbox_id']}")
    return found


def mailbox(dovecot: Dovecot, user: User, path: str) -> dict[int, tuple[str, frozenset[str]]]:
    return held(dovecot, user).get(path, {})


def delivering(dovecot: Dovecot) -> Callable[[Taken], Awaitable[None]]:
    """Into the mailboxes of whoever has one there."""

    async def deliver(taken: Taken) -> None:
        with smtplib.LMTP(FULL, dovecot.lmtp_port) as lmtp:
            lmtp.sendmail(taken.sender, [one for one in taken.recipients if one.endswith("@example.test")], taken.raw)

    return deliver
