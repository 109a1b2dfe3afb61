"""Acting on mail in a real browser, and what the mail server then holds."""

import imaplib
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.browser.conftest import Open, connected, sign_in
from tests.end_to_end.browser.letters import letter
from tests.support.browser import PATIENCE, PHONE, barriers
from tests.support.dovecot import FULL, Dovecot, Mail, User
from tests.support.installation import Person, Product, state
from tests.support.picture_server import PictureServer
from tests.support.pymap_server import PymapServer

expect.set_options(timeout=PATIENCE)
PROJECTS, DOOMED = "Projects", "Doomed"


@pytest.fixture(scope="module")
def actor_user(dovecot: Dovecot) -> User:
    user = dovecot.user()
    for mailbox in (PROJECTS, DOOMED):
        dovecot.doveadm("mailbox", "create", "-u", user.name, "-s", mailbox)
    unread = [letter("Not read yet", key="fresh", hours_ago=2, flags="", body="Read me.")]
    dovecot.load(user.name, unread)
    return user


@pytest.fixture(scope="module")
def actor(installed: Product, dovecot: Dovecot, actor_user: User, pictures: PictureServer) -> Person:
    return connected(installed, dovecot, actor_user, "actor", pictures.picture)


def test_what_is_archived_goes_on_the_server_too_and_comes_back_by_undo(
    page: Page, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    sign_in(page, actor)
    row(page, "Note 0").click()
    expect(page.get_by_role("heading", name="Note 0")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name="Note 1")).to_be_visible()
    expect(row(page, "Note 0")).to_have_count(0)
    expect(toast(page)).to_contain_text("Archived.")
    installed.until(lambda: "Note 0" in subjects(dovecot, actor_user, "Archive"), seconds=20)

    page.keyboard.press("z")
    expect(row(page, "Note 0")).to_be_visible()
    expect(toast(page)).to_contain_text("Undone.")
    installed.until(lambda: "Note 0" in subjects(dovecot, actor_user, "INBOX"), seconds=20)
    assert "Note 0" not in subjects(dovecot, actor_user, "Archive")
    expect(row(page, "Note 0")).to_be_visible()


