"""Mailboxes that are renamed, deleted, made again or oddly named while they are read."""

import imaplib
from collections.abc import Callable

import pytest

from contracts.facts import MailboxFound, MailboxLost
from tests.services.faults.mirror import Connect, mails
from tests.support.dovecot import Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_truth import encoded, quoted, session

ODD = (
    "R&D",
    "Wysłane",
    "日本語/受信",
    "a * b",
    'quo"te',
    "back\\slash",
    "(paren",
    "brace{5}",
    "100%",
    "Sub/x y",
    "&",
    "NIL",
    "emoji 🦊",
)


async def test_every_odd_name_is_found_read_and_followed(mirror: Connect, dovecot: Dovecot, mail_user: User) -> None:
    with session(dovecot, mail_user) as imap:
        for name in ODD:
            assert imap.create(quoted(encoded(name)))[0] == "OK", name
            imap.append(quoted(encoded(name)), None, None, f"Subject: x\r\n\r\n{encoded(name)}\r\n".encode())  # type: ignore[arg-type]
    here = await mirror(dovecot, mail_user)
    await here.equal()
    assert {*ODD} <= (await here.shown()).keys()
    with session(dovecot, mail_user) as imap:
        for name in ODD:
            imap.select(quoted(encoded(name)))
            imap.uid("STORE", "1", "+FLAGS.SILENT", r"(\Seen)")
            imap.append(quoted(encoded(name)), None, None, b"Subject: more\r\n\r\nx\r\n")  # type: ignore[arg-type]
    await here.equal()


def rename(imap: imaplib.IMAP4) -> None:
    imap.rename("Project", "Old/Project")


def delete(imap: imaplib.IMAP4) -> None:
    imap.delete("Project")


def replace(imap: imaplib.IMAP4) -> None:
    imap.delete("Project")
    imap.create("Project")
    imap.append("Project", None, None, b"Subject: first of the new one\r\n\r\nx\r\n")  # type: ignore[arg-type]


def shadow(imap: imaplib.IMAP4) -> None:
    """The old one under another name, another under the old name."""
    imap.rename("Project", "Project 2025")
    imap.create("Project")
    imap.append("Project", None, None, b"Subject: first of the new one\r\n\r\nx\r\n")  # type: ignore[arg-type]


CHANGES = (rename, delete, replace, shadow)


@pytest.mark.parametrize("change", CHANGES)
async def test_a_mailbox_is_taken_away_while_it_is_read(
    mirror: Connect, dovecot: Dovecot, mail_user: User, change: Callable[[imaplib.IMAP4], None]
) -> None:
    dovecot.load(mail_user.name, mails(420), "Project")
    async with FaultProxy(dovecot.port) as proxy:
        proxy.hold = b"BODY.PEEK[])"
        here = await mirror(dovecot, mail_user, via=proxy)
        await proxy.held.wait()
        with session(dovecot, mail_user) as imap:
            change(imap)
        proxy.release.set()
        await here.equal()


@pytest.mark.parametrize("change", CHANGES)
async def test_a_mailbox_is_taken_away_after_it_was_read(
    mirror: Connect, dovecot: Dovecot, mail_user: User, change: Callable[[imaplib.IMAP4], None]
) -> None:
    dovecot.load(mail_user.name, mails(20), "Project")
    here = await mirror(dovecot, mail_user)
    await here.equal()
    with session(dovecot, mail_user) as imap:
        change(imap)
    await here.equal()


async def test_a_tree_that_is_renamed_keeps_the_ids_of_its_mailboxes(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    for n, name in enumerate(("Clients", "Clients/Ann", "Clients/Bob", "Clients/Bob/2024")):
        dovecot.load(mail_user.name, mails(3 + n, first=10 * n), name)
    here = await mirror(dovecot, mail_user)
    await here.equal()
    before = {fact.path: fact.mailbox_id for fact in await here.facts() if isinstance(fact, MailboxFound)}
    with session(dovecot, mail_user) as imap:
        imap.rename("Clients", "Customers")
    await here.equal()
    facts = await here.facts()
    after = {fact.path: fact.mailbox_id for fact in facts if isinstance(fact, MailboxFound)}
    assert {after[path.replace("Clients", "Customers")] == before[path] for path in before if "Clients" in path} == {
        True
    }
    assert not [fact for fact in facts if isinstance(fact, MailboxLost)]


async def test_a_mailbox_that_only_held_others_is_read_once_it_can_be(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    with session(dovecot, mail_user) as imap:
        imap.create("Parent/Child")
    here = await mirror(dovecot, mail_user)
    await here.equal()
    with session(dovecot, mail_user) as imap:
        imap.create("Parent")
        imap.append("Parent", None, None, b"Subject: x\r\n\r\nx\r\n")  # type: ignore[arg-type]
    await here.equal()
