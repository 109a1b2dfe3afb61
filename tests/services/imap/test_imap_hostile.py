"""A server that lies at random: every call ends, in time, with an answer or a ProviderError."""

import asyncio
import random
from contextlib import suppress

import pytest

from contracts.provider import ProviderError, Seen
from services.mail.imap.parse import EPOCH
from services.mail.imap.wire import Limits
from tests.services.imap.conftest import Connect, ConnectWriter
from tests.support.dovecot import User
from tests.support.scripted_imap import ScriptedImap

USER = User("alice", "pa55word")
HONEST = {
    "CAPABILITY": b"* CAPABILITY IMAP4rev1 ID ENABLE CONDSTORE QRESYNC ESEARCH OBJECTID IDLE\r\n$ OK done\r\n",
    "ID": b'* ID ("name" "x")\r\n$ OK done\r\n',
    "ENABLE": b"* ENABLED QRESYNC\r\n$ OK done\r\n",
    "LIST": b'* LIST (\\HasNoChildren) "/" INBOX\r\n* LIST (\\Sent) "/" "S&AUI-x"\r\n$ OK done\r\n',
    "STATUS": b"* STATUS INBOX (UIDVALIDITY 7 UIDNEXT 4 MESSAGES 3 HIGHESTMODSEQ 9)\r\n$ OK done\r\n",
    "EXAMINE": b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n* OK [UIDNEXT 4]\r\n* OK [HIGHESTMODSEQ 9]\r\n$ OK done\r\n",
    "UID SEARCH": b'* ESEARCH (TAG "x") UID ALL 1:3\r\n$ OK done\r\n',
    "UID FETCH": b"* VANISHED (EARLIER) 9\r\n"
    + b"".join(
        b'* %d FETCH (UID %d FLAGS (\\Seen) MODSEQ (5) EMAILID (M1) INTERNALDATE "17-Jul-1996 02:44:25 -0700"'
        b" RFC822.SIZE 5 BODY[] {5}\r\na\r\nb\r)\r\n" % (n, n)
        for n in (1, 2, 3)
    )
    + b"$ OK done\r\n",
    "IDLE": b"+ idling\r\n* 4 EXISTS\r\n",
    "DONE": b"",
}
FOUND = b"".join(
    b'* %d FETCH (UID %d FLAGS () MODSEQ (5) RFC822.SIZE 9 X-GM-LABELS (\\Inbox "x")'
    b" BODY[HEADER.FIELDS (MESSAGE-ID DATE FROM)] {21}\r\nMessage-ID: <%d@x>\r\n\r\n)\r\n" % (n, n, n)
    for n in (1, 2, 3)
)
CHANGING = {
    **HONEST,
    "CAPABILITY": b"* CAPABILITY IMAP4rev1 CONDSTORE ESEARCH UIDPLUS MOVE X-GM-EXT-1 NAMESPACE LITERAL-\r\n$ OK done\r\n",
    "NAMESPACE": b'* NAMESPACE (("" "/")) NIL (("Shared/" "/"))\r\n$ OK done\r\n',
    "SELECT": HONEST["EXAMINE"],
    "UID FETCH": FOUND + b"$ OK done\r\n",
    "UID STORE": b"* 1 FETCH (MODSEQ (7))\r\n$ OK done\r\n",
    "UID MOVE": b"* OK [COPYUID 7 1:2 8:9] moved\r\n* 1 EXPUNGE\r\n$ OK done\r\n",
    "UID EXPUNGE": b"* 1 EXPUNGE\r\n$ OK done\r\n",
    "APPEND": b"$ OK [APPENDUID 7 4] done\r\n",
    "CREATE": b"$ NO [ALREADYEXISTS] is there\r\n",
    "SUBSCRIBE": b"$ OK done\r\n",
}
PIECES = (
    b"(",
    b")",
    b'"',
    b"{3}\r\n",
    b"{99999999999}\r\n",
    b"\r\n",
    b"NIL",
    b"* ",
    b"+ ",
    b"\0",
    b"4294967296",
    b"$ OK\r\n",
)


def damaged(text: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(0, 2)):
        at = chance.randrange(len(text) + 1)
        piece = chance.choice((*PIECES, chance.randbytes(3)))
        text = text[:at] + piece + text[at + chance.choice((0, 0, 1, 5, 40)) :]
    return text


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_a_server_says_every_call_ends_with_an_answer_or_a_provider_error(
    connect: Connect, seed: int
) -> None:
    chance = random.Random(seed)
    script = {verb: damaged(text, chance) if chance.random() < 0.4 else text for verb, text in HONEST.items()}
    async with ScriptedImap(
        script, greeting=damaged(b"* OK ready\r\n", chance) if seed % 6 == 0 else b"* OK hi\r\n"
    ) as server:
        provider = connect(server.port, USER, limits=Limits(connect=0.2, inactivity=0.1, total=0.5), idle_reissue=0.05)
        for call in (
            provider.list_mailboxes,
            lambda: provider.status("INBOX"),
            lambda: anext(provider.backfill("INBOX", uidvalidity=7)),
            lambda: anext(provider.fetch("INBOX", [1, 2, 3], uidvalidity=7)),
            lambda: provider.poll("INBOX", Seen(uidvalidity=7, high_uid=3, highestmodseq=5)),
        ):
            with suppress(ProviderError):
                await asyncio.wait_for(call(), 3)


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_a_server_says_to_a_change_it_ends_with_an_answer_or_a_provider_error(
    connect: Connect, connect_writer: ConnectWriter, seed: int
) -> None:
    chance = random.Random(seed)
    script = {verb: damaged(text, chance) if chance.random() < 0.3 else text for verb, text in CHANGING.items()}
    add, none = frozenset({"\\Seen", "$Work"}), frozenset[str]()
    async with ScriptedImap(script, greeting=b"* OK hi\r\n") as server:
        limits = Limits(connect=0.2, inactivity=0.1, total=0.5)
        writer, reader = connect_writer(server.port, USER, limits=limits), connect(server.port, USER, limits=limits)
        for call in (
            lambda: writer.push_flags("INBOX", [1, 2], uidvalidity=7, add=add, remove=none),
            lambda: writer.push_labels("INBOX", [1, 2], uidvalidity=7, add=frozenset({"x"}), remove=none),
            lambda: writer.move([1, 2], uidvalidity=7, source="INBOX", target="Target"),
            lambda: writer.delete("INBOX", [1, 2], uidvalidity=7),
            lambda: writer.append("INBOX", b"Message-ID: <1@x>\r\n\r\nx\r\n", flags=add, date=EPOCH),
            lambda: writer.find("INBOX", "<1@x>"),
            lambda: writer.create("INBOX"),
            lambda: anext(reader.listing("INBOX", uidvalidity=7)),
            lambda: reader.uids("INBOX", uidvalidity=7),
        ):
            with suppress(ProviderError):
                await asyncio.wait_for(call(), 3)
