"""Changing mail on servers that can everything, little, and what pymap can: the same comes of it."""

import asyncio
import imaplib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from contracts.provider import MailboxError, Placed, ProviderNotSupported
from services.mail.imap import ImapProvider, ImapWriter
from services.mail.imap.names import encode
from tests.services.imap.conftest import Connect, ConnectWriter
from tests.support.dovecot import POOR, Dovecot, Mail, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_client import other_client
from tests.support.pymap_server import PymapServer

SEEN, FLAGGED, DELETED = frozenset({"\\Seen"}), frozenset({"\\Flagged"}), frozenset({"\\Deleted"})
NONE: frozenset[str] = frozenset()
DATE = datetime(2024, 2, 29, 12, 30, 1, tzinfo=UTC)


@dataclass
class Server:
    """One kind of server, an empty user's INBOX there, and our writer and reader of it."""

    kind: str
    writer: ImapWriter
    reader: ImapProvider
    other: Callable[[], imaplib.IMAP4]
    uidvalidity: int = 0

    async def fill(self, count: int) -> list[int]:
        """The UIDs of messages 1, 2, …, after one that is not there."""
        first = await self.reader.status("INBOX")
        self.uidvalidity = first.uidvalidity
        for number in range(1, count + 1):
            await self.writer.append("INBOX", raw(number), flags=NONE, date=DATE)
        return [9999, *range(first.uidnext, first.uidnext + count)]

    async def held(self, mailbox: str = "INBOX") -> dict[int, tuple[bytes, frozenset[str]]]:
        status = await self.reader.status(mailbox)
        batches = [batch async for batch in self.reader.backfill(mailbox, uidvalidity=status.uidvalidity)]
        return {message.uid: (message.raw, message.flags) for batch in batches for message in batch.messages}

    async def flags(self, mailbox: str = "INBOX") -> dict[int, frozenset[str]]:
        return {uid: flags for uid, (_, flags) in sorted((await self.held(mailbox)).items())}


def raw(number: int) -> bytes:
    return b"Message-ID: <%d@x>\r\nSubject: n%d\r\n\r\nbody %d\r\n" % (number, number, number)


@pytest.fixture(params=["full", "poor", "pymap"])
async def server(
    request: pytest.FixtureRequest, connect: Connect, connect_writer: ConnectWriter, dovecot: Dovecot, mail_user: User
) -> Server:
    if request.param == "pymap":
        pymap: PymapServer = request.getfixturevalue("pymap_server")
        where: dict[str, object] = {"port": pymap.port, "user": pymap.user}
    else:
        host = POOR if request.param == "poor" else "127.0.0.1"
        where = {"port": dovecot.port, "user": mail_user, "host": host}
    made = Server(request.param, connect_writer(**where), connect(**where), lambda: other_client(**where))
    await made.writer.create("Target")
    return made


async def test_flags_are_added_and_removed_and_told(server: Server) -> None:
    absent, one, two, three = await server.fill(3)
    first = await server.writer.push_flags("INBOX", [one, two], uidvalidity=server.uidvalidity, add=SEEN, remove=NONE)
    assert {uid: pushed.flags for uid, pushed in first.items()} == {one: SEEN, two: SEEN}
    with server.other() as client:  # what others set meanwhile stays
        client.uid("STORE", str(one), "+FLAGS", "(\\Answered)")
    for _ in range(2):
        pushed = await server.writer.push_flags(
            "INBOX", [two, one, absent], uidvalidity=server.uidvalidity, add=FLAGGED, remove=SEEN
        )
        assert {uid: told.flags for uid, told in pushed.items()} == {one: {"\\Answered", "\\Flagged"}, two: FLAGGED}
        assert (pushed[one].modseq is not None) == (server.kind == "full")
    assert await server.flags() == {one: {"\\Answered", "\\Flagged"}, two: FLAGGED, three: set()}


async def test_one_flag_that_is_refused_loses_no_other(server: Server) -> None:
    _, one = await server.fill(1)
    odd = frozenset({"\\Seen", "\\Custom", "two words", "x" * 200, "y" * 300, "żółw"})
    pushed = await server.writer.push_flags("INBOX", [one], uidvalidity=server.uidvalidity, add=odd, remove=NONE)
    assert "\\Seen" in (pushed[one].flags or ())
    for refused in ("\\Custom", "a) (b"):
        with pytest.raises(MailboxError) as caught:
            await server.writer.push_flags(
                "INBOX", [one], uidvalidity=server.uidvalidity, add=frozenset({refused}), remove=NONE
            )
        assert caught.value.code == "rejected"


