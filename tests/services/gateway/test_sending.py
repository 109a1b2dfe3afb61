"""Sending a draft: what is checked, what is kept and told, once for each key; taking it back, another time, and trying again."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts import codec
from contracts.facts import (
    Fact,
    SendAttempted,
    SendCancelled,
    SendDelivered,
    SendEdited,
    SendFailed,
    SendQueued,
    SendUnconfirmed,
)
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services import positions
from services.gateway.deps import Gateway, as_user
from services.gateway.sending import queuing
from services.log import api
from services.log.append import append_send
from services.state import sends
from services.state.sends import Content
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_drafts import begin, save, saved

BOB = {"name": "Bob", "email": "bob@x.example"}
SMTP = {"host": "smtp.example.org", "port": 465, "tls": "ssl", "username": "anna@example.org"}


class Outbox:
    """Anna's: what the log and the store have of what she sends."""

    def __init__(self, browser: Browser, inbox: Mail, parts: Gateway) -> None:
        self.browser, self.inbox, self.parts = browser, inbox, parts
        self.user, self.account = inbox.account.user_id, inbox.account.account_id

    async def draft(self, **change: Any) -> dict[str, Any]:
        content = {"to": [BOB], "subject": "Plan", "html": "<p>Words</p>"} | change
        return await saved(self.browser, await begin(self.browser), **content)

    async def send(self, draft: dict[str, Any], key: str | None = None, **more: Any) -> Any:
        body = {"draft_id": draft["id"], "revision": draft["revision"], **more}
        return await self.browser.post("/api/send", json=body, headers={"Idempotency-Key": key} if key else {})

    async def sent(self, draft: dict[str, Any] | None = None, **more: Any) -> str:
        """Its id; the read model knows it."""
        answer = await self.send(draft or await self.draft(), **more)
        id_: str = taken(answer)["outbox_id"]
        await self.inbox.told((await self.last(id_))[1])
        return id_

    async def last(self, outbox_id: str) -> tuple[int, Fact]:
        account = AccountSubjects(self.parts.partition(self.user), self.user, self.account)
        found = await api.last(self.parts.log, account.partition, account.send(UUID(outbox_id)))
        assert found is not None
        return found.sequence, codec.decode_at(found.subject, found.data)

    async def says(self, kind: type[Any], outbox_id: str, **what: Any) -> None:
        """Outbound, in the log and in the read model."""
        fact = self.inbox.account.fact(kind, outbox_id=UUID(outbox_id), **what)
        account = AccountSubjects(self.parts.partition(self.user), self.user, self.account)
        subject = account.send(UUID(outbox_id))
        await append_send(self.parts.log, subject, fact, expected=(await self.last(outbox_id))[0])
        await self.inbox.told(fact)

    async def content(self, outbox_id: str) -> Content:
        async with as_user(self.parts.db, self.user) as db:
            return (await sends.contents(db, self.user, [UUID(outbox_id)]))[UUID(outbox_id)]

    async def message(self, outbox_id: str) -> EmailMessage:
        raw = await self.parts.blobs.get(self.user, (await self.content(outbox_id)).raw)
        found = message_from_bytes(raw, policy=policy.default)
        assert isinstance(found, EmailMessage)
        return found

    async def listed(self, state: str = "open") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.browser.get("/api/send", params={"state": state})).json()["sends"]
        return found

    async def one(self, outbox_id: str) -> dict[str, Any]:
        found: dict[str, Any] = (await self.browser.get(f"/api/send/{outbox_id}")).json()
        return found


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The read model is told by hand here."""
    monkeypatch.setattr(positions, "PATIENCE", 0)


@pytest.fixture
async def outbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]], parts: Gateway, owner: Pool) -> Outbox:
    inbox = await mail_of(await browser.enter("anna"))
    await owner.execute("UPDATE accounts SET smtp = $1", json.dumps(SMTP))
    return Outbox(browser, inbox, parts)


def taken(answer: Any) -> dict[str, Any]:
    """202 when the read model is behind, which here it is by chance."""
    assert answer.status_code in {200, 202}, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_draft_becomes_a_message_in_the_store_and_a_fact_that_says_when(outbox: Outbox) -> None:
    draft = await outbox.draft(
        cc=[{"name": "", "email": "Carl@Żółw.example"}], bcc=[{"name": "D", "email": "d@x.example"}]
    )
    before = datetime.now(UTC)
    answer = await outbox.send(draft)
    queued = taken(answer)
    position, fact = await outbox.last(queued["outbox_id"])
    assert isinstance(fact, SendQueued)
    assert (fact.draft_id, fact.revision, position) == (UUID(draft["id"]), draft["revision"], queued["position"])
    assert before + timedelta(seconds=10) <= fact.due <= datetime.now(UTC) + timedelta(seconds=10)
    assert datetime.fromisoformat(queued["due"]) == datetime.fromisoformat(queued["undo_until"]) == fact.due
    content = await outbox.content(queued["outbox_id"])
    assert content.envelope_from == "anna@example.org"
    assert [one.email for one in content.envelope_to] == ["bob@x.example", "Carl@xn--w-uga1v8h.example", "d@x.example"]
    assert [one.name for one in content.envelope_to] == ["Bob", "", "D"]
    message = await outbox.message(queued["outbox_id"])
    assert (message["Subject"], message["To"], message["Bcc"]) == ("Plan", "Bob <bob@x.example>", "D <d@x.example>")
    assert message["Message-ID"] == content.message_id_header
    body = message.get_body(("plain",))
    assert body is not None
    assert body.get_content().strip() == "Words"


async def test_the_undo_window_is_the_users_own(outbox: Outbox) -> None:
    await outbox.browser.patch("/api/settings", json={"undo_window": 0})
    queued = (await outbox.send(await outbox.draft())).json()
    assert datetime.fromisoformat(queued["due"]) <= datetime.now(UTC)


async def test_the_same_key_is_one_send_also_at_the_same_time(outbox: Outbox) -> None:
    draft = await outbox.draft()
    answers = await asyncio.gather(*(outbox.send(draft, "k") for _ in range(5)))
    assert all(map(taken, answers))
    assert len({answer.text for answer in answers}) == 1
    assert (await outbox.send(draft, "k")).text == answers[0].text
    assert len(await outbox.listed()) == 1
    other = await outbox.draft()
    assert refusal(await outbox.send(other, "k")) == (409, "key_reused")


async def test_of_two_tabs_that_send_a_draft_one_does(outbox: Outbox) -> None:
    draft = await outbox.draft()
    answers = await asyncio.gather(*(outbox.send(draft, f"tab {n}") for n in range(4)))
    assert sorted(answer.status_code == 409 for answer in answers) == [False, True, True, True]
    assert len(await outbox.listed()) == 1


async def test_what_is_being_sent_is_not_saved_over(outbox: Outbox) -> None:
    draft = await outbox.draft()
    await outbox.sent(draft)
    assert refusal(await save(outbox.browser, draft, subject="other")) == (409, "being_sent")
    assert refusal(await outbox.send(draft)) == (409, "being_sent")


async def test_another_revision_than_the_last_is_not_sent(outbox: Outbox) -> None:
    old = await outbox.draft()
    new = await saved(outbox.browser, old, subject="newer")
    answer = await outbox.send(old)
    assert refusal(answer) == (409, "newer_revision")
    assert answer.json()["draft"] == new
    assert await outbox.listed() == []


async def test_what_is_wrong_is_named_and_nothing_is_kept(outbox: Outbox, owner: Pool) -> None:
    nobody = await outbox.send(await outbox.draft(to=[]))
    assert refusal(nobody) == (400, "no_recipients")
    draft = await outbox.draft(cc=[{"name": "", "email": "no address"}])
    wrong = await outbox.send(draft)
    assert refusal(wrong) == (400, "bad_address")
    assert "no address" in wrong.json()["error"]["message"]
    draft = await outbox.draft()
    file = {"filename": "plan.pdf", "size": 10}
    upload = (await outbox.browser.post(f"/api/drafts/{draft['id']}/attachments", json=file)).json()
    missing = await outbox.send(draft)
    assert refusal(missing) == (409, "incomplete_upload")
    assert "plan.pdf" in missing.json()["error"]["message"]
    await outbox.browser.delete(f"/api/drafts/{draft['id']}/attachments/{upload['id']}")
    for due in (datetime.now(UTC) - timedelta(seconds=1), datetime.now(UTC) + timedelta(days=367)):
        assert refusal(await outbox.send(draft, due=due.isoformat())) == (400, "bad_time")
    assert refusal(await outbox.send(draft, due="2026-01-01T10:00:00")) == (400, "invalid_request")
    assert refusal(await outbox.send({"id": str(uuid4()), "revision": 1})) == (404, "not_found")
    await owner.execute("UPDATE accounts SET smtp = NULL")
    assert refusal(await outbox.send(draft)) == (409, "no_submission")
    assert await owner.fetchval("SELECT count(*) FROM sends") == 0
    assert (await saved(outbox.browser, draft, subject="still"))["outbox_id"] is None


async def test_so_many_an_hour_and_what_came_to_nothing_does_not_count(
    outbox: Outbox, configured: Callable[..., None]
) -> None:
    configured(send_per_hour=2)
    for _ in range(3):
        assert (await outbox.send(await outbox.draft(to=[]))).status_code == 400
    for _ in range(2):
        taken(await outbox.send(await outbox.draft()))
    draft = await outbox.draft()
    refused = await outbox.send(draft)
    assert refusal(refused) == (429, "too_many_sends")
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert (await saved(outbox.browser, draft, subject="still"))["outbox_id"] is None


async def test_what_is_taken_back_in_time_can_be_written_on(outbox: Outbox) -> None:
    draft = await outbox.draft()
    id_ = await outbox.sent(draft)
    answer = await outbox.browser.post(f"/api/send/{id_}/undo")
    position, fact = await outbox.last(id_)
    assert answer.json() == {"draft_id": draft["id"], "position": position}
    assert isinstance(fact, SendCancelled)
    after = await saved(outbox.browser, draft, subject="other")
    again = await outbox.browser.post(f"/api/send/{id_}/undo")
    assert again.json() == answer.json()
    await outbox.inbox.told(fact)
    assert await outbox.listed() == []
    assert (await outbox.one(id_))["state"] == "cancelled"
    assert (await outbox.message(await outbox.sent(after)))["Subject"] == "other"


@pytest.mark.parametrize("after", [[], [(SendDelivered, {})], [(SendUnconfirmed, {})]])
async def test_what_was_handed_over_is_not_taken_back(outbox: Outbox, after: list[Any]) -> None:
    id_ = await outbox.sent()
    for kind, more in [(SendAttempted, {"attempt": 1}), *after]:
        await outbox.says(kind, id_, **more)
    assert refusal(await outbox.browser.post(f"/api/send/{id_}/undo")) == (409, "already_sent")
    assert refusal(await outbox.browser.patch(f"/api/send/{id_}", json={"due": None})) == (409, "already_sent")


async def test_of_an_undo_and_an_attempt_at_once_one_wins(outbox: Outbox) -> None:
    for _ in range(20):
        id_ = await outbox.sent(due=(datetime.now(UTC) + timedelta(hours=1)).isoformat())
        expected, _ = await outbox.last(id_)
        account = AccountSubjects(outbox.parts.partition(outbox.user), outbox.user, outbox.account)
        fact = outbox.inbox.account.fact(SendAttempted, outbox_id=UUID(id_), attempt=1)
        tried, undone = await asyncio.gather(
            append_send(outbox.parts.log, account.send(UUID(id_)), fact, expected=expected),
            outbox.browser.post(f"/api/send/{id_}/undo"),
            return_exceptions=True,
        )
        _, last = await outbox.last(id_)
        won = isinstance(last, SendCancelled)
        assert (undone.status_code == 200, isinstance(tried, Exception)) == (won, won)


async def test_the_time_is_changed_while_it_waits(outbox: Outbox) -> None:
    later = datetime.now(UTC) + timedelta(hours=2)
    id_ = await outbox.sent(due=later.isoformat())
    assert [one["scheduled"] for one in await outbox.listed()] == [True]
    sooner = later - timedelta(hours=1)
    answer = await outbox.browser.patch(f"/api/send/{id_}", json={"due": sooner.isoformat()})
    assert datetime.fromisoformat(answer.json()["due"]) == sooner
    _, fact = await outbox.last(id_)
    assert isinstance(fact, SendEdited)
    assert fact.due == sooner
    await outbox.inbox.told(fact)
    now = await outbox.browser.patch(f"/api/send/{id_}", json={"due": None})
    assert datetime.fromisoformat(now.json()["due"]) <= datetime.now(UTC)
    bad = await outbox.browser.patch(f"/api/send/{id_}", json={"due": "2020-01-01T00:00:00Z"})
    assert refusal(bad) == (400, "bad_time")
    await outbox.browser.post(f"/api/send/{id_}/undo")
    gone = await outbox.browser.patch(f"/api/send/{id_}", json={"due": sooner.isoformat()})
    assert refusal(gone) == (409, "not_queued")


async def test_what_failed_says_why_and_can_be_sent_again(outbox: Outbox, owner: Pool) -> None:
    draft = await outbox.draft()
    id_ = await outbox.sent(draft)
    assert refusal(await outbox.browser.post(f"/api/send/{id_}/retry")) == (409, "being_sent")
    assert refusal(await outbox.browser.delete(f"/api/send/{id_}")) == (409, "being_sent")
    await sends.say(owner, outbox.user, outbox.account, UUID(id_), "550 5.7.1 no spam please")
    await outbox.says(SendFailed, id_, code="rejected")
    (line,) = await outbox.listed()
    assert (line["state"], line["code"], line["said"]) == ("failed", "rejected", "550 5.7.1 no spam please")
    assert "refused this mail" in line["reason"]
    after = await saved(outbox.browser, draft, subject="better")
    again = await outbox.browser.post(f"/api/send/{id_}/retry", headers={"Idempotency-Key": "r"})
    second = taken(again)["outbox_id"]
    assert (await outbox.browser.post(f"/api/send/{id_}/retry", headers={"Idempotency-Key": "r"})).text == again.text
    message, before = await outbox.message(second), await outbox.message(id_)
    assert (message["Subject"], message["Message-ID"]) == ("better", before["Message-ID"])
    assert (await outbox.content(second)).revision == after["revision"]
    assert [(one["id"], one["state"]) for one in await outbox.listed()] == [(second, "queued")]
    assert {one["id"] for one in await outbox.listed("all")} == {id_, second}


async def test_whom_the_server_refused_is_named(outbox: Outbox, owner: Pool) -> None:
    id_ = await outbox.sent(await outbox.draft(cc=[{"name": "", "email": "no@x.example"}]))
    await owner.execute(
        "INSERT INTO send_refusals VALUES ($1, $2, $3, 'no@x.example', 550, 'nobody here')",
        *(outbox.user, outbox.account, UUID(id_)),
    )
    await outbox.says(SendAttempted, id_, attempt=1)
    await outbox.says(SendDelivered, id_, refused=1)
    found = await outbox.one(id_)
    assert found["refused"] == [{"email": "no@x.example", "code": 550, "text": "nobody here"}]
    assert (found["state"], found["reason"]) == ("delivered", "It was sent, but not to everybody.")
    assert await outbox.listed() == []


async def test_what_is_unconfirmed_is_left_to_the_user_and_set_aside(outbox: Outbox) -> None:
    draft = await outbox.draft()
    id_ = await outbox.sent(draft)
    await outbox.says(SendAttempted, id_, attempt=1)
    await outbox.says(SendUnconfirmed, id_)
    (line,) = await outbox.listed()
    assert line["state"] == "unconfirmed"
    assert "nobody knows" in line["reason"]
    assert (await outbox.browser.delete(f"/api/send/{id_}")).status_code == 204
    assert await outbox.listed() == []
    assert (await outbox.browser.get(f"/api/drafts/{draft['id']}")).json()["outbox_id"] is None


async def test_what_was_ever_sent_is_listed_page_by_page(outbox: Outbox) -> None:
    told = [await outbox.sent() for _ in range(5)]
    coming = taken(await outbox.send(await outbox.draft()))["outbox_id"]
    await outbox.says(SendCancelled, told[0])
    pages: list[list[str]] = []
    cursor = None
    while not pages or cursor:
        query = {"state": "all", "limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = (await outbox.browser.get("/api/send", params=query)).json()
        pages.append([one["id"] for one in answer["sends"]])
        cursor = answer["next_cursor"]
    assert pages == [[coming, told[4], told[3]], [told[2], told[1]], [told[0]]]
    assert [one["id"] for one in await outbox.listed("all")] == [coming, *reversed(told)]


@pytest.mark.parametrize("query", [{"cursor": "x"}, {"cursor": ""}, {"limit": 0}, {"limit": 201}])
async def test_a_page_of_sends_that_nobody_can_have_asked_for_is_refused(outbox: Outbox, query: dict[str, Any]) -> None:
    answer = await outbox.browser.get("/api/send", params={"state": "all", **query})
    assert answer.status_code == 400


async def test_what_the_read_model_does_not_know_yet_is_shown_as_it_was_asked(outbox: Outbox) -> None:
    queued = (await outbox.send(await outbox.draft())).json()
    assert (await outbox.one(queued["outbox_id"]))["state"] == "queued"
    (line,) = await outbox.listed()
    assert (line["id"], line["to"], line["subject"]) == (queued["outbox_id"], [BOB], "Plan")


async def test_what_a_gateway_left_half_done_is_finished_once(
    outbox: Outbox, owner: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*_: object) -> int:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr(queuing, "tell", dies)
        assert (await outbox.send(await outbox.draft(), "k")).status_code == 500
    (line,) = await outbox.listed()
    await queuing.finish(outbox.parts)
    account = AccountSubjects(outbox.parts.partition(outbox.user), outbox.user, outbox.account)
    assert await api.last(outbox.parts.log, account.partition, account.send(UUID(line["id"]))) is None
    await owner.execute("UPDATE sends SET created_at = now() - interval '2 minutes'")
    await queuing.finish(outbox.parts)
    told = await outbox.last(line["id"])
    assert isinstance(told[1], SendQueued)
    await queuing.finish(outbox.parts)
    await owner.execute("UPDATE sends SET settled = false")
    await queuing.finish(outbox.parts)
    assert await outbox.last(line["id"]) == told
    assert await sends.unsettled(outbox.parts.db, timedelta()) == []


async def test_what_is_not_in_the_log_yet_can_be_taken_back(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    async def dies(*_: object) -> int:
        raise RuntimeError

    draft = await outbox.draft()
    with monkeypatch.context() as broken:
        broken.setattr(queuing, "tell", dies)
        await outbox.send(draft, "k")
    (line,) = await outbox.listed()
    taken(await outbox.browser.post(f"/api/send/{line['id']}/undo"))
    assert isinstance((await outbox.last(line["id"]))[1], SendCancelled)
    await saved(outbox.browser, draft, subject="other")


async def test_what_changes_while_the_message_is_made_is_not_sent_as_it_was(
    outbox: Outbox, monkeypatch: pytest.MonkeyPatch, owner: Pool
) -> None:
    draft = await outbox.draft()
    file = {"filename": "late.txt", "size": 0}
    make = queuing.make

    async def slowly(*given: Any) -> Any:
        await outbox.browser.post(f"/api/drafts/{draft['id']}/attachments", json=file)
        return await make(*given)

    monkeypatch.setattr(queuing, "make", slowly)
    answer = await outbox.send(draft)
    assert refusal(answer) == (409, "newer_revision")
    assert [one["filename"] for one in answer.json()["draft"]["attachments"]] == ["late.txt"]
    assert await owner.fetchval("SELECT sum(count) FROM attempts") == 0
    assert await outbox.listed() == []
