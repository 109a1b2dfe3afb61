"""Whoever removes an account, or leaves, is gone: every store of a running installation is searched for what was theirs."""

import base64
import http.client
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

import pytest

from services.admin.__main__ import main
from services.embedded.browser import CSRF_COOKIE
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.installation import PASSWORD, Person, Product, connect, product
from tests.support.stores import Stores

MARKER = "quokkaflume"
"""Of the account that goes: in a subject, a body, an address, a name and an attachment, and nowhere else."""

OWN = f"""\
Message-ID: <{MARKER}.1@gone.test>
From: {MARKER.title()} <{MARKER}@gone.test>
To: Somebody <somebody@gone.test>
Date: Mon, 1 Jan 2024 10:00:00 +0000
Subject: {MARKER.upper()} and more
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/html

<p>All about {MARKER}</p>
--x
Content-Type: text/plain; name="{MARKER}.txt"
Content-Disposition: attachment; filename="{MARKER}.txt"
Content-Transfer-Encoding: base64

{base64.b64encode(MARKER.encode() * 40).decode()}
--x--
""".replace("\n", "\r\n").encode()
COMMON = b"Message-ID: <both@x.test>\r\nFrom: ben@x.test\r\nDate: Mon, 1 Jan 2024 11:00:00 +0000\r\nSubject: In both\r\n\r\nWords.\r\n"
KEPT = b"Message-ID: <kept@x.test>\r\nIn-Reply-To: <both@x.test>\r\nFrom: eva@x.test\r\nSubject: Re: In both\r\n\r\nMore.\r\n"


class World(NamedTuple):
    """Somebody with an account that goes and one that stays, who used both."""

    running: Product
    stores: Stores
    person: Person
    gone: str
    kept: str

    @property
    def user_id(self) -> str:
        return str(self.person.browser.get("/api/auth/me")["user_id"])


@pytest.fixture
def world(dovecot: Dovecot) -> Iterator[World]:
    one, other = dovecot.user(), dovecot.user()
    dovecot.load(one.name, [Mail(OWN), Mail(COMMON)])
    dovecot.load(other.name, [Mail(COMMON), Mail(KEPT)])
    with product() as running:
        person = running.register("wanda")
        gone, kept = connected(running, person, dovecot, one), connected(running, person, dovecot, other)
        use(running, person, gone)
        use(running, person, kept)
        yield World(running, Stores(running.environ, running.running.folder.root), person, gone, kept)


def connected(running: Product, person: Person, dovecot: Dovecot, user: User) -> str:
    account = str(connect(person, dovecot, user)["id"])
    running.until(lambda: len(threads(person, f"account:{account}")) >= 1, seconds=40)
    running.until(lambda: shown(person, account)["state"] == "live", seconds=40)
    return account


def use(running: Product, person: Person, account: str) -> None:
    """Everything that leaves something behind: acting, taking back, searching, reading, choosing, synchronizing, pictures."""
    lines = threads(person, f"account:{account}")
    ids = [one["id"] for one in lines]
    asked = ask(person, "POST", "/api/actions", {"action": "flags", "thread_ids": ids, "add": ["\\Seen"]}, key=account)
    for request in asked["requests"]:
        running.until(lambda one=request: entry(person, one["id"])["state"] == "applied", seconds=20)
        ask(person, "POST", f"/api/history/{request['id']}/undo", {}, key=f"undo {account}")
    for line in lines:
        for message in person.browser.get(f"/api/threads/{line['id']}")["messages"]:
            person.browser.get(f"/api/messages/{message['id']}")
            ask(person, "POST", f"/api/messages/{message['id']}/allow-remote-images", {"scope": "once"})
    ask(person, "PATCH", f"/api/accounts/{account}", {"display_name": "Renamed"})
    person.browser.post("/api/sync", {"accounts": [account]})
    everything = {"action": "flags", "view": f"account:{account}", "add": ["\\Seen"]}
    job = ask(person, "POST", "/api/actions/everything", everything)
    running.until(lambda: person.browser.get(f"/api/actions/jobs/{job['id']}")["settled"], seconds=20)
    running.rows("UPDATE accounts SET smtp = imap WHERE id = %s RETURNING id", account)
    write(person, account)
    running.until(lambda: shown(person, account)["state"] == "live", seconds=40)


def write(person: Person, account: str) -> None:
    """A draft with a file, from an identity of its own, and one that waits to be sent; with the marker if the mail has it."""
    word = MARKER if account_is_marked(person, account) else "ordinary"
    identity = {"email": f"{word}@me.test", "name": word, "signature": f"<p>{word}</p>"}
    own = person.browser.post(f"/api/accounts/{account}/identities", identity)
    new = {"kind": "new", "account_id": account, "identity_id": own["id"]}
    draft, waiting = (person.browser.post("/api/drafts", new) for _ in range(2))
    content = {
        "to": [{"name": word, "email": f"{word}@you.test"}],
        "cc": [],
        "bcc": [],
        "plain": False,
        "quote": "none",
    }
    saved = {**content, "revision": 0, "identity_id": own["id"], "subject": word, "html": f"<p>{word}</p>"}
    for one in (draft, waiting):
        ask(person, "PUT", f"/api/drafts/{one['id']}", saved)
    due = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    ask(person, "POST", "/api/send", {"draft_id": waiting["id"], "revision": 1, "due": due}, key=f"send {account}")
    text = f"a file about {word}".encode()
    upload = {"filename": f"{word}.txt", "size": len(text)}
    file = person.browser.post(f"/api/drafts/{draft['id']}/attachments", upload)
    ask(person, "PATCH", f"/api/drafts/{draft['id']}/attachments/{file['id']}?offset=0", text)


