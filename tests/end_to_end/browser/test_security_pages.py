"""Keeping others out, as a person does it in a real browser: codes, passkeys, sessions, links, and leaving."""

import subprocess
import sys
import time
from email import message_from_bytes
from email.policy import default
from urllib.parse import urlsplit

import pyotp
from playwright.sync_api import Page, expect

from tests.end_to_end.browser.conftest import Open, sign_in
from tests.end_to_end.browser.letters import PLAN
from tests.support.browser import PATIENCE, PHONE, barriers
from tests.support.installation import PASSWORD, Person, Product
from tests.support.rules import ROOT
from tests.support.smtp_sink import Sink

expect.set_options(timeout=PATIENCE)
NEW = "copper kettle 17 herons"


def log_in(page: Page, handle: str, password: str = PASSWORD) -> None:
    page.goto("/login")
    page.get_by_label("Handle").fill(handle)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def signed_in(page: Page) -> None:
    expect(page.get_by_role("button", name="You: ")).to_be_visible()


def log_out(page: Page) -> None:
    page.get_by_role("button", name="You: ").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def security(page: Page, handle: str, password: str = PASSWORD) -> None:
    log_in(page, handle, password)
    signed_in(page)
    page.goto("/settings/security")
    expect(page.get_by_role("heading", name="Security")).to_be_visible()


