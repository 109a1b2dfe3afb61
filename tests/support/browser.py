"""Chromium for tests, its pages watched: whatever the console or a policy complains of fails the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.support.programs import find_program

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
PATIENCE = 20_000
"""Milliseconds: the machine may be busy; what must be fast is measured where it must."""

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def chromium_running() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_program("chromium"), args=list(FLAGS))
        yield browser
        browser.close()


class Watched:
    """A page and what it complained of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        shown, place = message.page.url if message.page else "", message.location.get("url", "")
        if message.type in {"error", "warning"} and not _expected(message.text, shown, place):
            self.complaints.append(f"on {shown}: {message.text} ({place})")


def _expected(text: str, shown: str, place: str) -> bool:
    """Who is not signed in, or just has signed out, gets a 401; and what a test runs in a mail's frame is blocked there."""
    nobody = "401 (Unauthorized)" in text and (place.endswith("/api/auth/me") or "/login" in shown)
    return nobody or (text.startswith("Blocked script execution in") and "sandboxed" in text and "/html?" in place)


@contextmanager
def watched_page(browser: Browser, address: str, **options: Any) -> Iterator[Watched]:
    """A fresh browser profile with one page; asserts in the end that nothing was complained of."""
    given = {"viewport": DESKTOP, "locale": "en-GB", "timezone_id": "Europe/Warsaw", "ignore_https_errors": True}
    context = browser.new_context(base_url=address, **{**given, **options})
    context.set_default_timeout(PATIENCE)
    try:
        watched = Watched(context.new_page())
        yield watched
        assert watched.complaints == [], watched.complaints
    finally:
        context.close()


def barriers(page: Page) -> list[str]:
    """What axe finds that keeps somebody out: serious and critical only. Frames hold mail, which is not ours."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {iframes: false, resultTypes: ['violations']})")
    return [
        f"{one['id']}: {[node['target'] for node in one['nodes'][:3]]}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
    ]