def account_is_marked(person: Person, account: str) -> bool:
    return any(MARKER in one["subject"].lower() for one in threads(person, f"account:{account}"))


def threads(person: Person, view: str) -> list[dict[str, Any]]:
    page: dict[str, Any] = person.browser.get(f"/api/threads?view={view}&limit=100")
    return page["threads"]


def shown(person: Person, account: str) -> dict[str, Any]:
    return next(one for one in person.browser.get("/api/accounts")["accounts"] if one["id"] == account)


def entry(person: Person, request: str) -> dict[str, Any]:
    found: dict[str, Any] = person.browser.get(f"/api/history/{request}")
    return found


def ask(person: Person, method: str, path: str, body: object, key: str = "") -> Any:
    """As the browser's client does it, with a key for repetitions."""
    connection = http.client.HTTPConnection(person.browser.address.removeprefix("http://"), timeout=60)
    cookies = person.browser._cookies
    headers = {
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        "X-CSRF": cookies[CSRF_COOKIE],
        "Origin": person.browser.address,
        "Content-Type": "application/octet-stream" if isinstance(body, bytes) else "application/json",
        **({"Idempotency-Key": key} if key else {}),
    }
    connection.request(method, path, body if isinstance(body, bytes) else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status < 300, (path, answer.status, text)
    return json.loads(text) if text else None


def in_logs(running: Product, *needles: str) -> list[str]:
    """Which logs hold any of them; ids are no secret there, and the operator's to keep or not."""
    texts = {path.name: path.read_text(errors="replace").lower() for path in running.running.folder.logs.iterdir()}
    return [name for name, text in texts.items() if any(needle.lower() in text for needle in needles)]


def gone_within(world: World, seconds: float, *needles: str) -> None:
    """Erasing and folding again take their time; whatever is left after it stays."""
    deadline = time.monotonic() + seconds
    while left := world.stores.holding(*needles):
        world.running.running.watch()
        assert time.monotonic() < deadline, "\n".join(left)
        time.sleep(1)


def verified(running: Product, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether what is left equals a rebuild, by the operator's own command."""
    with monkeypatch.context() as operator:
        for name, value in running.environ.items():
            operator.setenv(name, value)
        return main(["projections", "verify"]) == 0


def digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()


def test_nothing_of_a_removed_account_is_in_any_store(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    running, person = world.running, world.person
    ours = [world.gone, MARKER, as_stored(world, OWN), *ids_of(person, world.gone)]
    before = world.stores.holding(*ours)
    kinds = {place.partition(" ")[0] for place in before}
    assert kinds == {"table", "stream", "file"}, "the search finds what is there"

    ask(person, "DELETE", f"/api/accounts/{world.gone}", None)
    gone_within(world, 40, *ours)
    assert not in_logs(running, MARKER)
    assert verified(running, monkeypatch)

    common = as_stored(world, COMMON)
    assert any(place.startswith("file blobs/") for place in world.stores.holding(common))
    (line,) = threads(person, "unified")
    assert len(person.browser.get(f"/api/threads/{line['id']}")["messages"]) == 2


def test_nothing_of_who_left_is_in_any_store(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    running, person, user_id = world.running, world.person, world.user_id
    other = running.register("ben")
    blobs = [as_stored(world, one) for one in (OWN, COMMON, KEPT)]
    messages = [*ids_of(person, world.gone), *ids_of(person, world.kept)]
    ours = [user_id, world.gone, world.kept, person.handle, MARKER, *blobs, *messages]

    ask(person, "DELETE", "/api/auth/me", {"password": PASSWORD})
    gone_within(world, 40, *ours)
    assert not in_logs(running, MARKER, f"{person.handle}@")
    assert verified(running, monkeypatch)
    assert other.browser.get("/api/auth/me")["handle"].startswith("ben@")


def ids_of(person: Person, account: str) -> list[str]:
    """Of all that the log gave a name to in an account."""
    lines = threads(person, f"account:{account}")
    messages = [one for line in lines for one in person.browser.get(f"/api/threads/{line['id']}")["messages"]]
    mailboxes = shown(person, account)["mailboxes"]
    return [one["id"] for one in [*messages, *mailboxes] if one.get("account_id", account) == account]


def as_stored(world: World, raw: bytes) -> str:
    """The name of its blob."""
    name = digest(raw)
    assert world.stores.holding(name), "this is how the mail is stored"
    return name
