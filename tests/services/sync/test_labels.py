"""A server that files a mail once and shows it under labels: each label is a mailbox, and no mail is there twice."""

from collections.abc import AsyncIterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest

from contracts.facts import (
    AccountConnected,
    GenerationCommitted,
    GenerationOpened,
    MailboxFound,
    MailboxLost,
)
from contracts.provider import KnownMessages, MailSource
from projections.documents.document import read
from projections.mail import reader
from projections.mail.projector import mail
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.provider import ImapProvider
from services.sync import generations
from tests.services.sync.fake_log import Killed
from tests.services.sync.label_truth import VIEWS, counts, told_twice, truth
from tests.services.sync.one_account import Begin, OneAccount
from tests.support.dovecot import BASE_DATE
from tests.support.given import Given, installed
from tests.support.gmail_server import GmailServer
from tests.support.gmail_store import ALL, SPAM, TRASH, Message


def raw(number: int) -> bytes:
    return f"Message-ID: <{number}@x>\r\nFrom: a@x\r\nSubject: Number {number}\r\n\r\nText {number}\r\n".encode()


class Gmail:
    """One account on a server of labels, and the read model of what is told of it."""

    def __init__(self, server: GmailServer, account: OneAccount, given: Given) -> None:
        self.server = server
        self.account = account
        self._given = given
        self._told = 0

    async def look(self) -> None:
        """Twice, as labels that are new take one more."""
        for _ in range(2):
            await self.account.look()

    async def check(self) -> None:
        """What is told is what the server shows, in the log and in the read model; nothing is told twice."""
        assert self.account.told() == truth(self.server)
        assert told_twice(self.account.log.facts) == []
        await self.fold()
        user, db = self.account.subjects.user_id, self._given.db
        async with db.acquire() as connection:
            rows = await reader.mailboxes(connection, user)
            listed = {row.path: (row.total, row.unread) for row in rows if row.selectable or row.path in VIEWS}
            unified = await reader.newest(connection, user, user, limit=200)
        assert listed == counts(self.server)
        inbox = {message.msgid for message in self.server.messages if message.shown_in("INBOX")}
        assert (unified.total, len({one.id for one in unified.threads})) == (len(inbox), len(inbox))
        assert all(one.message_count == 1 for one in unified.threads)

    async def unified(self) -> int:
        """How many threads the unified inbox shows."""
        user, db = self.account.subjects.user_id, self._given.db
        async with db.acquire() as connection:
            return (await reader.newest(connection, user, user, limit=1)).total

    def message(self, number: int) -> Message:
        return next(message for message in self.server.messages if message.raw == raw(number))

    def ids_of(self, path: str) -> set[UUID]:
        return {f.mailbox_id for f in self.account.log.facts if isinstance(f, MailboxFound) and f.path == path}

    def downloads(self) -> int:
        return len([command for command in self.server.heard if b"BODY.PEEK[]" in command])

    async def fold(self) -> None:
        fresh = [fact for _, fact in self.account.log.recorded[self._told :]]
        self._told += len(fresh)
        await self._given(*fresh)


@pytest.fixture
async def server() -> AsyncIterator[GmailServer]:
    async with GmailServer() as server:
        yield server


@pytest.fixture
async def gmail(begin: Begin, database: str, server: GmailServer, tmp_path: Path) -> AsyncIterator[Gmail]:
    """Thirty mails: in the inbox, under labels, sent, archived, in Spam and in Trash."""
    for number in range(30):
        labels = ["\\Inbox"] if number % 3 == 0 else ["\\Sent"] if number % 5 == 0 else []
        labels += ["Work"] if number % 4 == 0 else []
        place = SPAM if number == 7 else TRASH if number == 11 else ALL
        server.deliver(
            raw(number),
            *(labels or [] if place == ALL else []),
            flags=["\\Seen"] if number % 2 else [],
            place=place,
            date=BASE_DATE + timedelta(minutes=number),
        )

    def connect(known: KnownMessages) -> MailSource:
        return ImapProvider(
            Endpoint(host="127.0.0.1", port=server.port, tls="none"),
            Credentials(username=server.user.name, password=server.user.password),
            known=known,
            spool=tmp_path,
        )

    account = await begin(connect)
    documents = {sha256(raw(number)).hexdigest(): read(raw(number)) for number in range(200)}
    async with installed(database, [mail]) as db:
        given = Given(db, [mail], documents)
        subjects = account.subjects
        await given(AccountConnected(user_id=subjects.user_id, account_id=subjects.account_id, at=BASE_DATE))
        yield Gmail(server, account, given)
    await account.source.close()


