"""An account whose mailboxes are labels (X-GM-EXT-1)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from contracts.provider import FlagChange, MailboxError, MailboxStatus, Placed, Seen
from services.mail.imap import ImapProvider, ImapWriter
from tests.services.imap.conftest import Connect, ConnectWriter, Remembered
from tests.support.dovecot import BASE_DATE
from tests.support.gmail_server import GmailServer
from tests.support.gmail_store import ALL, INBOX, SPAM, TRASH


@pytest.fixture
async def gmail() -> AsyncIterator[GmailServer]:
    async with GmailServer() as server:
        yield server


@pytest.fixture
def reader(connect: Connect, gmail: GmailServer) -> ImapProvider:
    return connect(gmail.port, gmail.user)


def raw(number: int, answers: int | None = None) -> bytes:
    reference = b"" if answers is None else b"In-Reply-To: <%d@x>\r\n" % answers
    return b"Message-ID: <%d@x>\r\n%bSubject: n\r\n\r\nbody %d\r\n" % (number, reference, number)


def seen(status: MailboxStatus) -> Seen:
    return Seen(uidvalidity=status.uidvalidity, high_uid=status.uidnext - 1, highestmodseq=status.highestmodseq)


async def test_all_mail_is_known_by_its_use_and_the_account_as_labelled(
    reader: ImapProvider, gmail: GmailServer
) -> None:
    gmail.create("Łódź")
    assert not reader.labelled
    mailboxes = {mailbox.path: mailbox for mailbox in await reader.list_mailboxes()}
    assert reader.labelled
    assert {path: mailboxes[path].special_use for path in (INBOX, ALL, SPAM, TRASH, "Łódź", "[Gmail]/Drafts")} == {
        INBOX: "inbox",
        ALL: "all",
        SPAM: "junk",
        TRASH: "trash",
        "Łódź": None,
        "[Gmail]/Drafts": "drafts",
    }
    assert not mailboxes["[Gmail]"].selectable
    assert mailboxes["Łódź"].status is not None


async def test_a_message_comes_once_with_its_labels_and_lasting_ids(reader: ImapProvider, gmail: GmailServer) -> None:
    first = gmail.deliver(raw(1), "\\Inbox", "Łódź", flags=["\\Seen"])
    second = gmail.deliver(raw(2, answers=1))
    junk = gmail.deliver(raw(3), place=SPAM)
    status = await reader.status(ALL)
    (batch,) = [batch async for batch in reader.backfill(ALL, uidvalidity=status.uidvalidity)]
    assert [(message.email_id, message.thread_id, message.labels, message.flags) for message in batch.messages] == [
        (str(second.msgid), str(first.msgid), {"\\Inbox"}, set()),
        (str(first.msgid), str(first.msgid), {"\\Inbox", "Łódź"}, {"\\Seen"}),
    ]
    ((listed,),) = [batch async for batch in reader.listing(SPAM, uidvalidity=(await reader.status(SPAM)).uidvalidity)]
    assert (listed.email_id, listed.labels) == (str(junk.msgid), set())


async def test_a_label_that_changed_is_told_like_a_flag(reader: ImapProvider, gmail: GmailServer) -> None:
    message = gmail.deliver(raw(1))
    gmail.deliver(raw(2))
    before = await reader.status(ALL)
    gmail.change(message, add=["Work"], remove=["\\Inbox"])
    delta = await reader.poll(ALL, seen(before))
    assert delta.flag_changes == (
        FlagChange(uid=1, flags=frozenset(), modseq=message.modseq, labels=frozenset({"Work"})),
    )
    assert delta.expunged == ""
    assert any(b"CHANGEDSINCE" in line and b"VANISHED" not in line for line in gmail.heard)


async def test_mail_in_the_trash_has_left_all_mail_and_comes_back_under_another_uid(
    reader: ImapProvider, gmail: GmailServer, known: Remembered
) -> None:
    message = gmail.deliver(raw(1), "Work")
    before = await reader.status(ALL)
    known.messages = {1: frozenset()}
    gmail.change(message, place=TRASH)
    delta = await reader.poll(ALL, seen(before))
    assert (delta.expunged, delta.new_uids) == ("1", ())
    assert (await reader.status(TRASH)).messages == 1
    known.messages = {}
    gmail.change(message, place=ALL, add=["\\Inbox"])
    assert (await reader.poll(ALL, seen(delta.status))).new_uids == (2,)
    assert (await reader.status(TRASH)).messages == 0


async def test_labels_are_all_told_when_the_server_has_lost_its_log(
    reader: ImapProvider, gmail: GmailServer, known: Remembered
) -> None:
    gmail.deliver(raw(1), "Work")
    status = await reader.status(ALL)
    known.messages = {1: frozenset(), 7: frozenset()}
    delta = await reader.poll(ALL, Seen(uidvalidity=status.uidvalidity, high_uid=7, highestmodseq=10**6))
    assert [(change.uid, change.labels) for change in delta.flag_changes] == [(1, {"Work"})]
    assert delta.expunged == "7"


async def test_a_label_added_elsewhere_ends_the_wait_on_all_mail(reader: ImapProvider, gmail: GmailServer) -> None:
    message = gmail.deliver(raw(1))
    waiting = asyncio.create_task(reader.idle(ALL, await reader.status(ALL)))
    async with asyncio.timeout(5):
        while not any(line.endswith(b"IDLE") for line in gmail.heard):
            await asyncio.sleep(0.01)
        assert not waiting.done()
        gmail.change(message, add=["Work"])
        await waiting


# -- changing it


@pytest.fixture
async def writer(connect_writer: ConnectWriter, gmail: GmailServer) -> ImapWriter:
    return connect_writer(gmail.port, gmail.user)


NONE: frozenset[str] = frozenset()


async def test_archiving_is_the_removal_of_a_label(writer: ImapWriter, gmail: GmailServer) -> None:
    first, second = gmail.deliver(raw(1)), gmail.deliver(raw(2))
    uidvalidity = gmail.mailboxes[ALL].uidvalidity
    work = frozenset({"Praca & dom"})
    inbox = frozenset({"\\Inbox"})
    done = await writer.push_labels(ALL, [1, 2, 9], uidvalidity=uidvalidity, add=work, remove=inbox)
    assert done == [1, 2]
    assert first.labels == second.labels == work
    assert gmail.mailboxes[INBOX].held == {}
    assert list(gmail.mailboxes["Praca & dom"].held.values()) == [first, second]
    assert await writer.push_labels(ALL, [1], uidvalidity=uidvalidity, add=inbox, remove=work) == [1]
    assert first.labels == inbox


async def test_a_label_that_is_no_name_is_refused(writer: ImapWriter, gmail: GmailServer) -> None:
    gmail.deliver(raw(1))
    with pytest.raises(MailboxError) as caught:
        await writer.push_labels(ALL, [1], uidvalidity=2, add=frozenset({"two\uf70alines"}), remove=NONE)
    assert caught.value.code == "rejected"


async def test_mail_moves_to_the_trash_and_is_deleted_there_for_ever(writer: ImapWriter, gmail: GmailServer) -> None:
    first, second = gmail.deliver(raw(1)), gmail.deliver(raw(2), "\\Inbox", "Work")
    uidvalidity = gmail.mailboxes[ALL].uidvalidity
    placed = await writer.move([1, 2], uidvalidity=uidvalidity, source=ALL, target=TRASH)
    trash = gmail.mailboxes[TRASH]
    assert placed == {1: Placed(uidvalidity=trash.uidvalidity, uid=1), 2: Placed(uidvalidity=trash.uidvalidity, uid=2)}
    assert (second.place, second.labels) == (TRASH, set())
    assert await writer.delete(TRASH, [1], uidvalidity=trash.uidvalidity) == [1]
    assert gmail.messages == [second]
    back = await writer.move([2], uidvalidity=trash.uidvalidity, source=TRASH, target=INBOX)
    assert back[2].uid == gmail.mailboxes[INBOX].uid(second)
    assert first not in gmail.messages


async def test_a_draft_is_uploaded_and_found(writer: ImapWriter, gmail: GmailServer) -> None:
    placed = await writer.append("[Gmail]/Drafts", raw(7), flags=frozenset({"\\Draft"}), date=BASE_DATE)
    assert placed.uid == 1
    status, found = await writer.find(ALL, "<7@x>")
    assert (found, status.messages) == ([1], 1)
    pushed = await writer.push_flags(
        ALL, [1], uidvalidity=status.uidvalidity, add=frozenset({"\\Flagged"}), remove=frozenset({"\\Draft"})
    )
    assert pushed[1].flags == {"\\Flagged"}
    assert "\\Starred" in gmail.messages[0].labels
