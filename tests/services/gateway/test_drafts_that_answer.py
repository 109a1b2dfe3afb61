"""Drafts that answer or forward a message: from whom, to whom, about what, with which files."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.services.gateway.conftest import Browser, Mail
from tests.support.given import mail

MIXED = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n"
FILES = (
    "--b\r\nContent-Type: multipart/related; boundary=r\r\n\r\n"
    '--r\r\nContent-Type: text/html\r\n\r\n<p>Look <img src="cid:pic@x"></p>\r\n'
    "--r\r\nContent-Type: image/png\r\nContent-ID: <pic@x>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--r--\r\n"
    "--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n"
    "Content-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjc=\r\n--b--\r\n"
)


@pytest.fixture
async def inbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]]) -> Mail:
    return await mail_of(await browser.enter("anna"))


async def answer(browser: Browser, kind: str, message: str, **wish: Any) -> dict[str, Any]:
    asked = await browser.post("/api/drafts", json={"kind": kind, "message_id": message, **wish})
    assert asked.status_code == 201, asked.text
    draft: dict[str, Any] = asked.json()
    return draft


def emails(people: list[dict[str, str]]) -> list[str]:
    return [one["email"] for one in people]


async def test_a_reply_goes_to_the_author_with_the_original_below(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail("Plan", key="o", sender="Bob <bob@x.example>", to="anna@example.org"))
    draft = await answer(browser, "reply", message)
    assert (draft["to"], draft["cc"]) == ([{"name": "Bob", "email": "bob@x.example"}], [])
    assert (draft["subject"], draft["quote"], draft["source_message_id"]) == ("Re: Plan", "full", message)
    assert draft["quoted"]["from"] == {"name": "Bob", "email": "bob@x.example"}
    assert (draft["quoted"]["message_id"], draft["quoted"]["has_html"]) == (message, False)
    assert draft["thread_id"] == (await browser.get(f"/api/messages/{message}")).json()["thread_id"]
    content = {name: draft[name] for name in ("identity_id", "to", "cc", "bcc", "subject", "html", "plain", "quote")}
    await browser.put(f"/api/drafts/{draft['id']}", json={"revision": 0, **content})
    (line,) = (await browser.get("/api/drafts")).json()["drafts"]
    assert (line["id"], line["kind"], line["thread_id"]) == (draft["id"], "reply", draft["thread_id"])


async def test_a_reply_to_all_leaves_out_all_of_ones_own_addresses(browser: Browser, inbox: Mail) -> None:
    account = str(inbox.account.account_id)
    await browser.post(f"/api/accounts/{account}/identities", json={"email": "sales@example.org", "name": "Sales"})
    to = "ANNA@example.org, sales@example.org, carl@x.example"
    message = await inbox.arrived(mail("Plan", key="o", sender="bob@x.example", to=to, more="Cc: dora@x.example\r\n"))
    draft = await answer(browser, "reply_all", message)
    assert emails(draft["to"]) == ["bob@x.example"]
    assert emails(draft["cc"]) == ["carl@x.example", "dora@x.example"]


async def test_a_reply_is_from_the_identity_that_was_addressed(
    browser: Browser, inbox: Mail, mail_of: Callable[..., Awaitable[Mail]]
) -> None:
    account = str(inbox.account.account_id)
    body = {"email": "sales@example.org", "name": "Sales"}
    sales = (await browser.post(f"/api/accounts/{account}/identities", json=body)).json()["id"]
    await mail_of({"user_id": str(inbox.account.user_id)}, "anna@other.example")
    for to, expected in (("sales@example.org", "sales@example.org"), ("list@x.example", "anna@example.org")):
        message = await inbox.arrived(mail("Plan", key=to, to=to))
        draft = await answer(browser, "reply", message)
        accounts = (await browser.get("/api/accounts")).json()["accounts"]
        known = {one["id"]: one["email"] for found in accounts for one in found["identities"]}
        assert known[draft["identity_id"]] == expected
    wished = await answer(browser, "reply", message, identity_id=sales)
    assert wished["identity_id"] == sales


async def test_an_answer_to_own_mail_goes_to_its_recipients(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail("Plan", key="o", sender="Anna <anna@example.org>", to="bob@x.example"))
    assert emails((await answer(browser, "reply", message))["to"]) == ["bob@x.example"]


async def test_what_is_forwarded_takes_its_files_and_leaves_the_quotes_images_with_the_quote(
    browser: Browser, inbox: Mail
) -> None:
    message = await inbox.arrived(mail("Plan", key="o", more=MIXED, body=FILES))
    draft = await answer(browser, "forward", message)
    assert (draft["subject"], draft["to"], draft["quote"], draft["warnings"]) == ("Fwd: Plan", [], "full", [])
    (file,) = draft["attachments"]
    assert (file["filename"], file["mime"], file["size"]) == ("plan.pdf", "application/pdf", 8)
    assert (file["complete"], file["received"], file["inline"]) == (True, 8, False)
    served = await browser.get(f"/api/drafts/{draft['id']}/attachments/{file['id']}")
    assert served.content == b"%PDF-1.7"


async def test_a_reply_takes_no_files(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail("Plan", key="o", more=MIXED, body=FILES))
    assert (await answer(browser, "reply", message))["attachments"] == []


async def test_a_message_is_forwarded_as_a_file_byte_for_byte(browser: Browser, inbox: Mail) -> None:
    raw = mail("Plan / 2025", key="o")
    message = await inbox.arrived(raw)
    draft = await answer(browser, "forward", message, as_attachment=True)
    (file,) = draft["attachments"]
    assert (draft["quote"], file["mime"], file["filename"]) == ("none", "message/rfc822", "Plan / 2025.eml")
    assert (await browser.get(f"/api/drafts/{draft['id']}/attachments/{file['id']}")).content == raw


async def test_a_message_that_is_forwarded_as_a_file_does_not_tell_who_was_told_in_secret(
    browser: Browser, inbox: Mail
) -> None:
    message = await inbox.arrived(mail("Plan", key="o", more="Bcc: Spy <spy@x.example>\r\n"))
    draft = await answer(browser, "forward", message, as_attachment=True)
    (file,) = draft["attachments"]
    content = (await browser.get(f"/api/drafts/{draft['id']}/attachments/{file['id']}")).content
    assert content == mail("Plan", key="o")
    assert file["size"] == len(content)


async def test_files_beyond_what_a_message_may_have_are_named(
    browser: Browser, inbox: Mail, configured: Callable[..., None]
) -> None:
    big = f"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=big.txt\r\n\r\n{'x' * 70 + chr(10)}"
    body = FILES.replace("--b--\r\n", big.replace("x" * 70 + "\n", ("x" * 70 + "\r\n") * 16_000) + "\r\n--b--\r\n")
    message = await inbox.arrived(mail("Plan", key="o", more=MIXED, body=body))
    configured(message_max=1)
    draft = await answer(browser, "forward", message)
    assert [file["filename"] for file in draft["attachments"]] == ["plan.pdf"]
    assert draft["warnings"] == ["big.txt is too large to be carried over."]


@pytest.mark.parametrize("kind", ["reply", "reply_all", "forward"])
async def test_what_is_not_there_is_not_answered(browser: Browser, inbox: Mail, kind: str) -> None:
    unknown = "00000000-0000-0000-0000-000000000000"
    for message in (unknown, None):
        asked = await browser.post("/api/drafts", json={"kind": kind, "message_id": message})
        assert (asked.status_code, asked.json()["error"]["code"]) == (404, "not_found")