async def test_each_mail_is_read_once_and_stands_in_every_label(gmail: Gmail) -> None:
    opened = [command for command in gmail.server.heard if b"EXAMINE" in command]
    assert all(any(name in command for name in (b"All Mail", b"Spam", b"Trash")) for command in opened)
    assert gmail.account.mailboxes.watched is gmail.account.cursor(ALL)
    await gmail.check()


async def test_archiving_is_a_label_that_goes_and_costs_no_download(gmail: Gmail) -> None:
    before = gmail.downloads()
    for number in (0, 3, 6):
        gmail.server.change(gmail.message(number), remove=["\\Inbox"])
    await gmail.look()
    await gmail.check()
    gmail.server.change(gmail.message(3), add=["\\Inbox", "Work"])
    await gmail.look()
    await gmail.check()
    assert gmail.downloads() == before


async def test_flags_are_those_of_every_placement(gmail: Gmail) -> None:
    gmail.server.flag(gmail.message(0), add=["\\Seen", "\\Flagged"])
    gmail.server.flag(gmail.message(9), remove=["\\Seen"])
    await gmail.look()
    await gmail.check()
    told = len(gmail.account.log.facts)
    await gmail.look()
    assert len(gmail.account.log.facts) == told


async def test_what_goes_to_trash_leaves_all_labels_and_is_the_same_mail_there(gmail: Gmail) -> None:
    message = gmail.message(0)
    gmail.server.change(message, place=TRASH)
    gmail.server.change(gmail.message(12), place=SPAM)
    await gmail.look()
    await gmail.check()
    ids = {fact.message_id for fact in gmail.account.arrivals() if fact.email_id == str(message.msgid)}
    assert len(ids) == 1
    gmail.server.change(message, add=["\\Inbox"], place=ALL)
    await gmail.look()
    await gmail.check()


async def test_what_is_removed_for_ever_is_gone_from_every_label(gmail: Gmail) -> None:
    for number in (0, 12, 24):
        gmail.server.expunge(gmail.message(number))
    await gmail.look()
    await gmail.check()


async def test_new_mail_arrives_under_its_labels_also_under_one_that_nobody_knew(gmail: Gmail) -> None:
    gmail.server.deliver(raw(40), "\\Inbox", "Work", "Brand new", flags=["\\Flagged"])
    gmail.server.change(gmail.message(1), add=["Brand new", "Nested/under"])
    before = gmail.downloads()
    await gmail.account.look()
    await gmail.check()
    assert gmail.downloads() == before + 1
    assert not [command for command in gmail.server.heard if b"HEADER.FIELDS" in command]


async def test_very_many_labels_are_told_in_several_batches(gmail: Gmail) -> None:
    labels = [f"Label {n}" for n in range(20)]
    for number in range(60, 160):
        gmail.server.deliver(raw(number), *labels)
    await gmail.look()
    gmail.server.change(gmail.message(60), remove=labels)
    for number in range(61, 160):
        gmail.server.change(gmail.message(number), remove=labels[:10], add=["\\Inbox"])
    await gmail.look()
    await gmail.check()


async def test_a_label_that_is_shown_later_has_all_its_mail(gmail: Gmail) -> None:
    """As when its owner lets IMAP see it: mail had it all along."""
    box = gmail.server.mailboxes.pop("Work")
    await gmail.look()
    gmail.server.mailboxes["Work"] = box
    gmail.server.mailboxes["Empty"] = type(box)("Empty", 77)
    await gmail.look()
    await gmail.check()
    assert not gmail.account.mailboxes.watched.labels.unsettled


async def test_a_label_that_is_renamed_keeps_its_mailbox(gmail: Gmail) -> None:
    box = gmail.server.mailboxes.pop("Work")
    box.path = "Play"
    gmail.server.mailboxes["Play"] = box
    for message in gmail.server.messages:
        if "Work" in message.labels:
            message.labels = (message.labels - {"Work"}) | {"Play"}
            gmail.server.touch(message)
    await gmail.look()
    await gmail.check()
    assert gmail.ids_of("Play") == gmail.ids_of("Work")


