"""Drafts: begun, saved by revision, listed together with those of the servers, continued, deleted."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.codec import decode_event
from contracts.events import DraftSaved
from contracts.facts import SendCancelled, SendQueued, SpecialUse
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts.abandoned import keep_forgetting
from services.log.headers import MESSAGE_ID
from services.state import drafts
from tests.services.gateway.conftest import Browser, Mail
from tests.support.given import mail

KEPT = ("identity_id", "to", "cc", "bcc", "subject", "html", "plain", "quote")


@pytest.fixture
async def inbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]]) -> Mail:
    """Anna's, who is signed in; with a mailbox for drafts."""
    made = await mail_of(await browser.enter("anna"))
    await made.told(made.account.mailbox("Drafts", SpecialUse.DRAFTS))
    return made


async def begin(browser: Browser, kind: str = "new", **wish: Any) -> dict[str, Any]:
    answer = await browser.post("/api/drafts", json={"kind": kind, **wish})
    assert answer.status_code in {200, 201}, answer.text
    draft: dict[str, Any] = answer.json()
    return draft


async def save(browser: Browser, draft: dict[str, Any], **change: Any) -> Any:
    content = {name: draft[name] for name in KEPT} | change
    return await browser.put(f"/api/drafts/{draft['id']}", json={"revision": draft["revision"]} | content)


async def saved(browser: Browser, draft: dict[str, Any], **change: Any) -> dict[str, Any]:
    answer = await save(browser, draft, **change)
    assert answer.status_code == 200, answer.text
    kept: dict[str, Any] = answer.json()["draft"]
    return kept


async def listed(browser: Browser) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await browser.get("/api/drafts")).json()["drafts"]
    return found


async def test_a_new_draft_is_from_the_first_account_and_says_nothing(browser: Browser, inbox: Mail) -> None:
    draft = await begin(browser, to=[{"name": "Bob", "email": "bob@x.example"}])
    assert draft["account_id"] == str(inbox.account.account_id)
    assert draft["to"] == [{"name": "Bob", "email": "bob@x.example"}]
    assert (draft["revision"], draft["subject"], draft["html"], draft["quote"]) == (0, "", "", "none")
    assert (await browser.get(f"/api/drafts/{draft['id']}")).json() == draft


async def test_what_is_saved_is_what_is_read_again(browser: Browser, inbox: Mail) -> None:
    draft = await begin(browser)
    change = {
        "subject": "Plan",
        "html": "<p>Words</p>",
        "to": [{"name": "", "email": "not yet an addr"}],
        "plain": True,
    }
    after = await saved(browser, draft, **change)
    assert {name: after[name] for name in change} == change
    assert after["revision"] == 1
    assert (await browser.get(f"/api/drafts/{draft['id']}")).json() == after


async def test_a_stale_writer_is_refused_with_the_newer_draft(browser: Browser, inbox: Mail) -> None:
    draft = await begin(browser)
    first = await saved(browser, draft, subject="first")
    second = await save(browser, draft, subject="second")
    assert (second.status_code, second.json()["error"]["code"]) == (409, "newer_revision")
    assert second.json()["draft"] == first


