"""Adding and removing an account: tested by sync, sealed, a fact in the log, and nothing left of what did not work."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
from nats.aio.msg import Msg

from contracts import codec
from contracts.facts import AccountConnected, AccountRemoved
from contracts.subjects import AccountSubjects
from services import positions, vault
from services.gateway.accounts import connect
from services.gateway.accounts.advice import ADVICE
from services.gateway.deps import Gateway, as_user
from services.log import api
from services.state import accounts
from services.state.accounts import Endpoint

SYNC_KEY = bytes(range(32))
SECRET = "s3cret of anna"
IMAP = {"host": "IMAP.example.org", "port": 993, "tls": "ssl", "username": "anna", "password": SECRET}
SMTP = {"host": "smtp.example.org", "port": 587, "tls": "starttls", "username": "anna", "password": "another"}
WISH = {"email": "anna@example.org", "display_name": "Anna", "imap": IMAP, "smtp": SMTP}


class Sync:
    """Answers as the sync worker does, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: bytes = b'{"ok": true}'
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def take(self, message: Msg) -> None:
        self.asked.append(json.loads(message.data))
        await self.may_answer.wait()
        await message.respond(self.answer)


@pytest.fixture
async def sync(parts: Gateway) -> AsyncIterator[Sync]:
    fake = Sync()
    subscription = await parts.log.subscribe(connect.SUBJECT, cb=fake.take)
    yield fake
    await subscription.unsubscribe()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No projector runs here, so there is nothing to wait for."""
    monkeypatch.setattr(positions, "PATIENCE", 0)


@pytest.fixture
async def anna(browser: Any) -> dict[str, Any]:
    me: dict[str, Any] = await browser.enter("anna")
    return me


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def rows(parts: Gateway, me: dict[str, Any]) -> list[tuple[str, bool]]:
    async with as_user(parts.db, UUID(me["user_id"])) as db:
        found = await db.fetch("SELECT status, settled FROM accounts ORDER BY created_at")
    return [(row["status"], row["settled"]) for row in found]


async def last_fact(parts: Gateway, me: dict[str, Any], account_id: str) -> object:
    user_id = UUID(me["user_id"])
    subject = AccountSubjects(parts.partition(user_id), user_id, UUID(account_id)).account
    stored = await api.last(parts.log, parts.partition(user_id), subject)
    return codec.decode(stored.data) if stored else None


async def test_an_account_that_works_is_active_and_in_the_log(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    answer = await browser.post("/api/accounts", json=WISH)
    assert answer.status_code == 201, answer.text
    account = answer.json()
    assert (account["email"], account["state"], account["mailboxes"]) == ("anna@example.org", "connecting", [])
    assert await rows(parts, anna) == [("active", True)]
    assert isinstance(await last_fact(parts, anna, account["id"]), AccountConnected)
    assert (await browser.get("/api/accounts")).json() == {"accounts": [account]}


async def jobs_of(parts: Gateway, me: dict[str, Any]) -> list[tuple[str, str, str]]:
    jobs = await parts.jobs.of_user(UUID(me["user_id"]))
    return [(str(job.account_id), job.kind, job.state) for job in jobs]


async def test_a_new_account_has_a_job_for_its_first_sync(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    account = (await browser.post("/api/accounts", json=WISH)).json()["id"]
    assert await jobs_of(parts, anna) == [(account, "bootstrap", "queued")]


async def test_a_gateway_that_died_after_the_job_makes_no_second_one(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = (await browser.post("/api/accounts", json=WISH)).json()["id"]
    async with as_user(parts.db, UUID(anna["user_id"])) as db:
        await db.execute("UPDATE accounts SET status = 'pending', settled = false WHERE id = $1", UUID(account))
    monkeypatch.setattr(connect, "ABANDONED", timedelta(0))
    await connect.finish(parts)
    assert await rows(parts, anna) == [("active", True)]
    assert await jobs_of(parts, anna) == [(account, "bootstrap", "queued")]


async def test_the_ninth_account_is_connected_and_its_job_says_that_there_was_no_room(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    for n in range(9):
        answer = await browser.post("/api/accounts", json={**WISH, "email": f"a{n}@example.org"})
        assert answer.status_code == 201
    last, *others = await parts.jobs.of_user(UUID(anna["user_id"]))
    assert (str(last.account_id), last.state, last.code) == (answer.json()["id"], "failed", "too_many_jobs")
    assert {job.state for job in others} == {"queued"}


async def test_a_removed_account_takes_up_no_room_for_jobs(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    account = (await browser.post("/api/accounts", json=WISH)).json()["id"]
    await browser.delete(f"/api/accounts/{account}")
    assert await jobs_of(parts, anna) == [(account, "bootstrap", "cancelled")]


async def test_only_sync_can_open_what_the_gateway_sealed(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    answer = await browser.post("/api/accounts", json=WISH)
    (asked,) = sync.asked
    opened = vault.Credentials.decoded(vault.unseal(SYNC_KEY, base64.b64decode(asked.pop("sealed"))))
    assert (opened.imap_password, opened.smtp_password) == (SECRET, "another")
    assert asked == {
        "user_id": anna["user_id"],
        "account_id": answer.json()["id"],
        "email": "anna@example.org",
        "imap": {"host": "imap.example.org", "port": 993, "tls": "ssl", "username": "anna", "auth": "password"},
        "smtp": {"host": "smtp.example.org", "port": 587, "tls": "starttls", "username": "anna", "auth": "password"},
    }
    async with as_user(parts.db, UUID(anna["user_id"])) as db:
        kept = await db.fetchval("SELECT accounts::text FROM accounts")
    assert SECRET not in kept + answer.text + json.dumps(asked)


@pytest.mark.parametrize("code", [*ADVICE, "something_new"])
async def test_the_servers_own_words_come_with_what_to_do(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync, code: str
) -> None:
    sync.answer = json.dumps({"error": {"code": code, "detail": "[AUTH] No such luck"}}).encode()
    answer = await browser.post("/api/accounts", json=WISH)
    assert error(answer) == (422, code)
    message = answer.json()["error"]["message"]
    assert message.startswith(ADVICE.get(code, "The server did not accept this account."))
    spoke = code not in {"unknown_host", "private_address", "connect_timeout", "timeout", "refused"}
    assert message.endswith(": [AUTH] No such luck") == spoke
    assert await rows(parts, anna) == []


async def test_without_sync_nothing_is_left(browser: Any, anna: dict[str, Any], parts: Gateway) -> None:
    assert error(await browser.post("/api/accounts", json=WISH)) == (503, "sync_unavailable")
    assert await rows(parts, anna) == []


@pytest.mark.parametrize("answer", [b"", b"{", b"[]", b'{"ok": "yes"}'])
async def test_an_answer_that_makes_no_sense_counts_as_none(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync, answer: bytes
) -> None:
    sync.answer = answer
    assert error(await browser.post("/api/accounts", json=WISH)) == (503, "sync_unavailable")
    assert await rows(parts, anna) == []


async def test_nobody_tries_the_doors_of_servers_for_long(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    sync.answer = b'{"error": {"code": "refused"}}'
    for _ in range(connect.TRIES):
        assert (await browser.post("/api/accounts", json=WISH)).status_code == 422
    answer = await browser.post("/api/accounts", json=WISH)
    assert error(answer) == (429, "too_many_attempts")
    assert int(answer.headers["retry-after"]) > 0
    assert len(sync.asked) == connect.TRIES


async def test_an_address_is_connected_once_whatever_its_case(browser: Any, anna: dict[str, Any], sync: Sync) -> None:
    assert (await browser.post("/api/accounts", json=WISH)).status_code == 201
    again = await browser.post("/api/accounts", json={**WISH, "email": "ANNA@example.org"})
    assert error(again) == (409, "account_exists")


async def test_two_tries_at_once_connect_it_once(browser: Any, anna: dict[str, Any], sync: Sync) -> None:
    answers = await asyncio.gather(*(browser.post("/api/accounts", json=WISH) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]


async def test_each_account_has_a_colour_of_its_own(browser: Any, anna: dict[str, Any], sync: Sync) -> None:
    for n in range(9):
        await browser.post("/api/accounts", json={**WISH, "email": f"a{n}@example.org"})
    colors = [account["color"] for account in (await browser.get("/api/accounts")).json()["accounts"]]
    assert len(set(colors[:8])) == 8
    assert colors[8] == colors[0]
    wished = await browser.post("/api/accounts", json={**WISH, "email": "own@example.org", "color": "#123abc"})
    assert wished.json()["color"] == "#123abc"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"email": "anna"}, "email"),
        ({"email": "anna@exa mple.org"}, "email"),
        ({"email": "anna@example.org\r\nX"}, "email"),
        ({"color": "red"}, "color"),
        ({"imap": {**IMAP, "host": ""}}, "imap.host"),
        ({"imap": {**IMAP, "host": "imap.example.org/x"}}, "imap.host"),
        ({"imap": {**IMAP, "host": "user@imap.example.org"}}, "imap.host"),
        ({"imap": {**IMAP, "port": 0}}, "imap.port"),
        ({"imap": {**IMAP, "port": 65536}}, "imap.port"),
        ({"imap": {**IMAP, "tls": "none"}}, "imap.tls"),
        ({"smtp": {**SMTP, "tls": "none", "host": "localhost.example.org"}}, "smtp.tls"),
        ({"imap": {**IMAP, "password": ""}}, "imap.password"),
        ({"imap": {**IMAP, "username": "a\0b"}}, "imap.username"),
    ],
)
async def test_settings_that_can_not_work_are_refused_before_anything_is_tried(
    browser: Any, anna: dict[str, Any], sync: Sync, change: dict[str, Any], field: str
) -> None:
    answer = await browser.post("/api/accounts", json={**WISH, **change})
    assert error(answer) == (400, "invalid_account")
    assert answer.json()["error"]["message"].startswith(f"{field}: ")
    assert sync.asked == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
async def test_this_machine_itself_needs_no_tls(browser: Any, anna: dict[str, Any], sync: Sync, host: str) -> None:
    wish = {**WISH, "imap": {**IMAP, "host": host, "tls": "none"}, "smtp": None}
    assert (await browser.post("/api/accounts", json=wish)).status_code == 201
    assert sync.asked[0]["smtp"] is None


async def test_a_removed_account_is_gone_at_once_and_may_come_back(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync
) -> None:
    account = (await browser.post("/api/accounts", json=WISH)).json()["id"]
    assert (await browser.delete(f"/api/accounts/{account}")).status_code == 204
    assert (await browser.get("/api/accounts")).json() == {"accounts": []}
    assert isinstance(await last_fact(parts, anna, account), AccountRemoved)
    assert error(await browser.delete(f"/api/accounts/{account}")) == (404, "not_found")
    assert (await browser.post("/api/accounts", json=WISH)).status_code == 201
    assert await rows(parts, anna) == [("removed", True), ("active", True)]


async def left_behind(parts: Gateway, me: dict[str, Any], email: str) -> UUID:
    """What a gateway leaves that dies right after its first step."""
    server = Endpoint(host="imap.example.org", port=993, tls="ssl", username="anna")
    async with as_user(parts.db, UUID(me["user_id"])) as db:
        return await accounts.add(
            db, UUID(me["user_id"]), email=email, display_name="", color=None, imap=server, smtp=None
        )


async def test_what_a_dead_gateway_left_is_finished_by_what_the_log_says(
    browser: Any, anna: dict[str, Any], parts: Gateway, sync: Sync, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = (await browser.post("/api/accounts", json=WISH)).json()["id"]
    removed = (await browser.post("/api/accounts", json={**WISH, "email": "b@example.org"})).json()["id"]
    await left_behind(parts, anna, "never@example.org")
    async with as_user(parts.db, UUID(anna["user_id"])) as db:
        await db.execute("UPDATE accounts SET status = 'pending', settled = false WHERE id = $1", UUID(connected))
        await accounts.remove(db, UUID(anna["user_id"]), UUID(removed))
    await connect.finish(parts)
    assert len(await rows(parts, anna)) == 3
    monkeypatch.setattr(connect, "ABANDONED", timedelta(0))
    await connect.finish(parts)
    assert await rows(parts, anna) == [("active", True), ("removed", True)]
    assert isinstance(await last_fact(parts, anna, removed), AccountRemoved)


async def test_a_password_is_in_no_log_line(
    browser: Any, anna: dict[str, Any], sync: Sync, capfd: pytest.CaptureFixture[str]
) -> None:
    sync.answer = b'{"error": {"code": "auth_failed", "detail": "no"}}'
    await browser.post("/api/accounts", json=WISH)
    await browser.post("/api/accounts", json={**WISH, "imap": {**IMAP, "port": "x"}})
    out, err = capfd.readouterr()
    assert SECRET not in out + err
    assert "anna@example.org" not in out + err