async def test_a_label_that_is_deleted_goes_and_its_mail_stays(gmail: Gmail) -> None:
    del gmail.server.mailboxes["Work"]
    for message in gmail.server.messages:
        message.labels.discard("Work")
        gmail.server.touch(message)
    await gmail.look()
    await gmail.check()
    assert {f.mailbox_id for f in gmail.account.log.facts if isinstance(f, MailboxLost)} == gmail.ids_of("Work")
    gmail.server.change(gmail.message(5), add=["Work"])
    await gmail.look()
    await gmail.check()


async def test_another_worker_goes_on_from_the_log(gmail: Gmail) -> None:
    gmail.server.change(gmail.message(0), remove=["\\Inbox"], add=["Work"])
    await gmail.account.source.close()
    await gmail.account.restart()
    gmail.server.deliver(raw(41))
    await gmail.look()
    await gmail.check()


async def test_all_mail_that_is_numbered_anew_takes_its_labels_with_it(
    gmail: Gmail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generations, "PAUSE", 0)
    await gmail.check()
    before = gmail.downloads()
    box = gmail.server.mailboxes[ALL]
    box.uidvalidity += 100
    box.held = dict(enumerate(box.held.values(), 500))
    box.uidnext = 500 + len(box.held)
    await gmail.account.source.close()
    await gmail.look()
    assert gmail.downloads() == before
    await gmail.check()
    opened = {f.mailbox_id for f in gmail.account.log.facts if isinstance(f, GenerationOpened) and f.generation == 2}
    committed = {
        f.mailbox_id for f in gmail.account.log.facts if isinstance(f, GenerationCommitted) and f.generation == 2
    }
    assert opened == committed
    assert len(opened) == 5


async def test_labels_that_drifted_in_equal_numbers_are_repaired_by_a_resync_and_so_are_flags(gmail: Gmail) -> None:
    box = gmail.server.mailboxes["Work"]
    one, other = gmail.message(4), gmail.message(13)
    for message in (other, one):
        gmail.server.flag(message, add=["\\Flagged"])
    await gmail.look()
    other.flags.clear()
    one.labels.remove("Work")
    other.labels.add("Work")
    box.held[box.uid(one)] = other
    await gmail.account.look()
    await gmail.account.audit(ALL)
    assert gmail.account.told() != truth(gmail.server)
    await gmail.account.audit(ALL, whole=True)
    await gmail.check()


async def test_a_label_that_drifted_is_repaired_once_the_numbers_differ_twice(gmail: Gmail) -> None:
    """A change that the server never told: only its count says so."""
    box = gmail.server.mailboxes["Work"]
    message = gmail.message(13)
    message.labels.add("Work")
    box.held[box.uidnext] = message
    box.uidnext += 1
    for _ in range(2):
        await gmail.account.look()
        await gmail.account.audit(ALL)
    await gmail.check()


@pytest.mark.parametrize("batches", range(13))
async def test_wherever_it_is_killed_another_worker_goes_on_and_what_was_shown_is_shown_until_then(
    gmail: Gmail, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    """While All Mail is read under another numbering, a label is found, and flags and labels change."""
    monkeypatch.setattr(generations, "PAUSE", 0)
    monkeypatch.setattr(generations, "PAGE", 10)
    await gmail.check()
    before = await gmail.unified()
    box = gmail.server.mailboxes[ALL]
    box.uidvalidity += 100
    box.held = dict(enumerate(box.held.values(), 500))
    box.uidnext = 500 + len(box.held)
    for number in range(40, 45):
        gmail.server.deliver(raw(number), "Brand new")
    await gmail.account.source.close()
    gmail.account.log.dies_after = batches
    with pytest.raises(Killed):
        await gmail.look()
    gmail.account.log.dies_after = None
    await gmail.fold()
    assert await gmail.unified() == before
    gmail.server.change(gmail.message(0), remove=["\\Inbox"], add=["Brand new"])
    gmail.server.flag(gmail.message(41), add=["\\Seen"])
    gmail.server.expunge(gmail.message(8))
    await gmail.account.source.close()
    await gmail.account.restart()
    await gmail.look()
    await gmail.check()
