"""Cyrus gives mailboxes of one second one UIDVALIDITY, and tells them apart by MAILBOXID (RFC 8474)."""

import imaplib
from collections.abc import Callable

import pytest

from contracts.facts import MailboxFound
from tests.services.faults.mirror import Connect, Mirror, fill
from tests.support.cyrus_server import Cyrus
from tests.support.dovecot import User
from tests.support.imap_truth import session


def swap(imap: imaplib.IMAP4) -> None:
    imap.rename("One", "Between")
    imap.rename("Two", "One")
    imap.rename("Between", "Two")


def move_both(imap: imaplib.IMAP4) -> None:
    imap.rename("One", "Uno")
    imap.rename("Two", "Due")


@pytest.mark.parametrize(
    ("rename", "now"),
    [(swap, {"One": "Two", "Two": "One"}), (move_both, {"One": "Uno", "Two": "Due"})],
    ids=["swapped", "both moved"],
)
async def test_renamed_mailboxes_of_one_uidvalidity_are_told_apart_by_their_id(
    mirror: Connect, cyrus: Cyrus, cyrus_user: User, rename: Callable[[imaplib.IMAP4], None], now: dict[str, str]
) -> None:
    with session(cyrus, cyrus_user) as imap:
        imap.create("One")
        imap.create("Two")
    fill(cyrus, cyrus_user, 4, "One")
    fill(cyrus, cyrus_user, 4, "Two")
    here = await mirror(cyrus, cyrus_user)
    await here.equal()
    before = {path: (await here.ids_of(path))[-1] for path in now}
    with session(cyrus, cyrus_user) as imap:
        rename(imap)
    await here.equal()
    assert {new: (await latest(here))[new] for new in now.values()} == {new: before[old] for old, new in now.items()}


async def latest(here: Mirror) -> dict[str, object]:
    """Which mailbox is at a path now."""
    at: dict[object, str] = {}
    for fact in await here.facts():
        if isinstance(fact, MailboxFound):
            at[fact.mailbox_id] = fact.path
    return {path: mailbox for mailbox, path in at.items()}