async def test_of_two_tabs_that_save_at_once_exactly_one_wins(browser: Browser, inbox: Mail) -> None:
    draft = await begin(browser)
    answers = await asyncio.gather(*(save(browser, draft, subject=f"tab {n}") for n in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    winner = next(answer.json()["draft"] for answer in answers if answer.status_code == 200)
    assert all(answer.json()["draft"] == winner for answer in answers)


async def test_a_save_whose_answer_was_lost_may_be_said_again(browser: Browser, inbox: Mail) -> None:
    draft = await begin(browser)
    first = await save(browser, draft, subject="Plan", html="<p>Words</p>")
    again = await save(browser, draft, subject="Plan", html="<p>Words</p>")
    assert (again.status_code, again.json()) == (200, first.json())


async def test_html_is_cleaned_on_the_server_and_stays_as_it_is_from_then_on(browser: Browser, inbox: Mail) -> None:
    dirty = '<p id="a" onclick="x()">Hi <a href="#a">there</a></p><script>x()</script><img src="cid:pic@inline"><img src="https://x.example/y.png">'
    once = await saved(browser, await begin(browser), html=dirty)
    assert "script" not in once["html"]
    assert "onclick" not in once["html"]
    assert '<img src="cid:pic@inline">' in once["html"]
    assert '<img src="https://x.example/y.png">' in once["html"]
    twice = await saved(browser, once, html=once["html"] + "<p>more</p>")
    assert twice["html"] == once["html"] + "<p>more</p>"


async def test_html_that_can_not_be_cleaned_is_refused_and_nothing_is_lost(browser: Browser, inbox: Mail) -> None:
    draft = await saved(browser, await begin(browser), html="<p>good</p>")
    refused = await save(browser, draft, html="<div>" * 100_000)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "not_cleaned")
    assert (await browser.get(f"/api/drafts/{draft['id']}")).json() == draft


async def test_a_header_that_somebody_pastes_stays_a_line(browser: Browser, inbox: Mail) -> None:
    to = [{"name": "Bob\r\nX: y", "email": "b@x.example\r\nBcc: c@x.example"}]
    after = await saved(browser, await begin(browser), subject="Plan\r\nBcc: c@x.example\0", to=to)
    assert after["subject"] == "Plan Bcc: c@x.example"
    assert after["to"] == [{"name": "Bob X: y", "email": "b@x.example Bcc: c@x.example"}]


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "x" * 2001},
        {"to": [{"name": "", "email": "x"}] * 501},
        {"to": [{"name": "x" * 201, "email": "x"}]},
        {"bcc": [{"name": "", "email": "x" * 321}]},
        {"html": "x" * 600_001},
        {"quote": "some"},
        {"more": 1},
        {"revision": -1},
        {"revision": 2**31},
    ],
)
async def test_what_is_too_long_or_unknown_is_refused(browser: Browser, inbox: Mail, change: dict[str, Any]) -> None:
    refused = await save(browser, await begin(browser), **change)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_request")


async def test_a_save_is_told_to_the_users_other_tabs(browser: Browser, inbox: Mail, parts: Gateway) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    subscription = await parts.log.subscribe(f"event.{inbox.account.user_id}.draft.saved", cb=heard.put)
    draft = await saved(browser, await begin(browser), subject="Plan")
    message = await asyncio.wait_for(heard.get(), 5)
    await subscription.unsubscribe()
    expected = DraftSaved(user_id=inbox.account.user_id, draft_id=UUID(draft["id"]), revision=1)
    assert decode_event(message.data) == expected


async def test_the_end_of_a_draft_is_told_after_its_last_save(browser: Browser, inbox: Mail, parts: Gateway) -> None:
    """As a message of its own: the stream drops one that it takes for repeated."""
    heard: asyncio.Queue[Any] = asyncio.Queue()
    subscription = await parts.log.subscribe(f"event.{inbox.account.user_id}.draft.saved", cb=heard.put)
    draft = await saved(browser, await begin(browser), subject="Plan")
    first = await asyncio.wait_for(heard.get(), 5)
    assert (await browser.delete(f"/api/drafts/{draft['id']}")).status_code == 204
    last = await asyncio.wait_for(heard.get(), 5)
    await subscription.unsubscribe()
    expected = DraftSaved(user_id=inbox.account.user_id, draft_id=UUID(draft["id"]), revision=1)
    assert decode_event(first.data) == decode_event(last.data) == expected
    assert len({one.headers[MESSAGE_ID] for one in (first, last)}) == 2


async def test_a_draft_from_another_account_moves_there(
    browser: Browser, inbox: Mail, mail_of: Callable[..., Awaitable[Mail]]
) -> None:
    me = {"user_id": str(inbox.account.user_id)}
    other = await mail_of(me, "anna@other.example")
    accounts = (await browser.get("/api/accounts")).json()["accounts"]
    identity = next(one["identities"][0]["id"] for one in accounts if one["email"] == "anna@other.example")
    after = await saved(browser, await begin(browser), identity_id=identity)
    assert after["account_id"] == str(other.account.account_id)


