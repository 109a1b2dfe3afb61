"""Small things around writing that only a real browser shows."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.end_to_end.browser.conftest import connected, sign_in
from tests.end_to_end.browser.letters import PLAN
from tests.support.browser import PATIENCE
from tests.support.dovecot import Dovecot
from tests.support.installation import PASSWORD, Person, Product
from tests.support.picture_server import PictureServer

expect.set_options(timeout=PATIENCE)
NEW = "**/api/drafts"
GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@pytest.fixture(scope="module")
def writer(installed: Product, dovecot: Dovecot, pictures: PictureServer) -> Person:
    """Somebody with a mailbox of their own."""
    return connected(installed, dovecot, dovecot.user(), "scribe", pictures.picture)


def test_what_is_typed_before_the_composer_is_there_arrives_in_its_text(page: Page, writer: Person) -> None:
    sign_in(page, writer)
    conversation(page, PLAN)
    opens = held(page, "r")
    page.keyboard.type("I agree:\nyesx")
    page.keyboard.press("Backspace")
    opens()
    expect(text(page)).to_be_focused()
    page.keyboard.type(". All of it.")
    expect(text(page).locator("> div")).to_have_text(["I agree:", "yes. All of it."])


def test_what_is_typed_before_a_forward_is_there_names_whom_it_is_for(page: Page, writer: Person) -> None:
    sign_in(page, writer)
    conversation(page, PLAN)
    opens = held(page, "f")
    page.keyboard.type("cleo@x.example,dora@x")
    opens()
    expect(page.get_by_text("cleo@x.example", exact=True)).to_be_visible()
    page.keyboard.type(".example")
    expect(page.get_by_role("combobox", name="To")).to_have_value("dora@x.example")


def test_pictures_in_what_is_pasted_or_dropped_are_files_of_the_mail(
    page: Page, writer: Person, installed: Product
) -> None:
    sign_in(page, writer)
    page.keyboard.press("c")
    expect(page.get_by_role("combobox", name="To")).to_be_focused()
    text(page).click()
    give(page, "paste", f'<p>One <img src="{GIF}" alt="a dot"></p>')
    give(page, "drop", f'<p>Two <img src="{GIF}"><img src="data:image/svg+xml;base64,PHN2Zy8+" alt="a drawing"></p>')
    expect(page.get_by_role("alert").filter(has_text="A picture was left out")).to_be_visible()
    expect(text(page).locator("img[src^='blob:']")).to_have_count(2)
    expect(text(page)).to_contain_text("a drawing")
    draft = draft_in(page)

    def kept() -> dict[str, Any]:
        found: dict[str, Any] = writer.browser.get(f"/api/drafts/{draft}")
        return found

    def is_whole() -> bool:
        return "Two" in kept()["html"] and [one["complete"] for one in kept()["attachments"]] == [True, True]

    installed.until(is_whole, seconds=20)
    shown = re.findall(r'<img [^>]*src="cid:([^"]+)"', kept()["html"])
    assert sorted(shown) == sorted(one["content_id"] for one in kept()["attachments"])
    assert "data:" not in kept()["html"]
    assert {(one["inline"], one["mime"]) for one in kept()["attachments"]} == {(True, "image/gif")}


def test_who_signs_out_in_one_tab_has_what_they_wrote_last_in_another_saved(page: Page, writer: Person) -> None:
    page.goto("/login")  # a session of its own, since it ends
    page.get_by_label("Handle").fill(writer.handle)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    conversation(page, PLAN)
    page.keyboard.press("r")
    expect(text(page)).to_be_focused()
    other = page.context.new_page()
    other.goto("/mail")
    other.get_by_role("grid").wait_for()
    page.keyboard.type("Written last.")
    draft = draft_in(page)
    other.get_by_role("button", name="You:").click()
    other.get_by_role("menuitem", name="Sign out").click()
    for tab in (other, page):
        expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
        assert tab.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('webmail.draft.'))") == []
    assert "Written last." in writer.browser.get(f"/api/drafts/{draft}")["html"]


def give(page: Page, how: str, html: str) -> None:
    """HTML, as from another program."""
    text(page).evaluate(
        """(field, [how, html]) => {
            const data = new DataTransfer();
            data.setData("text/html", html);
            const { left, top } = field.firstElementChild.getBoundingClientRect();
            const what = { bubbles: true, cancelable: true };
            const event = how === "paste"
              ? new ClipboardEvent("paste", { ...what, clipboardData: data })
              : new DragEvent("drop", { ...what, dataTransfer: data, clientX: left + 1, clientY: top + 1 });
            field.dispatchEvent(event);
        }""",
        [how, html],
    )


def held(page: Page, key: str) -> Callable[[], None]:
    """Presses it; the gateway does not answer until it is let."""
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route(NEW, hold, times=1)
    page.keyboard.press(key)
    while not asked:  # a request is told of before its route is run
        page.wait_for_timeout(10)
    return asked[0].continue_


def draft_in(page: Page) -> str:
    """The one that is open."""
    (found,) = parse_qs(urlsplit(page.url).query)["compose"]
    return found


def conversation(page: Page, subject: str) -> None:
    page.get_by_role("row").filter(has_text=subject).first.click()
    expect(page.get_by_role("heading", name=subject)).to_be_visible()
    expect(page.get_by_role("button", name="Reply", exact=True)).to_be_visible()


def text(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text")
