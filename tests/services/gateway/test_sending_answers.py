"""What goes out of a draft that answers or forwards: in its conversation, with the original below, and the files of both."""

import json
from collections.abc import Awaitable, Callable
from email.message import EmailMessage
from typing import Any

import pytest

from projections.sql import Pool
from services import positions
from services.gateway.deps import Gateway
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_drafts import saved
from tests.services.gateway.test_drafts_that_answer import FILES, MIXED, answer
from tests.services.gateway.test_sending import SMTP, Outbox, refusal
from tests.support.given import mail

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0)


@pytest.fixture
async def outbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]], parts: Gateway, owner: Pool) -> Outbox:
    inbox = await mail_of(await browser.enter("anna"))
    await owner.execute("UPDATE accounts SET smtp = $1", json.dumps(SMTP))
    return Outbox(browser, inbox, parts)


def text(message: EmailMessage, kind: str) -> str:
    found = message.get_body((kind,))
    assert found is not None
    content: str = found.get_content()
    return content


async def test_an_answer_stays_in_its_conversation_with_the_original_below(outbox: Outbox) -> None:
    await outbox.browser.patch("/api/settings", json={"tz": "Europe/Warsaw", "language": "pl"})
    raw = mail("Plan", key="o", sender="Bob <bob@x.example>", to="anna@example.org", answers="root", body="The plan.")
    draft = await answer(outbox.browser, "reply", await outbox.inbox.arrived(raw))
    draft = await saved(outbox.browser, draft, html="<div>Good.</div>")
    id_ = await outbox.sent(draft)
    message = await outbox.message(id_)
    assert (message["To"], message["Subject"]) == ("Bob <bob@x.example>", "Re: Plan")
    assert (message["In-Reply-To"], message["References"]) == ("<o@x.example>", "<root@x.example> <o@x.example>")
    quoted = "W dniu 1 października 2025 o 11:00, Bob <bob@x.example> napisał(a):\n> The plan."
    assert text(message, "plain").strip().replace("\r", "").endswith(quoted)
    assert text(message, "plain").startswith("Good.")
    assert "<blockquote" in text(message, "html")
    content = await outbox.content(id_)
    assert (content.kind, str(content.source_message_id)) == ("reply", draft["source_message_id"])
    assert (await outbox.one(id_))["thread_id"] == draft["thread_id"]


async def test_without_the_quote_only_what_was_written_goes_out(outbox: Outbox) -> None:
    raw = mail("Plan", key="o", sender="bob@x.example", to="anna@example.org", body="The plan.")
    draft = await answer(outbox.browser, "reply", await outbox.inbox.arrived(raw))
    draft = await saved(outbox.browser, draft, html="<div>Good.</div>", quote="none", plain=True)
    message = await outbox.message(await outbox.sent(draft))
    assert message.get_content_type() == "text/plain"
    assert message.get_content().strip() == "Good."
    assert message["In-Reply-To"] == "<o@x.example>"


async def test_what_is_forwarded_goes_with_its_files_and_the_images_that_it_shows(outbox: Outbox) -> None:
    message_id = await outbox.inbox.arrived(mail("Plan", key="o", more=MIXED, body=FILES))
    draft = await answer(outbox.browser, "forward", message_id)
    draft = await saved(outbox.browser, draft, to=[{"name": "", "email": "you@y.example"}], html="<div>See.</div>")
    message = await outbox.message(await outbox.sent(draft))
    files = {one.get_filename(): one.get_payload(decode=True) for one in message.iter_attachments()}
    assert files == {"plan.pdf": b"%PDF-1.7"}
    (image,) = [one for one in message.walk() if one.get_content_type() == "image/png"]
    assert image.get_payload(decode=True) == PNG
    assert f'src="cid:{image["Content-ID"].strip("<>")}"' in text(message, "html")
    assert message["In-Reply-To"] is None


async def test_a_message_is_forwarded_whole_as_a_file(outbox: Outbox) -> None:
    raw = mail("Plan", key="o", body="The plan.")
    draft = await answer(outbox.browser, "forward", await outbox.inbox.arrived(raw), as_attachment=True)
    draft = await saved(outbox.browser, draft, to=[{"name": "", "email": "you@y.example"}])
    message = await outbox.message(await outbox.sent(draft))
    (inner,) = [one for one in message.walk() if one["Message-ID"] == "<o@x.example>"]
    assert inner.get_payload().strip() == "The plan."


async def test_remote_images_of_what_is_forwarded_are_for_its_reader_to_load(outbox: Outbox) -> None:
    html = '<p>News <img src="https://n.example/a.png"><img src="cid:pic@x"></p>'
    files = FILES.replace('<p>Look <img src="cid:pic@x"></p>', html)
    for kind, kept in (("forward", True), ("reply", False)):
        message_id = await outbox.inbox.arrived(mail(kind, key=kind, more=MIXED, body=files))
        draft = await answer(outbox.browser, kind, message_id)
        draft = await saved(outbox.browser, draft, to=[{"name": "", "email": "you@y.example"}])
        message = await outbox.message(await outbox.sent(draft))
        assert ('<img src="https://n.example/a.png">' in text(message, "html")) == kept
        assert [one.get_content_type() for one in message.walk()].count("image/png") == 1


async def test_an_answer_to_what_is_gone_by_now_goes_out_without_it(outbox: Outbox, owner: Pool) -> None:
    raw = mail("Plan", key="o", sender="bob@x.example", to="anna@example.org", body="The plan.")
    draft = await answer(outbox.browser, "reply", await outbox.inbox.arrived(raw))
    draft = await saved(outbox.browser, draft, html="<div>Good.</div>")
    await owner.execute("DELETE FROM mail.placements")
    assert (await outbox.browser.get(f"/api/drafts/{draft['id']}")).json()["quoted"] is None
    message = await outbox.message(await outbox.sent(draft))
    assert text(message, "plain").strip() == "Good."


async def test_what_is_quoted_counts_as_a_file_does(outbox: Outbox, configured: Callable[..., None]) -> None:
    message_id = await outbox.inbox.arrived(mail("Plan", key="o", more=MIXED, body=FILES))
    draft = await answer(outbox.browser, "reply", message_id)
    draft = await saved(outbox.browser, draft, to=[{"name": "", "email": "you@y.example"}])
    configured(message_max=0)
    assert refusal(await outbox.send(draft)) == (413, "too_large")
    draft = await saved(outbox.browser, draft, quote="none")
    await outbox.sent(draft)


async def test_it_is_from_the_identity_that_was_chosen_and_answers_go_where_that_wants(outbox: Outbox) -> None:
    body = {"email": "sales@example.org", "name": "Sąlęs", "reply_to": "desk@example.org"}
    made: Any = await outbox.browser.post(f"/api/accounts/{outbox.account}/identities", json=body)
    draft = await outbox.draft(identity_id=made.json()["id"])
    id_ = await outbox.sent(draft)
    message = await outbox.message(id_)
    assert (message["From"], message["Reply-To"]) == ("Sąlęs <sales@example.org>", "desk@example.org")
    assert (await outbox.content(id_)).envelope_from == "sales@example.org"
