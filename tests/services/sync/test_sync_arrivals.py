"""What a mail server holds arrives in the log exactly once, newest first, and whatever changes there follows."""

import time
from collections.abc import Iterator
from uuid import UUID

import pytest

from contracts.facts import (
    AccountState,
    GenerationAbandoned,
    GenerationCommitted,
    GenerationOpened,
    MailboxFound,
    MailboxLost,
    MailboxMarked,
    MessageArrived,
)
from contracts.subjects import AccountSubjects
from services.blobs import FolderBlobs
from tests.services.sync.told import mailboxes, repeated
from tests.support.corpus import messages
from tests.support.dovecot import POOR, SINGLE, Dovecot, Mail, User
from tests.support.imap_truth import held, session
from tests.support.processes import Installation, until

NEW = b"From: a@example.test\r\nMessage-ID: <new@example.test>\r\nSubject: Just now\r\n\r\nHello.\r\n"


def corpus(count: int, folder: str = "easy-ham-1") -> list[Mail]:
    return [Mail(message.raw, flags="S" if n % 3 else "") for n, message in enumerate(messages(folder)) if n < count]


async def settled(installed: Installation, account: AccountSubjects, dovecot: Dovecot, user: User) -> None:
    """Return when the log says what the server holds."""

    async def equal() -> bool:
        return mailboxes(await installed.told(account)) == held(dovecot, user)

    await until(equal)


@pytest.fixture(scope="module")
def process(installation_of_the_run: Installation) -> Iterator[None]:
    with installation_of_the_run.running("sync", POLL_WARM="1"):
        yield


@pytest.fixture
def syncing(installed: Installation, process: None) -> Installation:
    """With a process that all tests of this module share."""
    return installed


