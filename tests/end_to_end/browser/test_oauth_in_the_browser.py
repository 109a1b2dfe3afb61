"""An account is connected by signing in at its provider, and when that lets us in no more, one button brings it back."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browser import PATIENCE, barriers, watched_page
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.installation import PASSWORD, Product, product
from tests.support.oauth_server import CLIENT, SECRET, OAuthServer
from tests.support.stand_in_google import stand_for_google
from tests.support.stand_in_product import installation_in, providers

expect.set_options(timeout=PATIENCE)
OLGA = User("olga@gmail.com", "never typed")
MAIL = b"Subject: Hello Olga\r\nFrom: ben@example.test\r\n\r\nGood morning.\r\n"
PAGE = "<!doctype html><title>Sign in</title><a href='{yes}'>Allow</a> <a href='{no}'>Cancel</a>"


@pytest.fixture(scope="module")
def google() -> OAuthServer:
    return OAuthServer()


@pytest.fixture(scope="module")
def known_there(google: OAuthServer) -> Iterator[Product]:
    """An installation that Google knows."""
    dovecot = Dovecot()
    with (dovecot.root / "users").open("a", encoding="utf-8") as file:
        file.write(f"{OLGA.name}:{{PLAIN}}{OLGA.password}::::::\n")
    client = {"OAUTH_GOOGLE_CLIENT_ID": CLIENT, "OAUTH_GOOGLE_CLIENT_SECRET": SECRET}
    with (
        dovecot,
        providers(dovecot, lambda net: stand_for_google(net, google, dovecot.port)) as map_,
        product(installation_in(map_), **client) as running,
    ):
        dovecot.load(OLGA.name, [Mail(MAIL)])
        yield running


@pytest.fixture
def page(chromium: Browser, known_there: Product, google: OAuthServer) -> Iterator[Page]:
    """Its browser reaches the provider's page, where one may agree or not."""

    def sign_in_page(route: Route) -> None:
        yes = google.consent(route.request.url, OLGA.name)
        state = yes.partition("state=")[2]
        no = f"{yes.partition('?')[0]}?{urlencode({'error': 'access_denied'})}&state={state}"
        route.fulfill(content_type="text/html", body=PAGE.format(yes=yes, no=no))

    with watched_page(chromium, known_there.address) as watched:
        watched.page.context.route("https://accounts.google.com/**", sign_in_page)
        yield watched.page


def test_by_buttons_alone_from_the_wizard_to_a_lost_grant_and_back(
    page: Page, known_there: Product, google: OAuthServer
) -> None:
    page.goto("/register")
    page.get_by_label("Handle").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()

    page.get_by_label("E-mail address").fill(OLGA.name)
    page.get_by_role("button", name="Sign in with Google").click()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_text("Access was not granted there.")).to_be_visible()
    assert barriers(page) == []

    page.get_by_label("E-mail address").fill(OLGA.name)
    page.get_by_role("button", name="Sign in with Google").click()
    google.lives = 100  # so short that every connection needs another one
    page.get_by_role("link", name="Allow").click()
    page.get_by_role("link", name="Start reading now").click()
    expect(page.get_by_role("row").first).to_contain_text("Hello Olga")

    google.revoke(OLGA.name)
    page.goto("/settings/accounts")
    card = page.get_by_role("region", name=OLGA.name)
    known_there.child("sync").process.kill()  # its successor has to log in
    known_there.until(lambda: card.get_by_text("Needs to be connected again").is_visible(), seconds=60)
    expect(card.get_by_text("The provider does not let us in any more.")).to_be_visible()
    assert barriers(page) == []

    google.lives = 3600
    card.get_by_role("button", name="Sign in with Google").click()
    page.get_by_role("link", name="Allow").click()
    expect(page.get_by_role("link", name="Start reading now")).to_be_visible()
    page.goto("/settings/accounts")
    known_there.until(lambda: card.get_by_text("Up to date").is_visible(), seconds=60)