def webmail(installed: Product, *arguments: str) -> str:
    """What an operator's command prints."""
    command = [sys.executable, "-m", "services.admin", "users", *arguments]
    done = subprocess.run(command, env=dict(installed.environ), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_two_step_sign_in_from_the_picture_to_a_recovery_code(page: Page, installed: Product) -> None:
    installed.register("stepper")
    security(page, "stepper")
    card = page.get_by_role("region", name="Two-step sign-in")
    card.get_by_role("button", name="Switch on").click()
    card.get_by_label("Your password").fill(PASSWORD)
    card.get_by_role("button", name="Continue").click()
    picture = card.get_by_role("img", name="QR code")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 100")
    assert barriers(page) == []
    app = pyotp.TOTP(card.locator("code").inner_text().replace(" ", ""))
    card.get_by_label("Code that the app shows").fill(app.now())
    card.get_by_role("button", name="Switch on").click()
    listed = card.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(listed).to_have_count(10)
    codes = listed.all_inner_texts()
    card.get_by_role("button", name="I have kept them").click()
    expect(card).to_contain_text("10 recovery codes left.")

    log_out(page)
    log_in(page, "stepper")
    page.get_by_label("Code").fill(app.at(int(time.time()) + 30))
    page.get_by_role("button", name="Sign in").click()
    signed_in(page)
    log_out(page)
    log_in(page, "stepper")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    signed_in(page)

    page.goto("/settings/security")
    expect(card).to_contain_text("9 recovery codes left.")
    card.get_by_role("button", name="Switch off").click()
    card.get_by_label("Your password").fill(PASSWORD)
    card.get_by_label("Code").fill(codes[1])
    card.get_by_role("button", name="Switch off").click()
    expect(card.get_by_role("button", name="Switch on")).to_be_visible()
    log_out(page)
    log_in(page, "stepper")
    signed_in(page)


def test_a_passkey_is_made_renamed_and_signed_in_by(page: Page, installed: Product) -> None:
    installed.register("keeper")
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    device.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    security(page, "keeper")
    card = page.get_by_role("region", name="Passkeys")
    card.get_by_role("button", name="Add a passkey").click()
    card.get_by_label("Your password").fill(PASSWORD)
    expect(card.get_by_label("Name of the passkey")).to_have_value("Chrome, Linux")
    card.get_by_role("button", name="Add a passkey").click()
    name = card.get_by_role("listitem").get_by_label("Name of the passkey")
    expect(name).to_have_value("Chrome, Linux")
    expect(card).to_contain_text("not used yet")
    name.fill("work laptop")
    name.blur()
    expect(card.get_by_role("button", name="Remove the passkey work laptop")).to_be_visible()
    assert barriers(page) == []

    log_out(page)
    page.get_by_role("button", name="Use a passkey").click()
    signed_in(page)
    page.goto("/settings/security")
    expect(card).to_contain_text("last used")
    card.get_by_role("button", name="Remove the passkey work laptop").click()
    expect(card.get_by_role("listitem")).to_have_count(0)


def test_another_password_signs_out_the_other_browser_at_once(opened: Open, installed: Product) -> None:
    installed.register("guarded")
    here, there = opened().page, opened().page
    log_in(there, "guarded")
    signed_in(there)
    security(here, "guarded")
    sessions = here.get_by_role("region", name="Where you are signed in")
    expect(sessions.get_by_text("this browser")).to_be_visible()
    expect(sessions.get_by_role("listitem")).to_have_count(3)  # and the program that registered
    card = here.get_by_role("region", name="Password", exact=True)
    card.get_by_role("button", name="Change the password").click()
    card.get_by_label("Your password").fill(PASSWORD)
    card.get_by_label("New password").fill(NEW)
    card.get_by_role("button", name="Change the password").click()
    expect(card).to_contain_text("Changed.")
    expect(sessions.get_by_role("listitem")).to_have_count(1)
    expect(there.get_by_role("heading", name="Sign in")).to_be_visible()
    log_in(there, "guarded", NEW)
    signed_in(there)


def test_whoever_forgot_the_password_chooses_another_by_the_operators_link(page: Page, installed: Product) -> None:
    installed.register("forgetful")
    link = urlsplit(webmail(installed, "reset", "forgetful"))
    assert f"{link.scheme}://{link.netloc}" == installed.address
    page.goto(f"{link.path}#{link.fragment}")
    expect(page.get_by_role("heading", name="Choose a new password")).to_be_visible()
    assert barriers(page) == []
    page.get_by_label("New password").fill(NEW)
    page.get_by_role("button", name="Save the password").click()
    expect(page.get_by_text("Your password is changed")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    log_in(page, "forgetful", NEW)
    signed_in(page)


def test_whoever_forgot_the_password_gets_a_link_by_mail(page: Page, installed: Product, links: Sink) -> None:
    """Through the gateway, which can't read it, and outbound, which sends it."""
    address = "mailed@elsewhere.test"
    installed.register("mailed")
    security(page, "mailed")
    card = page.get_by_role("region", name="Recovery address")
    card.get_by_role("button", name="Set an address").click()
    card.get_by_label("Your password").fill(PASSWORD)
    card.get_by_label("E-mail address").fill(address)
    card.get_by_role("button", name="Send a link there").click()
    expect(card).to_contain_text("A link was sent there.")
    page.goto(link(installed, links, address, nth=1))
    page.get_by_role("button", name="Yes, it is mine").click()
    page.get_by_role("link", name="Go on to Webmail").click()
    page.goto("/settings/security")
    expect(card).to_contain_text(address)
    log_out(page)

    page.goto("/login")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("Handle").fill("mailed")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_text("a link is on its way")).to_be_visible()
    assert barriers(page) == []
    page.goto(link(installed, links, address, nth=2))
    page.get_by_label("New password").fill(NEW)
    page.get_by_role("button", name="Save the password").click()
    expect(page.get_by_text("Your password is changed")).to_be_visible()
    log_in(page, "mailed", NEW)
    signed_in(page)


def link(installed: Product, links: Sink, address: str, *, nth: int) -> str:
    """The one in the nth mail that this address got."""

    def mails() -> list[bytes]:
        return [one.raw for one in links.taken if one.recipients == [address]]

    installed.until(lambda: len(mails()) == nth, seconds=30)
    body = message_from_bytes(mails()[-1], policy=default).get_body()
    assert body is not None
    return next(line for line in body.get_content().splitlines() if line.startswith("http"))


def test_whoever_leaves_is_erased(page: Page, installed: Product) -> None:
    installed.register("leaver")
    security(page, "leaver")
    card = page.get_by_role("region", name="Leave")
    card.get_by_role("button", name="Erase everything and leave").click()
    card.get_by_label("Your password").fill(PASSWORD)
    card.get_by_role("button", name="Yes, erase everything").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    installed.until(lambda: not installed.rows("SELECT 1 FROM users WHERE handle = 'leaver@localhost'"), seconds=30)


def test_times_are_those_of_the_readers_zone(page: Page, reader: Person) -> None:
    sign_in(page, reader)

    def hour() -> str:
        page.goto("/mail")
        page.get_by_role("row").filter(has_text=PLAN).first.click()
        return page.get_by_role("article").last.locator("time").first.inner_text()

    def choose(zone: str) -> None:
        page.goto("/settings/profile")
        page.get_by_label("Time zone").select_option(zone)
        expect(page.get_by_text("Saved.")).to_be_visible()

    before = hour()
    choose("Asia/Tokyo")
    there = hour()
    choose("Europe/Warsaw")
    assert there != before
    assert hour() == before


def test_the_page_fits_a_phone_and_speaks_polish(opened: Open, installed: Product) -> None:
    installed.register("polish")
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True).page
    security(page, "polish")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert barriers(page) == []
    page.goto("/settings/profile")
    page.get_by_label("Language").select_option("pl")
    expect(page.get_by_label("Język")).to_be_visible()
    page.goto("/settings/security")
    for heading in ("Bezpieczeństwo", "Logowanie dwuetapowe", "Klucze dostępu", "Gdzie jesteś zalogowany", "Odejdź"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
