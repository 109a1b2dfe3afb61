"""The picture in the README: the demo's mailbox in three panes, with a conversation open."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from services.embedded.demo import Demo
from tests.support.browser import PATIENCE, watched_page
from tests.support.installation import product

expect.set_options(timeout=PATIENCE)


def test_the_demo_is_worth_a_picture(chromium: Browser, screenshot: Path) -> None:
    with product() as running:
        demo = Demo(running.running, report=lambda _: None)
        demo.prepare()
        demo.wait_for_mail()
        with watched_page(chromium, running.address, color_scheme="light") as watched:
            page = watched.page
            page.goto("/login")
            page.get_by_label("Handle").fill("demo")
            page.get_by_label("Password").fill(demo.password)
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("row").filter(has_text="Atlas launch").first.click()
            expect(page.get_by_role("heading", name="Atlas launch")).to_be_visible()
            expect(page.get_by_role("banner")).to_contain_text("Up to date")
            page.evaluate("document.fonts.ready.then(() => document.activeElement.blur())")
            page.mouse.move(1439, 899)
            page.screenshot(path=screenshot)
    assert screenshot.stat().st_size < 300_000