async def test_messages_move_and_are_told_where_to(server: Server) -> None:
    absent, one, two, three, four = await server.fill(4)
    await server.writer.push_flags("INBOX", [three], uidvalidity=server.uidvalidity, add=FLAGGED, remove=NONE)
    target = await server.reader.status("Target")
    first, second = target.uidnext, target.uidnext + 1
    placed = await server.writer.move(
        [three, one, absent], uidvalidity=server.uidvalidity, source="INBOX", target="Target"
    )
    assert placed == {
        one: Placed(uidvalidity=target.uidvalidity, uid=first),
        three: Placed(uidvalidity=target.uidvalidity, uid=second),
    }
    assert set(await server.held()) == {two, four}
    assert await server.held("Target") == {first: (raw(1), NONE), second: (raw(3), FLAGGED)}
    again = await server.writer.move([three, one], uidvalidity=server.uidvalidity, source="INBOX", target="Target")
    assert again == {}


async def test_a_move_to_nowhere_moves_nothing(server: Server) -> None:
    _, one = await server.fill(1)
    with pytest.raises(MailboxError) as caught:
        await server.writer.move([one], uidvalidity=server.uidvalidity, source="INBOX", target="No/Such")
    assert caught.value.code == "mailbox_missing"
    assert set(await server.held()) == {one}


async def test_what_is_deleted_is_gone_and_nothing_else(server: Server) -> None:
    absent, one, two, three, four = await server.fill(4)
    with server.other() as client:
        client.uid("STORE", str(four), "+FLAGS", "(\\Deleted)")
    gone = await server.writer.delete("INBOX", [one, three, absent], uidvalidity=server.uidvalidity)
    if server.kind == "poor":  # without UIDPLUS ours stay as long as others' mail is marked
        assert gone == [absent]
        assert await server.flags() == {one: DELETED, two: set(), three: DELETED, four: DELETED}
        with server.other() as client:
            client.uid("STORE", str(four), "-FLAGS", "(\\Deleted)")
        gone = await server.writer.delete("INBOX", [one, three, absent], uidvalidity=server.uidvalidity)
    assert gone == [one, three, absent]
    assert set(await server.flags()) == {two, four}


async def test_a_message_is_uploaded_byte_for_byte_with_its_date_and_flags(server: Server) -> None:
    big = b"Message-ID: <big@x>\r\nSubject: big\r\n\r\n" + b"0123456789\r\n" * 200_000
    for message in (raw(1), big):
        placed = await server.writer.append("Target", message, flags=SEEN, date=DATE)
        status = await server.reader.status("Target")
        assert placed == Placed(uidvalidity=status.uidvalidity, uid=status.uidnext - 1)
    batches = [batch async for batch in server.reader.backfill("Target", uidvalidity=status.uidvalidity)]
    found = [message for batch in batches for message in batch.messages]
    assert [(message.raw, message.flags, message.internal_date) for message in found] == [
        (big, SEEN, DATE),
        (raw(1), SEEN, DATE),
    ]


async def test_a_flag_that_no_server_could_hold_is_not_uploaded(server: Server) -> None:
    with pytest.raises(MailboxError) as caught:
        await server.writer.append("Target", raw(1), flags=frozenset({"a) (b"}), date=DATE)
    assert caught.value.code == "rejected"


@pytest.mark.parametrize("message", [b"Subject: x\n\nbare\n", b"Subject: x\r\n\r\nnul \0\r\n", b"a\rb\r\n", b""])
async def test_what_a_server_would_change_is_not_uploaded(server: Server, message: bytes) -> None:
    with pytest.raises(MailboxError) as caught:
        await server.writer.append("Target", message, flags=NONE, date=DATE)
    assert caught.value.code == "rejected"
    assert (await server.reader.status("Target")).messages == 0


async def test_an_upload_to_nowhere_asks_for_the_mailbox_to_be_made(server: Server) -> None:
    with pytest.raises(MailboxError) as caught:
        await server.writer.append("Nowhere", raw(1), flags=NONE, date=DATE)
    assert caught.value.code == "mailbox_missing"
    await server.writer.create("Nowhere")
    assert (await server.writer.append("Nowhere", raw(1), flags=NONE, date=DATE)).uid in (1, 101)


