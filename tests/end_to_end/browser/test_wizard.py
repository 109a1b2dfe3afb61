"""An account is connected by its address and password alone, wherever the servers are told; by hand where they are not."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.browser.conftest import Open
from tests.end_to_end.browser.letters import LETTERS
from tests.support.browser import PATIENCE, PHONE, barriers
from tests.support.dovecot import User
from tests.support.installation import PASSWORD
from tests.support.stand_in_product import AUTOCONFIG, MANUAL, MANUAL_HOST, PRESET, SRV

expect.set_options(timeout=PATIENCE)
READABLE = 5.0
"""Seconds from "Add" to the text of a message."""


def newcomer(page: Page, handle: str) -> None:
    """Signed up, and before the wizard."""
    page.goto("/register")
    page.get_by_label("Handle").fill(handle)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", name="Connect an account")).to_be_visible()


def fill(page: Page, user: User) -> None:
    page.get_by_label("E-mail address").fill(user.name)
    page.get_by_label("Password").fill(user.password)


@pytest.mark.parametrize(
    ("user", "badge"),
    [
        (PRESET, "Found via preset: onet.pl"),
        (AUTOCONFIG, "Found via autoconfig: Autoconfig Only"),
        (SRV, "Found via DNS: srv-only.example"),
    ],
)
def test_an_address_and_a_password_are_enough(page: Page, user: User, badge: str) -> None:
    """With the keyboard alone, and the first conversation is read soon after "Add"."""
    newcomer(page, user.name.partition("@")[0])
    page.keyboard.type(user.name)
    expect(page.get_by_text(badge)).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.type(user.password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Connect {user.name}")).to_be_visible()
    add = page.get_by_role("button", name="Add this account")
    expect(add).to_be_focused()
    expect(page.get_by_role("list", name="How the test went").get_by_role("listitem")).to_have_text(
        [re.compile(rf"{name}[\d,]+ ms") for name in ("certificate", "IMAP sign-in", "certificate", "SMTP sign-in")]
    )
    assert barriers(page) == []
    began = time.monotonic()
    page.keyboard.press("Enter")
    start = page.get_by_role("link", name="Start reading now")
    expect(start).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("row").filter(has_text=f"Letter {LETTERS - 1}").click()
    expect(page.get_by_role("article")).to_contain_text("Good morning.")
    took = time.monotonic() - began
    print(f"{badge}: the first conversation was read {took:.2f} s after Add")  # noqa: T201 - the figure is asked for
    assert took < READABLE


def test_by_hand_with_what_is_wrong_said_at_each_try(page: Page) -> None:
    newcomer(page, "dan")
    fill(page, User(MANUAL.name, "wrong"))
    expect(page.get_by_text("No servers found by themselves; you can fill them in next.")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("We found no servers for this address.")).to_be_visible()
    page.get_by_text("How we looked (6 steps)").click()
    expect(page.get_by_text("no mail server at imap.manual.example, mail.manual.example")).to_be_visible()

    hosts = page.get_by_label("Server", exact=True)
    expect(hosts.first).to_have_value("imap.manual.example")
    page.get_by_role("button", name="Test").click()
    checks = page.get_by_role("list", name="How the test went")
    expect(checks).to_contain_text("IMAP connection and certificate: No server has this name.")
    hosts.first.fill(MANUAL_HOST)
    hosts.last.fill(f"smtp.{MANUAL_HOST}")
    page.get_by_role("button", name="Test").click()
    expect(checks).to_contain_text("IMAP sign-in: The server refused this user name or password.")
    expect(checks).to_contain_text("SMTP sign-in: The server refused")
    expect(checks).to_contain_text("5.7.8 authentication failed")
    assert barriers(page) == []

    page.get_by_label("Password").fill(MANUAL.password)
    page.get_by_role("button", name="Test").click()
    page.get_by_role("button", name="Add this account").click()
    page.get_by_role("link", name="Start reading now").click()
    expect(page.get_by_role("row").first).to_contain_text(f"Letter {LETTERS - 1}")


def test_on_a_phone_in_the_dark_and_in_polish(opened: Open) -> None:
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="dark", locale="pl-PL").page
    page.goto("/register")
    page.get_by_label("Nazwa").fill("telefon")
    page.get_by_label("Hasło").fill(PASSWORD)
    page.get_by_role("button", name="Załóż konto").click()
    page.get_by_label("Adres e-mail").fill(PRESET.name)
    expect(page.get_by_text("Znane ustawienia: onet.pl")).to_be_visible()
    assert barriers(page) == []
    page.get_by_label("Hasło").fill("złe")
    page.get_by_role("button", name="Dalej").tap()
    checks = page.get_by_role("list", name="Jak poszło sprawdzanie")
    expect(checks).to_contain_text("Onet wymaga włączenia „dostępu dla programów pocztowych”")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 21, 22)"
    assert barriers(page) == []
