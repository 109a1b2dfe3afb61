"""All that a list holds, chosen and moved in a real browser, and what the mail server then holds."""

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.browser.conftest import connected, sign_in
from tests.end_to_end.browser.test_acting_in_the_browser import row
from tests.support.browser import PATIENCE, barriers
from tests.support.dovecot import Dovecot, User
from tests.support.imap_truth import held
from tests.support.installation import Person, Product
from tests.support.picture_server import PictureServer

expect.set_options(timeout=PATIENCE)

MESSAGES, CONVERSATIONS = 66, 63


@pytest.fixture(scope="module")
def mover_user(dovecot: Dovecot) -> User:
    user = dovecot.user()
    dovecot.doveadm("mailbox", "create", "-u", user.name, "-s", "Everything")
    return user


@pytest.fixture(scope="module")
def mover(installed: Product, dovecot: Dovecot, mover_user: User, pictures: PictureServer) -> Person:
    return connected(installed, dovecot, mover_user, "mover", pictures.picture)


def test_all_that_a_list_holds_is_moved_and_comes_back(
    page: Page, mover: Person, installed: Product, dovecot: Dovecot, *, mover_user: User
) -> None:
    sign_in(page, mover)
    row(page, "Quarterly plan").get_by_role("checkbox").check(force=True)
    page.get_by_role("checkbox", name="that are loaded").check()
    page.get_by_role("button", name=f"Choose all {CONVERSATIONS} conversations in this list").click()
    expect(page.get_by_role("toolbar", name="Chosen conversations")).to_contain_text(f"{CONVERSATIONS} chosen")
    assert barriers(page) == []
    page.keyboard.press("v")
    expect(page.get_by_role("combobox", name="Find a mailbox")).to_be_focused()
    page.keyboard.type("everyth")
    page.keyboard.press("Enter")

    jobs = page.get_by_role("region", name="Jobs under way")
    expect(jobs).to_contain_text(f"{MESSAGES} messages done.")
    assert barriers(page) == []
    expect(page.get_by_text("Your inbox is empty.")).to_be_visible()
    assert sizes(dovecot, mover_user) == {"Everything": MESSAGES}

    jobs.get_by_role("button", name="Undo").click()
    expect(row(page, "Quarterly plan")).to_be_visible()
    expect(jobs).to_contain_text(f"{MESSAGES} messages done.")
    assert sizes(dovecot, mover_user) == {"INBOX": MESSAGES}


def sizes(dovecot: Dovecot, user: User) -> dict[str, int]:
    return {path: len(placed) for path, placed in held(dovecot, user).items() if placed}
