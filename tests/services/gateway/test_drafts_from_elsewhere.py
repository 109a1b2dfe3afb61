"""Drafts that another mail program began: what goes out of them when they are gone on with here."""

import json
from collections.abc import Awaitable, Callable

import pytest

from contracts.facts import SpecialUse
from projections.sql import Pool
from services import positions
from services.gateway.deps import Gateway
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_drafts import begin, saved
from tests.services.gateway.test_sending import SMTP, Outbox


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0)


@pytest.fixture
async def outbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]], parts: Gateway, owner: Pool) -> Outbox:
    inbox = await mail_of(await browser.enter("anna"))
    await inbox.told(inbox.account.mailbox("Drafts", SpecialUse.DRAFTS))
    await owner.execute("UPDATE accounts SET smtp = $1", json.dumps(SMTP))
    return Outbox(browser, inbox, parts)


@pytest.mark.parametrize("here", [True, False])
async def test_a_reply_begun_elsewhere_is_sent_into_its_conversation_also_without_its_original(
    outbox: Outbox, *, here: bool
) -> None:
    if here:
        await outbox.inbox.arrived(
            b"Message-ID: <Two@X.Example>\r\nFrom: bob@x.example\r\nSubject: Plan\r\n\r\nPlan.\r\n"
        )
    raw = (
        b"Message-ID: <d@x.example>\r\nFrom: anna@example.org\r\nTo: bob@x.example\r\nSubject: Re: Plan\r\n"
        b"In-Reply-To: <Two@X.Example>\r\nReferences: <One@X.Example>\r\n <Two@X.Example>\r\n\r\nYes.\r\n\r\n> Plan.\r\n"
    )
    message_id = await outbox.inbox.arrived(raw, "Drafts", flags=["\\Draft"])
    draft = await begin(outbox.browser, message_id=message_id)
    assert draft["kind"] == ("reply" if here else "new")
    draft = await saved(outbox.browser, draft, html="<div>Yes, indeed.</div>")
    message = await outbox.message(await outbox.sent(draft))
    assert message["Message-ID"] == "<d@x.example>"
    assert message["In-Reply-To"] == "<Two@X.Example>"
    assert message["References"] == "<One@X.Example> <Two@X.Example>"
    assert message.get_body(("plain",)).get_content().strip() == "Yes, indeed."  # type: ignore[union-attr] # it has one


async def test_the_original_comes_below_a_reply_begun_elsewhere_only_when_that_is_wished(outbox: Outbox) -> None:
    await outbox.inbox.arrived(b"Message-ID: <o@x.example>\r\nFrom: bob@x.example\r\nSubject: Plan\r\n\r\nPlan.\r\n")
    raw = (
        b"Message-ID: <d@x.example>\r\nFrom: anna@example.org\r\nTo: bob@x.example\r\nSubject: Re: Plan\r\n"
        b"In-Reply-To: <o@x.example>\r\n\r\nYes.\r\n"
    )
    draft = await begin(outbox.browser, message_id=await outbox.inbox.arrived(raw, "Drafts", flags=["\\Draft"]))
    draft = await saved(outbox.browser, draft, quote="full", plain=True)
    message = await outbox.message(await outbox.sent(draft))
    assert message.get_content().split()[0] == "Yes."
    assert message.get_content().split()[-4:] == ["bob@x.example", "wrote:", ">", "Plan."]
