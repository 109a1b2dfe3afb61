"""A gateway that dies under an open page: the page says so, comes back by itself, and shows what it missed."""

from playwright.sync_api import Browser, expect

from tests.end_to_end.browser.conftest import sign_in
from tests.end_to_end.browser.test_arrival_in_the_browser import deliver
from tests.support.browser import PATIENCE, watched_page
from tests.support.dovecot import Dovecot, User
from tests.support.installation import Person, Product

expect.set_options(timeout=PATIENCE)
AWAY = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "WebSocket")
"""What the console says of a gateway that is not there, or dies while it answers."""


def test_a_page_survives_its_gateway_and_shows_what_came_meanwhile(
    chromium: Browser, installed: Product, busy: Person, dovecot: Dovecot, busy_user: User
) -> None:
    with watched_page(chromium, installed.address) as watched:
        page = watched.page
        sign_in(page, busy)
        status = page.get_by_role("banner").get_by_role("link")
        expect(status).to_have_text("Up to date")
        page.evaluate("globalThis.sameDocument = true")

        installed.kill("gateway")
        expect(status).to_have_text("Reconnecting…")
        expect(page.get_by_role("row").first).to_be_visible()  # what was read can still be read
        deliver(dovecot, busy_user, "While the gateway was gone")
        installed.until(installed.ready, seconds=30)

        expect(status).to_have_text("Up to date")
        expect(page.get_by_role("row").first).to_contain_text("While the gateway was gone")
        assert page.evaluate("globalThis.sameDocument")
        assert [one for one in watched.complaints if not any(away in one for away in AWAY)] == []
        watched.complaints.clear()
