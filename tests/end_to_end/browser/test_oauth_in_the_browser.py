"""An account is connected by signing in at its provider, and when that lets us in no more, one button brings it back."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, Route, expect

from tests.end_to_end.browser.conftest import OLGA, Open
from tests.support.browser import PATIENCE, barriers
from tests.support.installation import PASSWORD, Product
from tests.support.oauth_server import OAuthServer

expect.set_options(timeout=PATIENCE)
PAGE = "<!doctype html><title>Sign in</title><a href='{yes}'>Allow</a> <a href='{no}'>Cancel</a>"


@pytest.fixture
def page(opened: Open, google: OAuthServer) -> Page:
    """Its browser reaches the provider's page, where one may agree or not."""

    def sign_in_page(route: Route) -> None:
        yes = google.consent(route.request.url, OLGA.name)
        state = yes.partition("state=")[2]
        no = f"{yes.partition('?')[0]}?{urlencode({'error': 'access_denied'})}&state={state}"
        route.fulfill(content_type="text/html", body=PAGE.format(yes=yes, no=no))

    page = opened().page
    page.context.route("https://accounts.google.com/**", sign_in_page)
    return page


def test_by_buttons_alone_from_the_wizard_to_a_lost_grant_and_back(
    page: Page, installed: Product, google: OAuthServer
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
    installed.child("sync").process.kill()  # its successor has to log in
    installed.until(lambda: card.get_by_text("Needs to be connected again").is_visible(), seconds=60)
    expect(card.get_by_text("The provider does not let us in any more.")).to_be_visible()
    assert barriers(page) == []

    google.lives = 3600
    card.get_by_role("button", name="Sign in with Google").click()
    page.get_by_role("link", name="Allow").click()
    expect(page.get_by_role("link", name="Start reading now")).to_be_visible()
    page.goto("/settings/accounts")
    installed.until(lambda: card.get_by_text("Up to date").is_visible(), seconds=60)