async def test_a_message_is_found_by_its_whole_message_id(server: Server) -> None:
    _, one, two = await server.fill(2)
    await server.writer.append("INBOX", b"Message-ID:\r\n <11@x>\r\n\r\nfolded\r\n", flags=NONE, date=DATE)
    await server.writer.append("INBOX", raw(1), flags=NONE, date=DATE)
    status, found = await server.writer.find("INBOX", "<1@x>")
    assert (found, status.messages) == ([one, two + 2], 4)
    assert (await server.writer.find("INBOX", "<11@x>"))[1] == [two + 1]
    for absent in ("<1@x", "1@x>", "<żółw@x>", '"quoted"\r\nx LOGOUT', ""):
        assert (await server.writer.find("INBOX", absent))[1] == []


async def test_a_mailbox_is_made_once_and_shown_to_other_programs(server: Server) -> None:
    for _ in range(2):
        await server.writer.create("Łódź & Wrocław")
    assert "Łódź & Wrocław" in {mailbox.path for mailbox in await server.reader.list_mailboxes()}
    with server.other() as client:
        assert any(encode("Łódź & Wrocław") in (line or b"") for line in client.lsub()[1])


async def test_nothing_is_changed_under_another_numbering(server: Server) -> None:
    _, one = await server.fill(1)
    other = server.uidvalidity + 1
    for call in (
        server.writer.push_flags("INBOX", [one], uidvalidity=other, add=SEEN, remove=NONE),
        server.writer.move([one], uidvalidity=other, source="INBOX", target="Target"),
        server.writer.delete("INBOX", [one], uidvalidity=other),
    ):
        with pytest.raises(MailboxError) as caught:
            await call
        assert caught.value.code == "uidvalidity_changed"
    assert await server.flags() == {one: NONE}


async def test_labels_are_refused_where_there_are_none(server: Server) -> None:
    _, one = await server.fill(1)
    with pytest.raises(ProviderNotSupported):
        await server.writer.push_labels("INBOX", [one], uidvalidity=server.uidvalidity, add=SEEN, remove=NONE)


async def test_a_thousand_messages_move_in_few_commands(
    connect_writer: ConnectWriter, connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, (Mail(raw(number)) for number in range(1500)))
    writer, reader = connect_writer(dovecot.port, mail_user), connect(dovecot.port, mail_user)
    status = await reader.status("INBOX")
    odd = range(1, 1501, 2)
    placed = await writer.move(
        [*odd, *range(2, 501, 2)], uidvalidity=status.uidvalidity, source="INBOX", target="Archive"
    )
    assert len(placed) == 1000
    archive = await reader.status("Archive")
    moved = {
        message.uid: message.raw
        for batch in [batch async for batch in reader.backfill("Archive", uidvalidity=archive.uidvalidity)]
        for message in batch.messages
    }
    assert all(moved[place.uid] == raw(uid - 1) for uid, place in placed.items() if place.uid is not None)
    assert len(moved) == 1000
    assert (await reader.status("INBOX")).messages == 500


async def test_a_full_mailbox_says_so(connect_writer: ConnectWriter, dovecot: Dovecot) -> None:
    writer = connect_writer(dovecot.port, User("quota@example.test", "pw"))
    with pytest.raises(MailboxError) as caught:
        await writer.append("INBOX", raw(1) + b"x\r\n" * 20_000, flags=NONE, date=DATE)
    assert caught.value.code == "over_quota"


async def test_a_message_that_somebody_takes_away_meanwhile_keeps_no_other_from_moving(
    connect_writer: ConnectWriter, dovecot: Dovecot, mail_user: User
) -> None:
    """Dovecot refuses the whole MOVE for it."""
    dovecot.load(
        mail_user.name, [Mail(b"Subject: %d\r\nMessage-ID: <%d@x.example>\r\n\r\nx\r\n" % (n, n)) for n in (1, 2, 3)]
    )
    async with FaultProxy(dovecot.port) as proxy:
        writer = connect_writer(proxy.port, mail_user)
        status, _ = await writer.find("INBOX", "<1@x.example>")
        proxy.hold = b"UID MOVE"
        moving = asyncio.create_task(
            writer.move([1, 2, 3], uidvalidity=status.uidvalidity, source="INBOX", target="Archive")
        )
        await proxy.held.wait()
        dovecot.doveadm("expunge", "-u", mail_user.name, "mailbox", "INBOX", "uid", "2")
        proxy.release.set()
        assert sorted(await moving) == [1, 3]
        await writer.close()
