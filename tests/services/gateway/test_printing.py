"""A conversation on paper: what it says, what it loads, and that no mail styles another."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.sync_api import Route

from services.gateway.printing import controller
from services.gateway.printing.document import Printed, document, headers
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_message_sources import with_files
from tests.services.gateway.test_reading_mail import html_mail
from tests.support.browser import chromium_running
from tests.support.given import mail


@pytest.fixture
async def inbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]]) -> Mail:
    return await mail_of(await browser.enter("anna"))


async def printed(browser: Browser, message: str, **more: Any) -> Any:
    thread = (await browser.get(f"/api/messages/{message}")).json()["thread_id"]
    return await browser.get(f"/api/threads/{thread}/print", **more)


async def test_it_says_who_wrote_to_whom_when_and_what(browser: Browser, inbox: Mail) -> None:
    await browser.patch("/api/settings", json={"tz": "Europe/Warsaw", "language": "pl"})
    await inbox.arrived(mail("Plan <b>", key="1", to="Bob <bob@x.example>", body="First & only."))
    message = await inbox.arrived(mail("Re: Plan <b>", key="2", answers="1", days=1, sender="Bob <bob@x.example>"))
    answer = await printed(browser, message)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = answer.text
    assert "<h1>Plan &lt;b&gt;</h1>" in page
    assert '<html lang="pl">' in page
    for line in (
        "<dt>Od</dt><dd>Ann &lt;ann@x.example&gt;</dd>",
        "<dt>Do</dt><dd>Bob &lt;bob@x.example&gt;</dd>",
        "<dt>Data</dt><dd>1 października 2025 o 11:00</dd>",
        "First &amp; only.",
    ):
        assert line in page
    assert page.index("First") < page.index("Re: Plan")
    await browser.patch("/api/settings", json={"thread_order": "desc"})
    page = (await printed(browser, message)).text
    assert page.index("First") > page.index("Re: Plan")


async def test_files_are_listed_by_their_names(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(with_files(("<plan>.pdf", b"x" * 1500), ("b.txt", b"y")))
    page = (await printed(browser, message)).text
    assert "<li>&lt;plan&gt;.pdf (1.5 KB)</li><li>b.txt (1 B)</li>" in page


async def test_it_runs_nothing_and_loads_nothing_that_is_not_allowed(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(html_mail("1"))
    answer = await printed(browser, message)
    policy = answer.headers["content-security-policy"]
    for rule in (
        "script-src 'none'",
        "img-src 'self' data:;",
        "sandbox allow-same-origin allow-modals",
        "frame-ancestors 'self'",
    ):
        assert rule in policy
    assert "tracker.example" not in answer.text
    assert f"/api/messages/{message}/cid/logo%40x%2F1" in answer.text
    await browser.post(f"/api/messages/{message}/allow-remote-images", json={"scope": "once"})
    framed = await printed(browser, message)
    assert "https://tracker.example/a.png" in framed.text
    assert "img-src 'self' data: https:;" in framed.headers["content-security-policy"]
    alone = await printed(browser, message, headers={"Sec-Fetch-Dest": "document"})
    assert "tracker.example" not in alone.text


async def test_of_a_long_conversation_the_newest_are_printed(
    browser: Browser, inbox: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "MOST", 2)
    message = ""
    for n in range(4):
        message = await inbox.arrived(mail("Re: Plan", key=str(n), answers="0" if n else "", days=n, body=f"words-{n}"))
    page = (await printed(browser, message)).text
    assert [f"words-{n}" in page for n in range(4)] == [False, False, True, True]
    assert "left out here: 2." in page


def test_each_body_is_apart_from_all_others_in_a_browser() -> None:
    loud = '<div style="margin:-500px;background:red;width:3000px">Loud</div><p id="x">Own</p>'
    messages = [Printed([("from", "Ann")], loud, []), Printed([("from", "Bob")], "<p>Quiet</p>", ["plan.pdf"])]
    page_of = document("Plan", messages, left_out=0, language="en")

    def serve(route: Route) -> None:
        route.fulfill(body=page_of, content_type="text/html; charset=utf-8", headers=headers(remote=False))

    with chromium_running() as chromium:
        page = chromium.new_page()
        page.route("**", serve)
        page.goto("http://print.test/")
        bodies = page.evaluate("[...document.querySelectorAll('.body > div')].map(one => one.shadowRoot.textContent)")
        assert ["Loud" in bodies[0], "Quiet" in bodies[1]] == [True, True]
        assert page.evaluate("document.querySelector('#x')") is None
        at = page.evaluate(
            "(() => { const box = document.querySelector('header').getBoundingClientRect();"
            " return document.elementFromPoint(box.left + 5, box.top + 5).closest('header') !== null })()"
        )
        assert at
        assert len(page.pdf()) > 1000