def test_a_star_is_shown_at_once_and_reaches_the_server(
    page: Page, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    sign_in(page, actor)
    row(page, "Note 1").click()
    page.keyboard.press("s")
    expect(row(page, "Note 1").get_by_role("img", name="Starred")).to_be_visible()
    installed.until(lambda: "Note 1" in subjects(dovecot, actor_user, "INBOX", "flagged"), seconds=20)
    page.keyboard.press("s")
    expect(row(page, "Note 1").get_by_role("img", name="Starred")).to_have_count(0)
    installed.until(lambda: "Note 1" not in subjects(dovecot, actor_user, "INBOX", "flagged"), seconds=20)


def test_what_is_opened_is_read_and_can_be_made_unread_again(
    page: Page, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    sign_in(page, actor)
    fresh = row(page, "Not read yet")
    expect(fresh).to_contain_text("Unread")
    fresh.click()
    expect(page.get_by_role("article")).to_contain_text("Read me.")
    expect(fresh).not_to_contain_text("Unread")
    installed.until(lambda: "Not read yet" in subjects(dovecot, actor_user, "INBOX", "seen"), seconds=20)

    page.keyboard.press("Shift+U")
    expect(page.get_by_text("Choose a conversation to read it here.")).to_be_visible()
    expect(fresh).to_contain_text("Unread")
    installed.until(lambda: "Not read yet" in subjects(dovecot, actor_user, "INBOX", "unseen"), seconds=20)


def test_a_mailbox_is_found_by_typing_and_the_history_tells_of_the_move(
    page: Page, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    sign_in(page, actor)
    row(page, "Note 2").click()
    page.keyboard.press("v")
    expect(page.get_by_role("combobox", name="Find a mailbox")).to_be_focused()
    assert barriers(page) == []
    page.keyboard.type("proj")
    page.keyboard.press("Enter")
    expect(row(page, "Note 2")).to_have_count(0)
    installed.until(lambda: "Note 2" in subjects(dovecot, actor_user, PROJECTS), seconds=20)

    page.goto("/mail/history")
    entry = page.get_by_role("listitem").filter(has_text="Note 2").first
    expect(entry).to_contain_text(f"Moved to {PROJECTS}")
    expect(entry).to_contain_text("you,")
    assert barriers(page) == []
    page.get_by_role("link", name="Note 2").click()
    expect(page.get_by_text(re.compile(rf"Moved to {PROJECTS} by you, "))).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="Undo").click()
    installed.until(lambda: "Note 2" in subjects(dovecot, actor_user, "INBOX"), seconds=20)
    expect(row(page, "Note 2")).to_be_visible()


def test_three_are_chosen_by_keys_and_thrown_away(
    page: Page, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    sign_in(page, actor)
    row(page, "Note 3").get_by_role("checkbox").check(force=True)
    page.keyboard.press("Shift+J")
    page.keyboard.press("Shift+J")
    expect(page.get_by_role("toolbar", name="Chosen conversations")).to_contain_text("3 chosen")
    assert barriers(page) == []
    page.keyboard.press("#")
    for n in (3, 4, 5):
        expect(row(page, f"Note {n}")).to_have_count(0)
    expect(toast(page)).to_contain_text("3 moved to the trash.")
    gone = {"Note 3", "Note 4", "Note 5"}
    installed.until(lambda: gone <= subjects(dovecot, actor_user, "Trash"), seconds=20)
    expect(page.get_by_role("toolbar", name="Chosen conversations")).to_have_count(0)


def test_what_the_server_refuses_comes_back_with_its_reason(
    page: Page, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    with paused(installed, "sync"):  # so that nobody tells of it
        dovecot.doveadm("mailbox", "delete", "-u", actor_user.name, DOOMED)
        sign_in(page, actor)
        row(page, "Note 6").click()
        page.keyboard.press("v")
        expect(page.get_by_role("combobox", name="Find a mailbox")).to_be_focused()
        page.keyboard.type(DOOMED)
        page.keyboard.press("Enter")
        expect(row(page, "Note 6")).to_have_count(0)
        alert = page.get_by_role("alert").filter(has_text="The mail server refused a change of “Note 6”")
        expect(alert).to_contain_text("The server has no such mailbox any more.")
        expect(row(page, "Note 6")).to_be_visible()
        expect(page.get_by_text("Moved.")).to_have_count(0)
    assert "Note 6" in subjects(dovecot, actor_user, "INBOX")


def test_on_a_phone_the_actions_are_at_the_bottom_and_the_next_conversation_follows(
    opened: Open, actor: Person, installed: Product, dovecot: Dovecot, actor_user: User
) -> None:
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True).page
    sign_in(page, actor)
    row(page, "Quarterly plan").tap()
    archive = page.get_by_role("button", name="Archive")
    box = archive.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["y"] > PHONE["height"] - 70
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert barriers(page) == []
    archive.tap()
    expect(page.get_by_role("heading", name="A picture from the trip")).to_be_visible()
    toast(page).get_by_role("button", name="Undo").tap()
    page.get_by_role("button", name="Back to the list").tap()
    expect(row(page, "Quarterly plan")).to_be_visible()
    installed.until(lambda: "Quarterly plan" in subjects(dovecot, actor_user, "INBOX"), seconds=20)


def test_a_mailbox_that_is_missing_is_created_and_then_it_goes_on(
    opened: Open, installed: Product, pymap_server: PymapServer
) -> None:
    user = pymap_server.user
    append(pymap_server, letter("Only here", key="only", hours_ago=1))
    person = installed.register("beginner")
    imap = {"host": FULL, "port": pymap_server.port, "tls": "none", "username": user.name, "password": user.password}
    person.browser.post("/api/accounts", {"email": user.name, "display_name": "Bare", "imap": imap, "smtp": None})
    installed.until(lambda: state(person)["state"] == "live", seconds=40)

    watched = opened()
    page = watched.page
    sign_in(page, person)
    row(page, "Only here").click()
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Where is the mailbox “Archive”?")
    dialog.get_by_label("Name").fill("Kept")
    assert barriers(page) == []
    dialog.get_by_role("button", name="Use it and go on").click()
    expect(toast(page)).to_contain_text("Archived.")
    expect(row(page, "Only here")).to_have_count(0)
    installed.until(
        lambda: ("Kept", 1) in {(one["path"], one["total"]) for one in state(person)["mailboxes"]}, seconds=20
    )
    assert ["409" in one for one in watched.complaints] == [True]
    watched.complaints.clear()


def append(server: PymapServer, mail: Mail) -> None:
    with imaplib.IMAP4(FULL, server.port) as client:
        client.login(server.user.name, server.user.password)
        client.append("INBOX", mail.flags and r"(\Seen)", "", mail.raw.replace(b"\n", b"\r\n"))


@contextmanager
def paused(installed: Product, name: str) -> Iterator[None]:
    child = installed.child(name).process
    assert child is not None
    child.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        child.send_signal(signal.SIGCONT)


def subjects(dovecot: Dovecot, user: User, mailbox: str, *what: str) -> set[str]:
    """Of what the server holds there."""
    said = dovecot.doveadm("fetch", "-u", user.name, "hdr.subject", "mailbox", mailbox, *what)
    return {line.removeprefix("hdr.subject: ") for line in said.splitlines() if line.startswith("hdr.subject: ")}


def toast(page: Page) -> Locator:
    return page.locator("[data-toast]").last


def row(page: Page, subject: str) -> Locator:
    return page.get_by_role("row").filter(has_text=re.compile(rf"{re.escape(subject)}(?!\d)"))