async def test_mailboxes_arrive_exactly_once_inbox_and_sent_before_the_rest_and_newest_first(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    for mailbox, count in (("INBOX", 230), ("Archive", 30), ("Sent", 40), ("Lists/python", 20)):
        dovecot.load(mail_user.name, corpus(count), mailbox)
    account = await syncing.add_account(dovecot, mail_user)
    await syncing.until_live(account)

    facts = await syncing.told(account)
    assert mailboxes(facts) == held(dovecot, mail_user)
    assert repeated(facts) == []
    paths = {fact.mailbox_id: fact.path for fact in facts if isinstance(fact, MailboxFound)}
    order: dict[str, list[int]] = {}
    for fact in facts:
        if isinstance(fact, MessageArrived):
            order.setdefault(paths[fact.mailbox_id], []).append(fact.uid)
    assert list(order) == ["INBOX", "Sent", "Archive", "Lists/python"]
    assert all(uids == sorted(uids, reverse=True) for uids in order.values())
    assert {paths[f.mailbox_id] for f in facts if isinstance(f, GenerationCommitted)} == set(paths.values()) - {"Lists"}
    marks = {paths[fact.mailbox_id]: fact for fact in facts if isinstance(fact, MailboxMarked)}
    assert (marks["INBOX"].done, marks["INBOX"].synced, marks["INBOX"].total) == (True, 230, 230)


async def test_every_blob_is_what_the_server_sent_and_every_document_is_remembered(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, corpus(30, "spam-1"))
    account = await syncing.add_account(dovecot, mail_user)
    await syncing.until_live(account)
    blobs = FolderBlobs(syncing.folder / "blobs")
    arrived = [fact for fact in await syncing.told(account) if isinstance(fact, MessageArrived)]
    assert len(arrived) == 30
    for fact in arrived:
        assert len(await blobs.get(account.user_id, fact.blob)) == fact.size
    known = await syncing.db.fetch("SELECT blob FROM documents.memo WHERE user_id = $1", account.user_id)
    assert {row["blob"] for row in known} == {fact.blob for fact in arrived}


async def test_new_mail_arrives_within_two_seconds_and_flags_and_expunges_follow(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, corpus(20))
    account = await syncing.add_account(dovecot, mail_user)
    await syncing.until_live(account)

    started = time.monotonic()
    dovecot.deliver(mail_user.name, NEW)

    async def arrived() -> bool:
        return 21 in mailboxes(await syncing.told(account))["INBOX"]

    await until(arrived)
    assert time.monotonic() - started < 2

    with session(dovecot, mail_user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "3:5,21", "+FLAGS.SILENT", r"(\Flagged $Forwarded)")
        imap.uid("STORE", "7", "-FLAGS.SILENT", r"(\Seen)")
        imap.uid("STORE", "1,9:11", "+FLAGS.SILENT", r"(\Deleted)")
        imap.uid("EXPUNGE", "1,9:11")
    await settled(syncing, account, dovecot, mail_user)
    assert repeated(await syncing.told(account)) == []


async def test_a_server_without_a_log_of_changes_is_compared_with_what_was_told(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, corpus(20))
    account = await syncing.add_account(dovecot, mail_user, host=POOR)
    await syncing.until_live(account)
    for round_ in range(2):
        with session(dovecot, mail_user) as imap:
            imap.select("INBOX")
            imap.uid("STORE", f"{3 + round_}", "+FLAGS.SILENT", r"(\Flagged)")
            imap.uid("STORE", f"{8 + round_}", "+FLAGS.SILENT", r"(\Deleted)")
            imap.uid("EXPUNGE", f"{8 + round_}")
            imap.append("INBOX", r"(\Seen)", None, NEW)  # type: ignore[arg-type] # None: now
        await settled(syncing, account, dovecot, mail_user)
    assert repeated(await syncing.told(account)) == []


async def test_a_server_that_allows_one_connection_is_polled(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, corpus(3))
    account = await syncing.add_account(dovecot, mail_user, host=SINGLE)
    await syncing.until_live(account)
    dovecot.deliver(mail_user.name, NEW)

    async def arrived() -> bool:
        return 4 in mailboxes(await syncing.told(account))["INBOX"]

    await until(arrived)
    assert (await syncing.states(account))[-1].state is AccountState.LIVE


async def test_a_big_message_goes_through_a_file(syncing: Installation, dovecot: Dovecot, mail_user: User) -> None:
    raw = b"From: a@example.test\r\nSubject: Big\r\n\r\n" + (b"x" * 76 + b"\r\n") * 160_000
    dovecot.load(mail_user.name, [*corpus(3), Mail(raw)])
    account = await syncing.add_account(dovecot, mail_user)
    await syncing.until_live(account)
    assert mailboxes(await syncing.told(account)) == held(dovecot, mail_user)
    assert list((syncing.folder / "blobs" / ".incoming").iterdir()) == []


async def test_mailboxes_that_appear_move_and_go_are_told_and_a_move_keeps_the_id(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, corpus(5), "Old")
    account = await syncing.add_account(dovecot, mail_user)
    await syncing.until_live(account)
    with session(dovecot, mail_user) as imap:
        imap.rename("Old", "Renamed")
        imap.create("Fresh")
        imap.append("Fresh", r"(\Seen)", None, NEW)  # type: ignore[arg-type] # None: now
    await settled(syncing, account, dovecot, mail_user)
    found: dict[str, list[UUID]] = {}
    for fact in await syncing.told(account):
        if isinstance(fact, MailboxFound):
            found.setdefault(fact.path, []).append(fact.mailbox_id)
    assert found["Old"] == found["Renamed"]
    with session(dovecot, mail_user) as imap:
        imap.delete("Fresh")
    await settled(syncing, account, dovecot, mail_user)
    facts = await syncing.told(account)
    assert [fact.mailbox_id for fact in facts if isinstance(fact, MailboxLost)] == found["Fresh"]
    assert repeated(facts) == []


async def test_a_mailbox_that_is_numbered_anew_is_read_again_and_its_messages_keep_their_ids(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, corpus(12))
    account = await syncing.add_account(dovecot, mail_user)
    await syncing.until_live(account)
    dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--uid-validity", "4000000000", "INBOX")

    async def committed() -> bool:
        return 2 in {f.generation for f in await syncing.told(account) if isinstance(f, GenerationCommitted)}

    await until(committed)
    facts = await syncing.told(account)
    inbox = next(f.mailbox_id for f in facts if isinstance(f, MailboxFound) and f.path == "INBOX")
    opened = [f for f in facts if isinstance(f, GenerationOpened) and f.mailbox_id == inbox]
    assert [(f.generation, f.uidvalidity == 4000000000) for f in opened] == [(1, False), (2, True)]
    assert not [fact for fact in facts if isinstance(fact, GenerationAbandoned)]
    ids: dict[int, set[UUID]] = {1: set(), 2: set()}
    for fact in facts:
        if isinstance(fact, MessageArrived):
            ids[fact.generation].add(fact.message_id)
    assert ids[1] == ids[2]
    await settled(syncing, account, dovecot, mail_user)


async def test_new_mail_is_there_within_seconds_in_the_middle_of_a_long_first_sync(
    syncing: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    many = [Mail(b"Subject: number %d\r\n\r\n%s\r\n" % (number, b"x" * 2000)) for number in range(4000)]
    dovecot.load(mail_user.name, many, "Archive")
    dovecot.load(mail_user.name, many[:10])
    account = await syncing.add_account(dovecot, mail_user)

    async def in_the_middle() -> bool:
        return len([fact for fact in await syncing.told(account) if isinstance(fact, MessageArrived)]) > 200

    await until(in_the_middle)
    dovecot.deliver(mail_user.name, NEW)

    async def arrived() -> list[bool]:
        """Of each message in the order of the log: whether it is the new one."""
        told = await syncing.told(account)
        inbox = next(fact.mailbox_id for fact in told if isinstance(fact, MailboxFound) and fact.path == "INBOX")
        return [(fact.mailbox_id, fact.uid) == (inbox, 11) for fact in told if isinstance(fact, MessageArrived)]

    async def there() -> bool:
        return any(await arrived())

    await until(there, seconds=5)
    await settled(syncing, account, dovecot, mail_user)
    assert not (await arrived())[-1], "the first sync was over before it arrived"
    assert repeated(await syncing.told(account)) == []
