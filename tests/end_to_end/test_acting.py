"""Acting on mail as a browser does, over the whole product: shown at once, done on the server, seen in the history, taken back."""

from typing import Any

import pytest

from services.embedded.browser import ApiError
from tests.support.dovecot import FULL, Dovecot, Mail, User
from tests.support.imap_truth import held, session
from tests.support.installation import Person, Product, connect, product, state
from tests.support.pymap_server import PymapServer

RAW = b"Message-ID: <%d@act.test>\r\nFrom: a@x.test\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nSubject: Number %d\r\n\r\nText %d\r\n"


def test_a_person_acts_on_mail_and_takes_it_back(dovecot: Dovecot, pymap_server: PymapServer) -> None:
    user = dovecot.user()
    dovecot.load(user.name, [Mail(RAW % (n, n, n)) for n in range(6)])
    with product() as running:
        person = running.register("wanda")
        connect(person, dovecot, user)
        running.until(lambda: len(threads(person)) == 6, seconds=60)
        star_and_take_back(running, person, dovecot, user)
        throw_away_and_take_back(running, person, dovecot, user)
        refusals(person)
        archive_where_there_is_no_archive(running, running.register("jan"), pymap_server)


def threads(person: Person, view: str = "unified") -> list[dict[str, Any]]:
    page: dict[str, Any] = person.browser.get(f"/api/threads?view={view}&limit=100")
    return page["threads"]


def star_and_take_back(running: Product, person: Person, dovecot: Dovecot, user: User) -> None:
    first, *_ = threads(person)
    body = {"add": ["\\Flagged", "\\Seen"]}
    answer = person.browser.post(f"/api/threads/{first['id']}/flags", body)
    assert [one["messages"] for one in answer["requests"]] == [1]
    (again, *_) = [one for one in threads(person) if one["id"] == first["id"]]
    assert (again["starred"], again["unread_count"]) == (True, 0)
    assert person.browser.post(f"/api/threads/{first['id']}/flags", body)["requests"] == []
    (request,) = answer["requests"]
    running.until(lambda: entry(person, request["id"])["state"] == "applied", seconds=20)
    assert flags(dovecot, user, "INBOX") == [[], [], [], [], [], ["\\Flagged", "\\Seen"]]
    person.browser.post(f"/api/history/{request['id']}/undo", {})
    running.until(lambda: flags(dovecot, user, "INBOX") == [[]] * 6, seconds=20)
    assert entry(person, request["id"])["undoable"] is False
    with pytest.raises(ApiError, match="taken back already"):
        person.browser.post(f"/api/history/{request['id']}/undo", {})


def archive_where_there_is_no_archive(running: Product, person: Person, server: PymapServer) -> None:
    user = server.user
    with session(server, user) as imap:
        imap.append("INBOX", None, None, RAW % (1, 1, 1))  # type: ignore[arg-type]  # typeshed wants flags and a date
    imap_server = {"host": FULL, "port": server.port, "tls": "none", "username": user.name, "password": user.password}
    account = person.browser.post(
        "/api/accounts", {"email": user.name, "display_name": "", "imap": imap_server, "smtp": None}
    )
    running.until(lambda: threads(person), seconds=30)
    archive = {"action": "archive", "thread_ids": [one["id"] for one in threads(person)], "view": "unified"}
    with pytest.raises(ApiError) as refused:
        person.browser.post("/api/actions", archive)
    assert (refused.value.status, refused.value.code) == (409, "no_mailbox_for")
    made = person.browser.post(f"/api/accounts/{account['id']}/mailboxes", {"name": "Zapisane ąć", "use": "archive"})
    running.until(lambda: use_of(person, made["id"]) == "archive", seconds=30)
    assert [one["messages"] for one in person.browser.post("/api/actions", archive)["requests"]] == [1]
    assert threads(person) == []
    assert len(threads(person, f"mailbox:{made['id']}")) == 1
    running.until(lambda: len(held(server, user)["Zapisane ąć"]) == 1, seconds=20)


def throw_away_and_take_back(running: Product, person: Person, dovecot: Dovecot, user: User) -> None:
    ids = [one["id"] for one in threads(person)]
    thrown = person.browser.post("/api/actions", {"action": "trash", "thread_ids": ids})["requests"]
    assert threads(person) == []
    running.until(lambda: len(held(dovecot, user)["Trash"]) == 6, seconds=20)
    for request in thrown:
        running.until(lambda one=request: entry(person, one["id"])["state"] == "applied", seconds=20)
        person.browser.post(f"/api/history/{request['id']}/undo", {})
    assert len(threads(person)) == 6
    running.until(lambda: len(held(dovecot, user)["INBOX"]) == 6, seconds=20)
    history = person.browser.get("/api/history")["entries"]
    assert [one["kind"] for one in history] == ["move", "move", "flags", "flags"]
    assert history[0]["by"] == f"undo:{thrown[0]['id']}"
    of_thread = person.browser.get(f"/api/threads/{ids[0]}/history")["entries"]
    assert of_thread[0]["id"] == history[0]["id"]


def refusals(person: Person) -> None:
    first, *_ = threads(person)
    with pytest.raises(ApiError) as refused:
        person.browser.post("/api/actions", {"action": "delete", "thread_ids": [first["id"]]})
    assert (refused.value.status, refused.value.code) == (409, "not_in_trash")


def entry(person: Person, request: str) -> dict[str, Any]:
    found: dict[str, Any] = person.browser.get(f"/api/history/{request}")
    return found


def flags(dovecot: Dovecot, user: User, path: str) -> list[list[str]]:
    return sorted(sorted(one) for _, one in held(dovecot, user)[path].values())


def use_of(person: Person, mailbox_id: str) -> str | None:
    found = [one for one in state(person)["mailboxes"] if one["id"] == mailbox_id]
    return found[0]["special_use"] if found else None
