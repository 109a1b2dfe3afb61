"""Servers that announce what they break: the same call goes another way, and the next one knows."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime

import pytest

from contracts.provider import FlagChange, MailboxError, Placed, ProviderConnectError, ProviderProtocolError, Seen
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.session import Session
from services.mail.imap.wire import Limits
from tests.services.imap.conftest import Connect, ConnectWriter, Remembered
from tests.support.dovecot import User
from tests.support.scripted_imap import Conversation, Script, ScriptedImap

USER = User("alice", "pw")
DATE = datetime(2024, 1, 1, tzinfo=UTC)
NONE: frozenset[str] = frozenset()
OPENED = b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n* OK [UIDNEXT 4]\r\n* OK [HIGHESTMODSEQ 9]\r\n$ OK done\r\n"
SEEN = Seen(uidvalidity=7, high_uid=3, highestmodseq=5)
BAD = b"$ BAD never heard of it\r\n"
NONSENSE = [BAD, b"* ESEARCH UID ALL 1:*\r\n$ OK done\r\n", b"$ OK done\r\n", b"* SEARCH x\r\n$ OK done\r\n"]


def capability(words: bytes) -> bytes:
    return b"* CAPABILITY IMAP4rev1 " + words + b"\r\n$ OK done\r\n"


def unless(word: bytes, broken: bytes, sound: bytes) -> Script:
    return lambda conversation, rest: conversation.say(broken if word in rest else sound)


def asked(server: ScriptedImap, word: bytes) -> int:
    return sum(word in line for line in server.heard)


@pytest.mark.parametrize("broken", NONSENSE)
async def test_a_search_without_esearch_is_done_where_esearch_is_broken(connect: Connect, broken: bytes) -> None:
    script = {
        "CAPABILITY": capability(b"ESEARCH"),
        "UID SEARCH": unless(b"RETURN", broken, b"* SEARCH 1 3\r\n$ OK done\r\n"),
        "EXAMINE": b"* 2 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n* OK [UIDNEXT 4]\r\n$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        for _ in range(2):
            assert (await provider.uids("INBOX", uidvalidity=7))[1] == "1,3"
        assert asked(server, b"RETURN") == 1


FLAGS = b"* 1 FETCH (UID 1 FLAGS (\\Seen))\r\n* 2 FETCH (UID 3 FLAGS ())\r\n$ OK done\r\n"


@pytest.mark.parametrize("broken", [BAD, b"* 1 FETCH (UID 1 FLAGS (\\Seen) MODSEQ (x))\r\n$ OK done\r\n"])
async def test_everything_is_compared_where_condstore_is_broken(
    connect: Connect, known: Remembered, broken: bytes
) -> None:
    known.messages = dict.fromkeys((1, 2, 3), frozenset())
    script = {
        "CAPABILITY": capability(b"CONDSTORE"),
        "EXAMINE": OPENED,
        "UID FETCH": unless(b"CHANGEDSINCE", broken, FLAGS),
        "UID SEARCH": b"* SEARCH 1 3\r\n$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        for _ in range(2):
            delta = await provider.poll("INBOX", SEEN)
            assert delta.flag_changes == (FlagChange(uid=1, flags=frozenset({"\\Seen"})),)
            assert delta.expunged == "2"
        assert asked(server, b"CHANGEDSINCE") == 1


@pytest.mark.parametrize("broken", [BAD, b"* VANISHED (EARLIER) 0:x\r\n$ OK done\r\n", b"* VANISHED\r\n$ OK done\r\n"])
async def test_what_is_gone_is_searched_for_where_qresync_is_broken(
    connect: Connect, known: Remembered, broken: bytes
) -> None:
    known.messages = dict.fromkeys((1, 2, 3), frozenset())
    script = {
        "CAPABILITY": capability(b"ENABLE CONDSTORE QRESYNC"),
        "ENABLE": b"* ENABLED QRESYNC CONDSTORE\r\n$ OK done\r\n",
        "EXAMINE": OPENED,
        "UID FETCH": unless(b"VANISHED", broken, b"* 1 FETCH (UID 1 FLAGS (\\Seen) MODSEQ (9))\r\n$ OK done\r\n"),
        "UID SEARCH": b"* SEARCH 1 3\r\n$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        for _ in range(2):
            delta = await provider.poll("INBOX", SEEN)
            assert [(change.uid, change.modseq) for change in delta.flag_changes] == [(1, 9)]
            assert delta.expunged == "2"
        assert asked(server, b"VANISHED") == 1


async def test_a_mailbox_opens_where_its_condstore_parameter_is_refused(connect: Connect) -> None:
    script = {"CAPABILITY": capability(b"CONDSTORE"), "EXAMINE": unless(b"(CONDSTORE)", BAD, OPENED)}
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        assert (await provider.status("INBOX")).messages == 3
        assert (await provider.status("INBOX")).messages == 3
        assert asked(server, b"(CONDSTORE)") == 1


async def test_messages_are_read_without_the_items_that_the_server_does_not_know(connect: Connect) -> None:
    script = {
        "CAPABILITY": capability(b"ENABLE CONDSTORE OBJECTID"),
        "ENABLE": b"* ENABLED CONDSTORE\r\n$ OK done\r\n",
        "EXAMINE": OPENED,
        "UID FETCH": unless(
            b"EMAILID", BAD, b"* 1 FETCH (UID 1 FLAGS () RFC822.SIZE 3 BODY[] {3}\r\nabc)\r\n$ OK done\r\n"
        ),
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        for _ in range(2):
            (batch,) = [batch async for batch in provider.fetch("INBOX", [1], uidvalidity=7)]
            assert [message.raw for message in batch.messages] == [b"abc"]
        assert asked(server, b"EMAILID") == 1


async def test_a_message_that_cannot_be_asked_for_is_not_blamed_on_extensions(connect: Connect) -> None:
    script = {"CAPABILITY": capability(b"OBJECTID"), "UID FETCH": unless(b"BODY", BAD, b"$ OK done\r\n")}
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        for _ in range(2):
            with pytest.raises(MailboxError):
                await anext(provider.fetch("INBOX", [1], uidvalidity=7))
        assert asked(server, b"EMAILID") == 2


LISTED = b'* LIST (\\HasNoChildren) "/" INBOX\r\n* LIST (\\Sent) "/" "Sent"\r\n'
TOLD = b"* STATUS INBOX (UIDVALIDITY 7 UIDNEXT 4 MESSAGES 3)\r\n"


@pytest.mark.parametrize(
    ("word", "broken"),
    [
        (b"RETURN", BAD),
        (b"STATUS", BAD),
        (b"STATUS", LISTED + b"$ OK done\r\n"),
        (b"STATUS", LISTED + b"* STATUS INBOX UIDVALIDITY\r\n$ OK done\r\n"),
    ],
)
async def test_mailboxes_are_listed_where_list_status_is_broken(connect: Connect, word: bytes, broken: bytes) -> None:
    script = {
        "CAPABILITY": capability(b"LIST-EXTENDED LIST-STATUS SPECIAL-USE"),
        "LIST": unless(word, broken, LISTED + b"$ OK done\r\n"),
        "STATUS": unless(b"INBOX", TOLD + b"$ OK done\r\n", b"* STATUS Sent (MESSAGES\r\n$ OK done\r\n"),
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        for _ in range(2):
            inbox, sent = await provider.list_mailboxes()
            assert inbox.status is not None
            assert inbox.status.uidnext == 4
            assert (sent.path, sent.special_use, sent.status) == ("Sent", "sent", None)
        assert asked(server, b"STATUS (") == 1


# -- changing mail


class Box:
    """A mailbox of one message and a target, on a server that can copy; `said` is how it answers what it announces."""

    def __init__(self, announced: bytes, broken: dict[str, bytes], copied: bytes = b"$ OK done\r\n") -> None:
        self.there = True
        self.deleted: set[str] = set()
        self.came: list[tuple[int, bytes]] = []
        self.id = b"<1@x>"
        self.copied = copied
        self.broken = broken
        self.opened = b""
        self.script: dict[str, Script] = {
            "CAPABILITY": capability(announced),
            "SELECT": self.open,
            "EXAMINE": self.open,
            "STATUS": b"* STATUS Target (UIDVALIDITY 8 UIDNEXT 50 MESSAGES 0)\r\n$ OK done\r\n",
            "UID FETCH": self.fetch,
            "UID MOVE": broken.get("UID MOVE", b"$ BAD unasked\r\n"),
            "UID COPY": self.copy,
            "UID STORE": b"$ OK done\r\n",
            "UID EXPUNGE": self.expunge,
            "EXPUNGE": self.expunge,
            "UID SEARCH": self.search,
        }

    def open(self, conversation: Conversation, rest: bytes) -> None:
        self.opened = rest.split()[1].strip(b'"')
        numbers = (1, 7, 10) if self.opened == b"INBOX" else (len(self.came), 8, 50 + len(self.came))
        conversation.say(b"* %d EXISTS\r\n* OK [UIDVALIDITY %d]\r\n* OK [UIDNEXT %d]\r\n$ OK done\r\n" % numbers)

    def fetch(self, conversation: Conversation, rest: bytes) -> None:
        held = self.came if self.opened == b"Target" else [(1, self.id)] * self.there
        for uid, message_id in held:
            header = b"Message-ID: " + message_id + b"\r\n\r\n"
            conversation.say(
                b"* 1 FETCH (UID %d BODY[HEADER.FIELDS (MESSAGE-ID)] {%d}\r\n%b)\r\n" % (uid, len(header), header)
            )
        conversation.say(b"$ OK done\r\n")

    def copy(self, conversation: Conversation, rest: bytes) -> None:
        self.came = self.came or [(50, self.id)]
        conversation.say(self.copied)

    def expunge(self, conversation: Conversation, rest: bytes) -> None:
        verb = " ".join(rest.decode().split()[:2]) if rest.startswith(b"UID") else "EXPUNGE"
        self.there = self.there and verb in self.broken
        conversation.say(self.broken.get(verb, b"$ OK done\r\n"))

    def search(self, conversation: Conversation, rest: bytes) -> None:
        conversation.say(b"* SEARCH 1\r\n$ OK done\r\n" if self.there else b"* SEARCH\r\n$ OK done\r\n")


@pytest.fixture
async def moved(connect_writer: ConnectWriter) -> AsyncIterator[Callable[[Box], object]]:
    async def move(box: Box) -> Placed:
        async with ScriptedImap(box.script) as server:
            box.heard = server.heard  # type: ignore[attr-defined] # for the test to look at
            writer = connect_writer(server.port, USER)
            placed = await writer.move([1], uidvalidity=7, source="INBOX", target="Target")
            await writer.close()
            return placed[1]

    return move


async def test_a_message_is_copied_where_move_is_broken(moved: Callable[[Box], object]) -> None:
    box = Box(b"MOVE UIDPLUS", {"UID MOVE": BAD}, b"$ OK [COPYUID 8 1 77] done\r\n")
    assert await moved(box) == Placed(uidvalidity=8, uid=77)
    assert not box.there


async def test_a_plain_expunge_takes_ours_alone_where_uid_expunge_is_broken(moved: Callable[[Box], object]) -> None:
    box = Box(b"UIDPLUS", {"UID EXPUNGE": BAD}, b"$ OK [COPYUID 8 1 77] done\r\n")
    assert await moved(box) == Placed(uidvalidity=8, uid=77)
    assert not box.there


async def test_what_may_not_be_deleted_is_an_error_that_says_so(connect_writer: ConnectWriter) -> None:
    box = Box(b"UIDPLUS", {"UID EXPUNGE": b"$ OK done\r\n"})
    box.script["UID STORE"] = b"$ NO [NOPERM] not yours\r\n"
    async with ScriptedImap(box.script) as server:
        writer = connect_writer(server.port, USER)
        with pytest.raises(MailboxError) as caught:
            await writer.delete("INBOX", [1], uidvalidity=7)
        await writer.close()
    assert caught.value.code == "no_permission"


@pytest.mark.parametrize(
    "copied",
    [
        b"$ OK done\r\n",
        b"$ OK [COPYUID] done\r\n",
        b"$ OK [COPYUID 8] done\r\n",
        b"$ OK [COPYUID 8 1 2:3] done\r\n",
        b"$ OK [COPYUID 8 1 x] done\r\n",
        b"$ OK [COPYUID 8 1:4294967295 1:4294967295] done\r\n",
        b"$ OK [COPYUID 8 1 4294967296] done\r\n",
    ],
)
async def test_where_a_message_went_is_found_by_its_message_id_where_nobody_says(
    moved: Callable[[Box], object], copied: bytes
) -> None:
    assert await moved(Box(b"UIDPLUS", {}, copied)) == Placed(uidvalidity=8, uid=50)


def doubtful() -> Iterator[Box]:
    anonymous = Box(b"", {})
    anonymous.id = b""
    twins = Box(b"", {})
    twins.came = [(50, b"<1@x>"), (51, b"<1@x>")]
    other = Box(b"", {})
    other.came = [(50, b"<2@x>")]
    yield from (anonymous, twins, other)


@pytest.mark.parametrize("box", [*doubtful()], ids=["no Message-ID", "two of it", "another"])
async def test_where_a_message_went_is_never_guessed(moved: Callable[[Box], object], box: Box) -> None:
    assert await moved(box) == Placed(uidvalidity=8, uid=None)


async def test_an_upload_is_found_by_its_message_id_where_nobody_says(connect_writer: ConnectWriter) -> None:
    box = Box(b"LITERAL-", {})

    async def take(conversation: Conversation, rest: bytes) -> None:
        assert rest.endswith(b"+}")  # sent without waiting
        await conversation.reader.readexactly(int(rest.rpartition(b"{")[2].rstrip(b"+}")) + 2)
        box.came = [(50, b"<1@x>"), (51, b"<9@x>")]
        conversation.say(b"$ OK [APPENDUID 8] done\r\n")

    box.script["APPEND"] = take
    async with ScriptedImap(box.script) as server:
        writer = connect_writer(server.port, USER)
        placed = await writer.append("Target", b"Message-ID: <1@x>\r\n\r\nx\r\n", flags=NONE, date=DATE)
        assert placed == Placed(uidvalidity=8, uid=50)
        assert any(b'APPEND "Target" () "01-Jan-2024 00:00:00 +0000" {' in line for line in server.heard)
        await writer.close()


async def test_a_connection_that_ended_in_nonsense_is_not_used_for_another_way(connect: Connect) -> None:
    script = {
        "CAPABILITY": capability(b"ESEARCH"),
        "UID SEARCH": unless(b"RETURN", b"other OK what\r\n", b"* SEARCH 1 2 3\r\n$ OK done\r\n"),
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER)
        with pytest.raises(ProviderProtocolError):
            await provider.uids("INBOX", uidvalidity=7)
        assert (await provider.uids("INBOX", uidvalidity=7))[1] == "1:3"


# -- one message that ends every connection


async def test_a_message_alone_is_asked_for_alone_and_the_next_call_connects_anew(connect: Connect) -> None:
    def give(conversation: Conversation, rest: bytes) -> None:
        low, _, high = rest.split()[2].partition(b":")
        uids = range(int(low), int(high or low) + 1)
        if 2 in uids:
            return conversation.hang_up()
        for uid in uids:
            body = b" BODY[] {1}\r\nx" if b"BODY" in rest else b""
            conversation.say(b"* %d FETCH (UID %d FLAGS () RFC822.SIZE 1%b)\r\n" % (uid, uid, body))
        return conversation.say(b"$ OK done\r\n")

    async with ScriptedImap({"UID FETCH": give}) as server:
        provider = connect(server.port, USER)
        read: dict[int, int] = {}
        for uid in (1, 2, 3):
            with pytest.raises(ProviderConnectError) if uid == 2 else nullcontext():
                async for batch in provider.fetch("INBOX", [uid], uidvalidity=7, batch_size=1):
                    read |= {message.uid: message.size for message in batch.messages}
        batches = provider.fetch("INBOX", [1, 2, 3], uidvalidity=7, batch_size=1)
        assert [message.uid for message in (await anext(batches)).messages] == [1]
        await batches.aclose()
    assert read == {1: 1, 3: 1}


# -- names in UTF-8 and other people's


async def test_names_are_utf_8_where_the_server_takes_that(connect_writer: ConnectWriter) -> None:
    script: dict[str, Script] = {
        "CAPABILITY": capability(b"ENABLE UTF8=ACCEPT LITERAL+"),
        "ENABLE": b"* ENABLED UTF8=ACCEPT\r\n$ OK done\r\n",
        "STATUS": b"$ NO no such\r\n",
        "CREATE": b"$ OK done\r\n",
        "SUBSCRIBE": b"$ OK done\r\n",
        "SELECT": OPENED,
        "UID SEARCH": b"* SEARCH\r\n$ OK done\r\n",
    }

    async def take(conversation: Conversation, rest: bytes) -> None:
        await conversation.reader.readexactly(int(rest.rpartition(b"{")[2].rstrip(b"+}")))
        await conversation.reader.readline()
        conversation.say(b"$ OK [APPENDUID 7 4] done\r\n")

    script["APPEND"] = take
    async with ScriptedImap(script) as server:
        writer = connect_writer(server.port, USER)
        await writer.create('Łódź & "x"')
        await writer.find("R&D", "<żółw@x>")
        await writer.append("Łódź", "Subject: żółw\r\n\r\nx\r\n".encode(), flags=NONE, date=DATE)
        await writer.append("Łódź", b"Subject: x\r\n\r\nx\r\n", flags=NONE, date=DATE)
        await writer.close()
    heard = [line.decode().strip() for line in server.heard]
    assert any(line.endswith('CREATE "Łódź & \\"x\\""') for line in heard)
    assert any(line.endswith('SELECT "R&D"') for line in heard)
    assert any(line.endswith('UID SEARCH HEADER Message-ID "<żółw@x>"') for line in heard)
    assert any('APPEND "Łódź" () ' in line and line.endswith("UTF8 (~{23+}") for line in heard)
    assert any('APPEND "Łódź" () ' in line and line.endswith(" {17+}") for line in heard)


async def test_only_a_users_own_names_are_listed_whatever_the_prefix(connect: Connect) -> None:
    script = {
        "CAPABILITY": capability(b"NAMESPACE OBJECTID LIST-EXTENDED LIST-STATUS"),
        "NAMESPACE": b'* NAMESPACE (("INBOX." ".")) (("Other Users." ".")) (("Shared." ".")("" "."))\r\n$ OK done\r\n',
        "LIST": (
            b'* LIST (\\HasChildren) "." INBOX\r\n* LIST () "." "INBOX.Sent"\r\n* LIST () "." "INBOX.a.Trash"\r\n'
            b'* LIST (\\Noselect) "." "Other Users"\r\n* LIST () "." "Other Users.bob"\r\n* LIST () "." "Shared.all"\r\n'
            b"* STATUS INBOX (UIDVALIDITY 7 UIDNEXT 4 MESSAGES 3 MAILBOXID (F22-x))\r\n"
            b"* STATUS INBOX.Sent (UIDVALIDITY 8 UIDNEXT 1 MESSAGES 0 MAILBOXID NIL)\r\n$ OK done\r\n"
        ),
    }
    async with ScriptedImap(script) as server:
        found = await connect(server.port, USER).list_mailboxes()
        assert any(b"MAILBOXID" in line for line in server.heard)
    assert [(mailbox.path, mailbox.special_use, mailbox.remote_id) for mailbox in found] == [
        ("INBOX", "inbox", "F22-x"),
        ("INBOX.Sent", "sent", ""),
        ("INBOX.a.Trash", None, ""),
    ]


@pytest.mark.parametrize("said", [BAD, b"$ OK done\r\n", b"* NAMESPACE x y\r\n$ OK done\r\n"])
async def test_a_server_that_cannot_say_its_namespaces_has_one(connect: Connect, said: bytes) -> None:
    script = {
        "CAPABILITY": capability(b"NAMESPACE"),
        "NAMESPACE": said,
        "LIST": b'* LIST () "/" INBOX\r\n* LIST () "/" "Shared/x"\r\n$ OK done\r\n',
        "STATUS": BAD,
    }
    async with ScriptedImap(script) as server:
        found = await connect(server.port, USER).list_mailboxes()
    assert [mailbox.path for mailbox in found] == ["INBOX", "Shared/x"]


async def test_an_extension_is_enabled_only_where_it_is_announced() -> None:
    async with ScriptedImap({"CAPABILITY": capability(b"CONDSTORE QRESYNC UTF8=ACCEPT")}) as server:
        session = Session(Endpoint(host="127.0.0.1", port=server.port, tls="none"), Limits())
        await session.open(Credentials(username="a", password="b"), None)
        assert (session.condstore, session.qresync, session.utf8) == (True, False, False)
        await session.logout()
        assert not any(b"ENABLE" in line for line in server.heard)
