"""Two browsers and another client act on one conversation at the same time: in the end all three show what the server has."""

import random
import threading
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.browser.conftest import Open, connected, sign_in
from tests.end_to_end.browser.letters import PLAN
from tests.end_to_end.browser.test_acting_in_the_browser import row
from tests.end_to_end.browser.test_security_pages import log_in
from tests.support.browser import PATIENCE
from tests.support.dovecot import Dovecot, User
from tests.support.imap_truth import session
from tests.support.installation import Person, Product
from tests.support.picture_server import PictureServer

expect.set_options(timeout=PATIENCE)

ROUNDS = 6


class Line(NamedTuple):
    """The conversation as a list shows it; what the server has of it, told in the same words."""

    listed: bool
    starred: bool = False
    unread: bool = False


@pytest.fixture(scope="module")
def pair_user(dovecot: Dovecot) -> User:
    return dovecot.user()


@pytest.fixture(scope="module")
def pair(installed: Product, dovecot: Dovecot, pair_user: User, pictures: PictureServer) -> Person:
    return connected(installed, dovecot, pair_user, "pair", pictures.picture)


def test_two_browsers_and_another_client_end_with_what_the_server_has(
    opened: Open, pair: Person, installed: Product, dovecot: Dovecot, *, pair_user: User, seed: int
) -> None:
    dice = random.Random(seed)
    one, other = opened().page, opened().page
    sign_in(one, pair)
    log_in(other, pair.handle)  # which makes another session
    for page in (one, other):
        expect(row(page, PLAN)).to_be_visible()
    row(other, PLAN).click()
    expect(other.get_by_role("heading", name=PLAN)).to_be_visible()

    for _ in range(ROUNDS):
        third = threading.Thread(target=meddle, args=(dovecot, pair_user, dice.choice(CHANGES)))
        third.start()
        choose(one)
        for page in dice.sample([one, other, one], 3):
            page.keyboard.press(dice.choice(["s", "s", "Shift+U" if page is one else "s"]))
        third.join()
        agree(installed, pair, [one, other], lambda: on_server(dovecot, pair_user))

    threading.Thread(target=meddle, args=(dovecot, pair_user, r"+FLAGS (\Flagged)")).start()
    choose(one)
    one.keyboard.press("e")
    other.keyboard.press("s")
    agree(installed, pair, [one, other], lambda: on_server(dovecot, pair_user))
    expect(row(one, PLAN)).to_have_count(0)
    one.keyboard.press("z")
    agree(installed, pair, [one, other], lambda: on_server(dovecot, pair_user))
    expect(row(other, PLAN)).to_be_visible()


CHANGES = (r"+FLAGS (\Flagged)", r"-FLAGS (\Flagged)", r"+FLAGS (\Seen)", r"-FLAGS (\Seen)")


def meddle(dovecot: Dovecot, user: User, change: str) -> None:
    """A third client, at one message of the conversation after the other."""
    how, flags = change.split(" ", 1)
    with session(dovecot, user) as imap:
        imap.select("INBOX")
        for uid in imap.uid("SEARCH", "SUBJECT", f'"{PLAN}"')[1][0].decode().split():
            imap.uid("STORE", uid, how, flags)


def choose(page: Page) -> None:
    """In the list, unless it is."""
    box = row(page, PLAN).get_by_role("checkbox")
    if not box.is_checked():
        box.check(force=True)


PENDING = "SELECT count(*) FROM mail.pending p JOIN users u ON u.id = p.user_id WHERE u.handle = %s"


def agree(installed: Product, person: Person, pages: list[Page], truth: Callable[[], Line]) -> None:
    """Both show what the server has, and nothing that the person asked for is still to come."""

    def same() -> bool:
        pending = installed.rows(PENDING, f"{person.handle}@localhost")[0][0]
        return not pending and {shown(page) for page in pages} == {truth()}

    installed.until(same, seconds=40, every=0.3)


def shown(page: Page) -> Line:
    """What is there now, without waiting for it."""
    line = row(page, PLAN)
    texts = line.all_text_contents()
    if not texts:
        return Line(listed=False)
    return Line(listed=True, starred=line.get_by_role("img", name="Starred").count() > 0, unread="Unread" in texts[0])


def on_server(dovecot: Dovecot, user: User) -> Line:
    with session(dovecot, user) as imap:
        imap.select("INBOX", readonly=True)
        uids = imap.uid("SEARCH", "SUBJECT", f'"{PLAN}"')[1][0].decode().split()
        if not uids:
            return Line(listed=False)
        found = [str(one) for one in imap.uid("FETCH", ",".join(uids), "(FLAGS)")[1]]
    return Line(
        listed=True,
        starred=any("Flagged" in one for one in found),
        unread=any("Seen" not in one for one in found),
    )