async def test_nobody_writes_as_somebody_else(
    browser: Browser, inbox: Mail, open_browser: Callable[..., Browser], mail_of: Callable[..., Awaitable[Mail]]
) -> None:
    bob = open_browser()
    await mail_of(await bob.enter("bob"), "bob@example.org")
    his = (await bob.get("/api/accounts")).json()["accounts"][0]["identities"][0]["id"]
    refused = await save(browser, await begin(browser), identity_id=his)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_such_sender")
    draft = await begin(browser)
    assert (await bob.get(f"/api/drafts/{draft['id']}")).status_code == 404
    assert (await bob.delete(f"/api/drafts/{draft['id']}")).status_code == 404


async def test_without_an_account_nothing_can_be_written(browser: Browser) -> None:
    await browser.enter("anna")
    refused = await browser.post("/api/drafts", json={"kind": "new"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_account")


async def test_the_list_has_what_somebody_wrote_newest_first(browser: Browser, inbox: Mail) -> None:
    await begin(browser)
    first = await saved(browser, await begin(browser), subject="first", html="<p>Some <b>words</b></p>")
    second = await saved(browser, await begin(browser), subject="second")
    lines = await listed(browser)
    assert [line["id"] for line in lines] == [second["id"], first["id"]]
    assert (lines[1]["subject"], lines[1]["snippet"], lines[1]["message_id"]) == ("first", "Some words", None)


async def test_the_list_has_drafts_that_only_the_server_has(browser: Browser, inbox: Mail) -> None:
    raw = mail("Elsewhere", key="e", sender="anna@example.org", to="Bob <bob@x.example>", body="On the phone.")
    message = await inbox.arrived(raw, "Drafts", flags=["\\Draft"])
    (line,) = await listed(browser)
    assert (line["id"], line["message_id"], line["subject"]) == (None, message, "Elsewhere")
    assert (line["to"], line["snippet"]) == ([{"name": "Bob", "email": "bob@x.example"}], "On the phone.")


async def test_a_draft_and_its_copy_on_the_server_are_one_line(browser: Browser, inbox: Mail, parts: Gateway) -> None:
    draft = await saved(browser, await begin(browser), subject="Plan")
    async with as_user(parts.db, inbox.account.user_id) as db:
        row = await drafts.find(db, inbox.account.user_id, UUID(draft["id"]))
    assert row is not None
    copy = mail("Plan", key="k").replace(b"<k@x.example>", row.message_id_header.encode())
    message = await inbox.arrived(copy, "Drafts", flags=["\\Draft", "\\Seen"])
    (line,) = await listed(browser)
    assert (line["id"], line["message_id"]) == (draft["id"], message)
    assert (await browser.delete(f"/api/drafts/{draft['id']}")).status_code == 204
    assert await listed(browser) == []  # the copy is still there, and outbound will remove it


async def test_a_draft_made_elsewhere_is_continued_as_it_is(browser: Browser, inbox: Mail, parts: Gateway) -> None:
    raw = (
        b"Message-ID: <There@X.Example>\r\nFrom: Anna <anna@example.org>\r\nTo: bob@x.example\r\nCc: c@x.example\r\n"
        b"Bcc: secret@x.example\r\nSubject: Elsewhere\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
        b'<p>On the phone. <img src="https://x.example/logo.png"></p><blockquote type="cite">Old</blockquote>\r\n'
        b"--b\r\nContent-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfile\r\n--b--\r\n"
    )
    message = await inbox.arrived(raw, "Drafts", uid=7, flags=["\\Draft"])
    draft = await begin(browser, message_id=message)
    assert (draft["subject"], draft["plain"], draft["kind"], draft["saved_on_server"]) == (
        "Elsewhere",
        False,
        "new",
        True,
    )
    people = [[one["email"] for one in draft[field]] for field in ("to", "cc", "bcc")]
    assert people == [["bob@x.example"], ["c@x.example"], ["secret@x.example"]]
    assert '<img src="https://x.example/logo.png">' in draft["html"]
    assert "<details>" not in draft["html"]
    (file,) = draft["attachments"]
    assert (file["filename"], file["size"], file["complete"]) == ("a.txt", 4, True)
    assert (await browser.get(f"/api/drafts/{draft['id']}/attachments/{file['id']}")).content == b"file"
    async with as_user(parts.db, inbox.account.user_id) as db:
        row = await drafts.find(db, inbox.account.user_id, UUID(draft["id"]))
    assert row is not None
    assert row.message_id_header == "<There@X.Example>"
    assert row.mirror == drafts.Mirror(inbox.account.account_id, inbox.account.id_of("Drafts"), 1, 7)
    (line,) = await listed(browser)
    assert (line["id"], line["message_id"]) == (draft["id"], message)


@pytest.mark.parametrize("header", ["Message-ID: <d@x.example>\r\n", ""])
async def test_two_tabs_that_continue_one_draft_get_the_same(browser: Browser, inbox: Mail, header: str) -> None:
    raw = f"{header}From: anna@example.org\r\nSubject: Elsewhere\r\n\r\nText <b> & more.\r\n".encode()
    message = await inbox.arrived(raw, "Drafts", flags=["\\Draft"])
    asked = (browser.post("/api/drafts", json={"kind": "new", "message_id": message}) for _ in range(4))
    answers = await asyncio.gather(*asked)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert answers[0].json()["plain"]
    assert "Text &lt;b&gt; &amp; more." in answers[0].json()["html"]


async def test_a_reply_begun_elsewhere_stays_in_its_conversation(browser: Browser, inbox: Mail) -> None:
    original = await inbox.arrived(mail("Plan", key="o"))
    message = await inbox.arrived(mail("Re: Plan", key="d", answers="o", sender="anna@example.org"), "Drafts")
    draft = await begin(browser, message_id=message)
    assert (draft["kind"], draft["source_message_id"], draft["quote"]) == ("reply", original, "none")


async def test_what_is_no_draft_is_not_continued(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail("Plan", key="o"))
    refused = await browser.post("/api/drafts", json={"kind": "new", "message_id": message})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_draft")


async def test_a_deleted_draft_does_not_come_back_from_its_copy(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail("Elsewhere", key="d", sender="anna@example.org"), "Drafts", flags=["\\Draft"])
    draft = await begin(browser, message_id=message)
    assert (await browser.delete(f"/api/drafts/{draft['id']}")).status_code == 204
    assert (await browser.get(f"/api/drafts/{draft['id']}")).status_code == 404
    assert await listed(browser) == []
    again = await browser.post("/api/drafts", json={"kind": "new", "message_id": message})
    assert again.status_code == 404


async def test_what_is_being_sent_is_left_alone_until_it_is_taken_back(
    browser: Browser, inbox: Mail, owner: Any
) -> None:
    draft = await saved(browser, await begin(browser), subject="Plan")
    outbox_id, due = uuid4(), datetime.now(UTC) + timedelta(seconds=10)
    await owner.execute("UPDATE drafts SET outbox_id = $2 WHERE id = $1", UUID(draft["id"]), outbox_id)
    names = {"outbox_id": outbox_id, "draft_id": UUID(draft["id"]), "due": due, "revision": 1}
    for tell in ([], [inbox.account.fact(SendQueued, **names)]):
        await inbox.told(*tell)
        for refused in (
            await save(browser, draft, subject="other"),
            await browser.delete(f"/api/drafts/{draft['id']}"),
        ):
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "being_sent")
    assert (await browser.get(f"/api/drafts/{draft['id']}")).json()["outbox_id"] == str(outbox_id)
    await inbox.told(inbox.account.fact(SendCancelled, outbox_id=outbox_id))
    assert (await saved(browser, draft, subject="other"))["outbox_id"] is None


async def test_what_nobody_wrote_in_is_forgotten_after_a_day(
    browser: Browser, inbox: Mail, parts: Gateway, owner: Any
) -> None:
    kept = await saved(browser, await begin(browser), subject="Plan")
    left = await begin(browser)
    await owner.execute("UPDATE drafts SET updated_at = now() - interval '25 hours'")
    fresh = await begin(browser)
    forgetting = asyncio.create_task(keep_forgetting(parts))
    async with asyncio.timeout(5):
        while (await browser.get(f"/api/drafts/{left['id']}")).status_code == 200:
            await asyncio.sleep(0.01)
    forgetting.cancel()
    there = [(await browser.get(f"/api/drafts/{one['id']}")).status_code for one in (kept, left, fresh)]
    assert there == [200, 404, 200]
