"""The faults of aioimaplib's core (docs/decisions/0004), each shown to be absent from ours, and what else a wire meets.

The server here is scripted: it says what no sound server would, or what one says only rarely.
"""

import asyncio
import base64
import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts import uidset
from contracts.provider import (
    ErrorCode,
    MailboxError,
    MailboxStatus,
    ProviderAuthError,
    ProviderConnectError,
    ProviderError,
    ProviderNotSupported,
    ProviderProtocolError,
    Seen,
)
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.list import list_mailboxes
from services.mail.imap.names import astring
from services.mail.imap.search import search
from services.mail.imap.session import Session
from services.mail.imap.wire import Limits
from tests.services.imap.conftest import Connect, Remembered
from tests.support.dovecot import User
from tests.support.scripted_imap import Conversation, ScriptedImap

USER = User("alice", "pa55word")
QUICK = Limits(connect=1.0, inactivity=0.4, total=5.0)
STATUS = MailboxStatus(uidvalidity=7, uidnext=4, messages=3)


async def session_with(server: ScriptedImap, limits: Limits = QUICK, user: User = USER) -> Session:
    session = Session(Endpoint(host="127.0.0.1", port=server.port, tls="none"), limits)
    await session.open(Credentials(username=user.name, password=user.password), None)
    return session


def capabilities(words: bytes) -> bytes:
    return b"* CAPABILITY IMAP4rev1 " + words + b"\r\n$ OK done\r\n"


# -- one test for each fault, in the order of the decision's table


async def test_1_a_reply_of_many_short_lines_in_one_chunk_is_read() -> None:
    lines = b"".join(b"* %d FETCH (FLAGS (\\Seen) UID %d)\r\n" % (n, n) for n in range(1, 20_001))
    async with ScriptedImap({"UID FETCH": lines + b"$ OK done\r\n"}) as server:
        session = await session_with(server, Limits())
        answer = await session.command("UID FETCH", b"1:20000", b"(FLAGS)")
        assert len(answer.replies) == 20_000
        await session.logout()


async def test_2_and_3_vanished_and_exists_during_a_fetch_are_kept(connect: Connect) -> None:
    said = (
        b"* VANISHED (EARLIER) 1:2\r\n* 2 EXISTS\r\n"
        b"* 1 FETCH (UID 3 FLAGS (\\Seen) MODSEQ (9))\r\n* VANISHED 9\r\n$ OK done\r\n"
    )
    script = {
        "CAPABILITY": capabilities(b"ENABLE QRESYNC CONDSTORE"),
        "ENABLE": b"* ENABLED QRESYNC\r\n$ OK done\r\n",
        "EXAMINE": b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n* OK [UIDNEXT 4]\r\n* OK [HIGHESTMODSEQ 9]\r\n$ OK x\r\n",
        "UID FETCH": said,
    }
    async with ScriptedImap(script) as server:
        delta = await connect(server.port, USER).poll("INBOX", Seen(uidvalidity=7, high_uid=3, highestmodseq=5))
    assert delta.expunged == "1:2"
    assert [(change.uid, change.flags, change.modseq) for change in delta.flag_changes] == [(3, {"\\Seen"}, 9)]


async def test_3_the_status_lines_of_a_list_are_kept() -> None:
    script = {
        "CAPABILITY": capabilities(b"LIST-EXTENDED LIST-STATUS SPECIAL-USE"),
        "LIST": b'* LIST (\\Sent) "/" Sent\r\n* STATUS Sent (UIDVALIDITY 5 UIDNEXT 9 MESSAGES 2)\r\n$ OK done\r\n',
    }
    async with ScriptedImap(script) as server:
        session = await session_with(server)
        (mailbox,) = await list_mailboxes(session)
        await session.logout()
    assert mailbox.status == MailboxStatus(uidvalidity=5, uidnext=9, messages=2)
    assert mailbox.special_use == "sent"


@pytest.mark.parametrize("ending", ["cut", "bye"])
async def test_4_a_lost_connection_fails_the_command_at_once_and_the_next_connects_anew(
    connect: Connect, ending: str
) -> None:
    def end(conversation: Conversation, _: bytes) -> None:
        conversation.say(b"* 1 FETCH (UID 1 BODY[] {1000}\r\nabc" if ending == "cut" else b"* BYE going down\r\n")
        if ending == "cut":
            conversation.writer.close()
        server.script["UID FETCH"] = b"* 1 FETCH (UID 1 RFC822.SIZE 3 BODY[] {3}\r\nabc FLAGS ())\r\n$ OK done\r\n"

    async with ScriptedImap({"UID FETCH": end}) as server:
        provider = connect(server.port, USER)
        began = time.monotonic()
        with pytest.raises(ProviderConnectError) as caught:
            _ = [batch async for batch in provider.fetch("INBOX", [1], uidvalidity=7)]
        assert caught.value.code == "connection_lost"
        assert time.monotonic() - began < 1
        assert [len(batch.messages) async for batch in provider.fetch("INBOX", [1], uidvalidity=7)] == [1]


async def test_4_a_connection_lost_during_idle_is_noticed_at_once(connect: Connect) -> None:
    script = {
        "CAPABILITY": capabilities(b"IDLE"),
        "IDLE": lambda conversation, _: (conversation.say(b"+ idling\r\n"), conversation.writer.close()),
    }
    async with ScriptedImap(script) as server:
        with pytest.raises(ProviderConnectError):
            await asyncio.wait_for(connect(server.port, USER).idle("INBOX", STATUS), 2)


async def test_5_a_star_in_a_name_stays_there() -> None:
    async with ScriptedImap({"LIST": b'* LIST () "/" "a * b"\r\n* LIST () "/" "* x"\r\n$ OK done\r\n'}) as server:
        session = await session_with(server)
        assert [mailbox.path for mailbox in await list_mailboxes(session)] == ["* x", "a * b"]
        await session.logout()


async def test_6_a_challenge_that_was_not_expected_is_answered_with_an_empty_line() -> None:
    async def challenge(conversation: Conversation, _: bytes) -> None:
        conversation.say(b"+ eyJzdGF0dXMiOiI0MDAifQ==\r\n")
        assert await conversation.reader.readline() == b"\r\n"
        conversation.say(b"$ NO [AUTHENTICATIONFAILED] bad token\r\n")

    script = {"CAPABILITY": capabilities(b"AUTH=PLAIN SASL-IR"), "AUTHENTICATE": challenge}
    async with ScriptedImap(script) as server:
        with pytest.raises(ProviderAuthError) as caught:
            await session_with(server)
    assert caught.value.detail == "bad token"


@pytest.mark.parametrize("way", ["code", "reply", "asked"])
async def test_7_capabilities_are_learnt_again_after_the_login(way: str) -> None:
    after = {
        "code": b"$ OK [CAPABILITY IMAP4rev1 IDLE] in\r\n",
        "reply": b"* CAPABILITY IMAP4rev1 IDLE\r\n$ OK in\r\n",
        "asked": b"$ OK in\r\n",
    }

    def log_in(conversation: Conversation, _: bytes) -> None:
        server.script["CAPABILITY"] = capabilities(b"IDLE")
        conversation.say(after[way])

    async with ScriptedImap({"LOGIN": log_in}, greeting=b"* OK [CAPABILITY IMAP4rev1 OLD] hello\r\n") as server:
        session = await session_with(server)
        assert session.capabilities == {"IMAP4REV1", "IDLE"}
        await session.logout()


@pytest.mark.parametrize("password", ["plain-secret", 'qu"ote\\secret', "zażółć-secret"])
@pytest.mark.parametrize("mechanism", [b"", b"AUTH=PLAIN SASL-IR", b"AUTH=PLAIN"])
async def test_8_a_secret_is_in_no_log_repr_or_error(
    caplog: pytest.LogCaptureFixture, password: str, mechanism: bytes
) -> None:
    user = User("alice", password)
    seen: list[str] = []

    async def refuse(conversation: Conversation, rest: bytes) -> None:
        if rest.endswith(b"}") or rest == b"AUTHENTICATE PLAIN":
            conversation.say(b"+\r\n")
            rest += await conversation.reader.readexactly(len(password.encode())) if rest.endswith(b"}") else b""
            rest += (await conversation.reader.readline()).strip()
        seen.append(repr(session.wire._command))
        conversation.say(b"$ BAD what is " + rest.replace(b"\r\n", b" ") + b"\r\n")  # the server repeats the command

    caplog.set_level(logging.DEBUG)
    script = {"CAPABILITY": capabilities(mechanism), "LOGIN": refuse, "AUTHENTICATE": refuse}
    async with ScriptedImap(script) as server:
        session = Session(Endpoint(host="127.0.0.1", port=server.port, tls="none"), QUICK)
        credentials = Credentials(username=user.name, password=user.password)
        with pytest.raises(ProviderAuthError) as caught:
            await session.open(credentials, None)
    told = " ".join([str(caught.value), repr(caught.value), caught.value.detail, repr(credentials), caplog.text, *seen])
    token = base64.b64encode(b"\0alice\0" + password.encode()).decode()
    assert "secret" not in told
    assert token not in told
    assert "what is" in caught.value.detail


async def test_9_commands_at_once_are_sent_one_after_the_other() -> None:
    async with ScriptedImap({"X": b"$ OK done\r\n"}) as server:
        session = await session_with(server)
        texts = [f"lit{n} ż".encode() for n in range(5)]

        async def take(conversation: Conversation, rest: bytes) -> None:
            conversation.say(b"+ go\r\n")
            size = int(re.findall(rb"\{(\d+)\}", rest)[0])
            text = await conversation.reader.readexactly(size)
            assert await conversation.reader.readline() == b"\r\n"
            conversation.say(b"* X {%d}\r\n%b\r\n$ OK done\r\n" % (size, text))

        server.script["X"] = take
        answers = await asyncio.gather(*(session.command("X", astring(text)) for text in texts))
        assert [answer.replies[0][1] for answer in answers] == texts
        await session.logout()


async def test_10_parentheses_in_strings_end_nothing(connect: Connect) -> None:
    said = (
        b'* 1 FETCH (UID 1 ENVELOPE (NIL "(((" NIL) RFC822.SIZE 3 BODY[] "((a")\r\n'
        b"* 2 FETCH (UID 2 RFC822.SIZE 3 BODY[] {3}\r\n))))\r\n$ OK done\r\n"
    )
    async with ScriptedImap({"UID FETCH": said}) as server:
        (batch,) = [batch async for batch in connect(server.port, USER).fetch("INBOX", [1, 2], uidvalidity=7)]
    assert [message.raw for message in batch.messages] == [b"((a", b")))"]


async def test_11_names_and_passwords_are_quoted_or_sent_as_literals(connect: Connect) -> None:
    async with ScriptedImap() as server:
        await connect(server.port, User('we"ird \\ user', "p w")).status('Wysłane & "x"')
    assert any(b'LOGIN "we\\"ird \\\\ user" "p w"\r\n' in line for line in server.heard)
    assert any(b'EXAMINE "Wys&AUI-ane &- \\"x\\""\r\n' in line for line in server.heard)


@pytest.mark.parametrize(
    ("greeting", "code"),
    [
        (b"* BYE [UNAVAILABLE] back soon\r\n", "unavailable"),
        (b"* BYE Too many connections from your address\r\n", "too_many_connections"),
        (b"* BYE\r\n", "connection_lost"),
        (b"220 mail.example.test ESMTP\r\n", "protocol"),
        (b"HTTP/1.1 400 Bad Request\r\n", "protocol"),
        (b"* WHAT\r\n", "protocol"),
        (b"", "timeout"),
    ],
)
async def test_12_a_greeting_that_is_no_welcome_says_why(greeting: bytes, code: ErrorCode) -> None:
    async with ScriptedImap(greeting=greeting) as server:
        with pytest.raises(ProviderError) as caught:
            await session_with(server)
    assert caught.value.code == code


async def test_13_a_cancelled_fetch_ends_its_connection_and_the_next_command_does_not_wait(connect: Connect) -> None:
    started = asyncio.Event()

    async def trickle(conversation: Conversation, _: bytes) -> None:
        started.set()
        conversation.say(b"* 1 FETCH (UID 1 BODY[] {1000000}\r\n")
        while not conversation.writer.is_closing():
            conversation.say(b"x" * 100)
            await asyncio.sleep(0.02)

    async with ScriptedImap({"UID FETCH": trickle}) as server:
        provider = connect(server.port, USER)
        fetching = asyncio.create_task(anext(provider.fetch("INBOX", [1], uidvalidity=7)))
        await started.wait()
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        assert await asyncio.wait_for(provider.status("INBOX"), 1) == STATUS
        assert sum(b"LOGIN" in line for line in server.heard) == 2


# -- time


async def test_a_silent_server_is_given_up_after_the_inactivity_limit(connect: Connect) -> None:
    async with ScriptedImap({"EXAMINE": b"* 3 EXISTS\r\n"}) as server:
        with pytest.raises(ProviderConnectError) as caught:
            await connect(server.port, USER, limits=QUICK).status("INBOX")
    assert caught.value.code == "timeout"


async def test_a_slow_server_may_take_longer_than_the_inactivity_limit(connect: Connect) -> None:
    async def slowly(conversation: Conversation, _: bytes) -> None:
        for line in (b"* 3 EXISTS\r\n", b"* OK [UIDVALIDITY 7]\r\n", b"* OK [UIDNEXT 4]\r\n", b"$ OK done\r\n"):
            await asyncio.sleep(0.2)
            conversation.say(line)

    async with ScriptedImap({"EXAMINE": slowly}) as server:
        assert await connect(server.port, USER, limits=QUICK).status("INBOX") == STATUS


async def test_a_server_that_talks_for_ever_is_given_up_in_the_end(connect: Connect) -> None:
    async def chatter(conversation: Conversation, _: bytes) -> None:
        while not conversation.writer.is_closing():
            conversation.say(b"* OK still working\r\n")
            await asyncio.sleep(0.05)

    async with ScriptedImap({"EXAMINE": chatter}) as server:
        with pytest.raises(ProviderConnectError) as caught:
            await connect(server.port, USER, limits=Limits(inactivity=0.4, total=0.8)).status("INBOX")
    assert caught.value.code == "timeout"


# -- what no server should say


@pytest.mark.parametrize(
    "said",
    [
        b"other OK done\r\n",
        b"$ MAYBE\r\n",
        b"* 1 FETCH (BODY[] {99999999999}\r\n",
        b"* !\r\n$ OK done\r\n",
        b"* OK [UIDVALIDITY x]\r\n$ OK done\r\n",
    ],
)
async def test_nonsense_ends_the_connection_with_a_protocol_error(connect: Connect, said: bytes) -> None:
    async with ScriptedImap({"EXAMINE": said}) as server:
        with pytest.raises(ProviderProtocolError):
            await connect(server.port, USER).status("INBOX")


async def test_an_answer_without_an_end_is_cut_off_at_its_limit(connect: Connect) -> None:
    async def pour(conversation: Conversation, _: bytes) -> None:
        while not conversation.writer.is_closing():
            conversation.say(b"* 1 FETCH (BODY[] {1000}\r\n" + b"x" * 1000 + b")\r\n")
            await asyncio.sleep(0)

    async with ScriptedImap({"EXAMINE": pour}) as server:
        with pytest.raises(ProviderProtocolError):
            await connect(server.port, USER, limits=Limits(answer=100_000)).status("INBOX")


async def test_words_in_the_clear_after_starttls_are_refused(tmp_path: Path) -> None:
    script = {"STARTTLS": b"$ OK begin\r\n* CAPABILITY IMAP4rev1 AUTH=EVIL\r\n"}
    async with ScriptedImap(script) as server:
        session = Session(Endpoint(host="127.0.0.1", port=server.port, tls="starttls"), QUICK)
        with pytest.raises(ProviderProtocolError):
            await session.open(Credentials(username="alice", password="secret"), None)
    assert not any(b"LOGIN" in line for line in server.heard)


@pytest.mark.parametrize(
    ("greeting", "answer"), [(b"* OK hi\r\n", b"$ BAD no such thing\r\n"), (b"* PREAUTH in\r\n", b"$ OK begin\r\n")]
)
async def test_no_password_is_sent_without_the_tls_that_was_asked_for(greeting: bytes, answer: bytes) -> None:
    async with ScriptedImap({"STARTTLS": answer}, greeting=greeting) as server:
        session = Session(Endpoint(host="127.0.0.1", port=server.port, tls="starttls"), QUICK)
        with pytest.raises(ProviderConnectError) as caught:
            await session.open(Credentials(username="alice", password="secret"), None)
    assert caught.value.code == "tls_failed"
    assert not any(b"secret" in line for line in server.heard)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"$ NO [AUTHENTICATIONFAILED] no\r\n", "auth_failed"),
        (b"$ NO wrong\r\n", "auth_failed"),
        (b"$ NO [LIMIT] no\r\n", "too_many_connections"),
        (b"$ NO Too many simultaneous connections. (Failure)\r\n", "too_many_connections"),
        (b"$ NO [UNAVAILABLE] later\r\n", "unavailable"),
        (b"$ NO [PRIVACYREQUIRED] tls first\r\n", "login_disabled"),
        (b"$ NO [AUTHENTICATIONFAILED] no\r\n* BYE too many tries\r\n", "auth_failed"),
        (b"* BYE too many tries\r\n$ NO [AUTHENTICATIONFAILED] no\r\n", "auth_failed"),
    ],
)
async def test_a_refused_login_says_whose_trouble_it_is(said: bytes, code: ErrorCode) -> None:
    async with ScriptedImap({"LOGIN": said}) as server:
        with pytest.raises(ProviderError) as caught:
            await session_with(server)
    assert caught.value.code == code


async def test_a_server_that_takes_no_password_is_not_given_one() -> None:
    async with ScriptedImap({"CAPABILITY": capabilities(b"LOGINDISABLED")}) as server:
        with pytest.raises(ProviderAuthError) as caught:
            await session_with(server)
    assert caught.value.code == "login_disabled"
    assert not any(b"LOGIN " in line for line in server.heard)


@pytest.mark.parametrize(("host", "trusted"), [("imap.mail.me.com", False), ("imap.example.com", True)])
async def test_qresync_is_not_used_where_it_is_known_to_lose_mail(host: str, *, trusted: bool) -> None:
    session = Session(Endpoint(host=host, port=993, tls="ssl"), QUICK)
    session.capabilities = frozenset({"QRESYNC", "CONDSTORE"})
    assert session._trusts_qresync() is trusted


# -- replies that are rare and right


async def test_a_mailbox_without_uidnext_is_asked_for_its_last_uid(connect: Connect) -> None:
    script = {
        "EXAMINE": b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n$ OK done\r\n",
        "FETCH": b"* 3 FETCH (UID 41)\r\n$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        assert (await connect(server.port, USER).status("INBOX")).uidnext == 42


async def test_a_server_without_lasting_uids_is_not_supported(connect: Connect) -> None:
    async with ScriptedImap({"EXAMINE": b"* 3 EXISTS\r\n$ OK done\r\n"}) as server:
        with pytest.raises(ProviderNotSupported):
            await connect(server.port, USER).status("INBOX")


async def test_a_numbering_that_is_zero_is_another_numbering(connect: Connect) -> None:
    opened = b"* 3 EXISTS\r\n* OK [UIDVALIDITY 0]\r\n* OK [UIDNEXT 4]\r\n$ OK done\r\n"
    async with ScriptedImap({"EXAMINE": opened}) as server:
        delta = await connect(server.port, USER).poll("INBOX", Seen(uidvalidity=7, high_uid=3))
    assert delta.reset
    assert delta.status.uidvalidity == 0


async def test_sizes_that_are_not_told_make_small_groups(connect: Connect) -> None:
    def give(conversation: Conversation, rest: bytes) -> None:
        uids = uidset.expand(rest.split()[2].decode())
        body = [b"* 1 FETCH (UID %d BODY[] {1}\r\nx)\r\n" % uid for uid in uids]
        conversation.say(b"".join(body) + b"$ OK done\r\n" if b"BODY" in rest else b"$ NO some are gone\r\n")

    async with ScriptedImap({"UID FETCH": give}) as server:
        fetching = connect(server.port, USER).fetch("INBOX", range(1, 41), uidvalidity=7)
        assert [len(batch.messages) async for batch in fetching] == [16, 16, 8]


async def test_a_message_told_before_or_come_after_is_not_new(connect: Connect, known: Remembered) -> None:
    script = {
        "EXAMINE": b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n* OK [UIDNEXT 99]\r\n$ OK done\r\n",
        "UID SEARCH": b"* SEARCH 3 98 99\r\n$ OK done\r\n",
        "UID FETCH": b"$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        delta = await connect(server.port, USER).poll("INBOX", Seen(uidvalidity=7, high_uid=3))
    assert delta.new_uids == (98,)
    assert known.asked == 1


async def test_xlist_names_the_inbox_and_the_uses() -> None:
    script = {
        "CAPABILITY": capabilities(b"XLIST"),
        "XLIST": (
            b'* XLIST (\\HasNoChildren \\Inbox) "/" "Odebrane"\r\n* XLIST (\\Noselect) "/" "[Box]"\r\n'
            b'* XLIST (\\spam) "/" "Niechciane"\r\n$ OK done\r\n'
        ),
        "STATUS": b"$ NO cannot\r\n",
    }
    async with ScriptedImap(script) as server:
        session = await session_with(server)
        found = {mailbox.path: mailbox for mailbox in await list_mailboxes(session)}
        await session.logout()
    assert {path: mailbox.special_use for path, mailbox in found.items()} == {
        "INBOX": "inbox",
        "[Box]": None,
        "Niechciane": "junk",
    }
    assert not found["[Box]"].selectable
    assert found["INBOX"].status is None


@pytest.mark.parametrize("body", [b"BODY[] NIL", b"FLAGS ()"])
@pytest.mark.parametrize("there", [True, False])
async def test_a_message_without_content_is_missing_or_unreadable_and_never_empty(
    connect: Connect, body: bytes, *, there: bool
) -> None:
    script = {
        "UID FETCH": b"* 1 FETCH (UID 1 RFC822.SIZE 0 BODY[] {0}\r\n)\r\n"
        b"* 2 FETCH (UID 2 RFC822.SIZE 9 " + body + b")\r\n$ OK [EXPUNGEISSUED] gone\r\n",
        "UID SEARCH": b"* SEARCH 2\r\n$ OK done\r\n" if there else b"* SEARCH\r\n$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        (batch,) = [batch async for batch in connect(server.port, USER).fetch("INBOX", [1, 2], uidvalidity=7)]
    assert [(message.uid, message.raw) for message in batch.messages] == [(1, b"")]
    assert (batch.unreadable, batch.missing) == (((2,), ()) if there else ((), (2,)))


async def test_one_message_that_the_server_cannot_read_does_not_hide_the_others(connect: Connect) -> None:
    def give(conversation: Conversation, rest: bytes) -> None:
        if b"1:3" in rest and b"BODY" in rest:
            conversation.say(b"$ NO some could not be read\r\n")
        for uid in (1, 2, 3):
            if rest.split()[2] == b"%d" % uid and uid != 2:
                conversation.say(b"* %d FETCH (UID %d BODY[] {1}\r\nx)\r\n$ OK done\r\n" % (uid, uid))
        if rest.split()[2] == b"2":
            conversation.say(b"$ NO cannot read it\r\n")
        if b"SIZE" in rest:
            conversation.say(b"$ OK done\r\n")

    async with ScriptedImap({"UID FETCH": give, "UID SEARCH": b"* SEARCH 1 2 3\r\n$ OK done\r\n"}) as server:
        (batch,) = [batch async for batch in connect(server.port, USER).fetch("INBOX", [1, 2, 3], uidvalidity=7)]
    assert [message.uid for message in batch.messages] == [1, 3]
    assert batch.unreadable == (2,)


async def test_a_message_that_is_refused_at_once_may_be_given_in_pieces(connect: Connect) -> None:
    def give(conversation: Conversation, rest: bytes) -> None:
        if b"BODY.PEEK[]<" in rest:
            conversation.say(b"* 1 FETCH (UID 1 BODY[]<0> {5}\r\nraw\r\n)\r\n$ OK done\r\n")
        elif b"BODY.PEEK[]" in rest:
            conversation.say(b"$ NO can not parse it\r\n")
        else:
            conversation.say(b"* 1 FETCH (UID 1 FLAGS (\\Seen) RFC822.SIZE 5)\r\n$ OK done\r\n")

    async with ScriptedImap({"UID FETCH": give, "UID SEARCH": b"* SEARCH 1\r\n$ OK done\r\n"}) as server:
        (batch,) = [batch async for batch in connect(server.port, USER).fetch("INBOX", [1], uidvalidity=7)]
    (message,) = batch.messages
    assert isinstance(message.raw, Path)
    assert (message.raw.read_bytes(), message.flags, batch.unreadable) == (b"raw\r\n", {"\\Seen"}, ())


BIG = b"* 1 FETCH (UID 1 FLAGS () RFC822.SIZE 999)\r\n$ OK done\r\n"


def in_pieces(piece: bytes) -> Callable[[Conversation, bytes], None]:
    return lambda conversation, rest: conversation.say(piece if b"<" in rest else BIG)


@pytest.mark.parametrize("piece", [b"* 1 FETCH (UID 1 BODY[]<0> NIL)\r\n$ OK done\r\n", b"$ NO gone\r\n"])
@pytest.mark.parametrize("there", [True, False])
async def test_a_big_message_that_is_gone_leaves_no_file(
    connect: Connect, tmp_path: Path, piece: bytes, *, there: bool
) -> None:
    script = {
        "UID FETCH": in_pieces(piece),
        "UID SEARCH": b"* SEARCH 1\r\n$ OK done\r\n" if there else b"* SEARCH\r\n$ OK done\r\n",
    }
    async with ScriptedImap(script) as server:
        provider = connect(server.port, USER, stream_above=500)
        (batch,) = [batch async for batch in provider.fetch("INBOX", [1], uidvalidity=7)]
    assert (batch.messages, batch.unreadable, batch.missing) == ((), (1,) if there else (), () if there else (1,))
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - no other task runs


async def test_more_of_a_big_message_than_was_asked_for_is_refused(connect: Connect, tmp_path: Path) -> None:
    size = 2**20 + 1
    piece = b"* 1 FETCH (UID 1 BODY[]<0> {%d}\r\n%b)\r\n$ OK done\r\n" % (size, b"x" * size)
    async with ScriptedImap({"UID FETCH": in_pieces(piece)}) as server:
        with pytest.raises(ProviderProtocolError):
            await anext(connect(server.port, USER, stream_above=500).fetch("INBOX", [1], uidvalidity=7))
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - no other task runs


@pytest.mark.parametrize(
    ("said", "uids"),
    [
        (b"* SEARCH 3 1 2 (MODSEQ 9)\r\n* SEARCH 2\r\n", [1, 2, 3]),
        (b'* ESEARCH (TAG "x") UID ALL 2,4:6\r\n', [2, 4, 5, 6]),
        (b'* ESEARCH (TAG "x") UID\r\n', []),
    ],
)
async def test_a_search_is_read_in_either_form(said: bytes, uids: list[int]) -> None:
    async with ScriptedImap({"UID SEARCH": said + b"$ OK done\r\n"}) as server:
        session = await session_with(server)
        assert list(await search(session, b"ALL")) == uids
        await session.logout()


@pytest.mark.parametrize(
    "said",
    [
        b"* SEARCH x\r\n",
        b"* SEARCH 4294967296\r\n",
        b"* ESEARCH UID ALL 1:4294967295\r\n",
        b"* ESEARCH UID ALL 1:*\r\n",
    ],
)
async def test_a_search_that_finds_what_cannot_be_is_refused(said: bytes) -> None:
    async with ScriptedImap({"UID SEARCH": said + b"$ OK done\r\n"}) as server:
        session = await session_with(server)
        with pytest.raises(ProviderProtocolError):
            await search(session, b"ALL")
        await session.logout()


async def test_a_temporary_refusal_of_a_mailbox_is_no_missing_mailbox(connect: Connect) -> None:
    async with ScriptedImap({"EXAMINE": b"$ NO [SERVERBUG] try again later\r\n"}) as server:
        with pytest.raises(ProviderConnectError) as caught:
            await connect(server.port, USER).status("INBOX")
    assert caught.value.code == "unavailable"


async def test_a_new_numbering_is_never_mixed_with_the_old(connect: Connect) -> None:
    async with ScriptedImap() as server:
        provider = connect(server.port, USER)
        with pytest.raises(MailboxError) as caught:
            _ = [batch async for batch in provider.backfill("INBOX", uidvalidity=6)]
        delta = await provider.poll("INBOX", Seen(uidvalidity=6, high_uid=9))
    assert caught.value.code == "uidvalidity_changed"
    assert delta.reset
    assert delta.status == STATUS


async def test_gmail_ids_and_labels_are_read(connect: Connect) -> None:
    said = (
        b'* 1 FETCH (X-GM-MSGID 1278455344230334865 X-GM-THRID 1266894439832287888 X-GM-LABELS (\\Inbox "&AUI-x" {3}\r\na b) UID 1 EMAILID (M6d9)'
        b" RFC822.SIZE 1 FLAGS () BODY[] {1}\r\nx)\r\n$ OK done\r\n"
    )
    script = {"CAPABILITY": capabilities(b"X-GM-EXT-1 OBJECTID"), "UID FETCH": said}
    async with ScriptedImap(script) as server:
        (batch,) = [batch async for batch in connect(server.port, USER).fetch("INBOX", [1], uidvalidity=7)]
    (message,) = batch.messages
    assert message.email_id == "1278455344230334865"
    assert message.thread_id == "1266894439832287888"
    assert message.labels == {"\\Inbox", "łx", "a b"}


async def test_idle_is_sent_again_and_still_here_is_no_change(connect: Connect) -> None:
    rounds = 0

    async def idle(conversation: Conversation, _: bytes) -> None:
        nonlocal rounds
        rounds += 1
        conversation.say(b"+ idling\r\n* OK Still here\r\n")
        if rounds == 3:
            conversation.say(b"* 4 EXISTS\r\n")
        assert await conversation.reader.readline() == b"DONE\r\n"
        conversation.say(b"$ OK done\r\n")

    async with ScriptedImap({"CAPABILITY": capabilities(b"IDLE"), "IDLE": idle}) as server:
        provider = connect(server.port, USER, idle_reissue=0.1)
        await asyncio.wait_for(provider.idle("INBOX", STATUS), 3)
    assert rounds == 3


async def test_idle_returns_at_once_when_the_mailbox_changed_before(connect: Connect) -> None:
    async with ScriptedImap({"CAPABILITY": capabilities(b"IDLE")}) as server:
        before = MailboxStatus(uidvalidity=7, uidnext=3, messages=2)
        await asyncio.wait_for(connect(server.port, USER).idle("INBOX", before), 1)
    assert not any(b"IDLE" in line for line in server.heard)


NO_IDLE = [
    {},
    {"CAPABILITY": capabilities(b"IDLE"), "IDLE": b"$ NO not now\r\n"},
    {"CAPABILITY": capabilities(b"IDLE"), "IDLE": b"+ idling\r\n$ OK that was it\r\n"},
]


@pytest.mark.parametrize("script", NO_IDLE)
async def test_a_server_that_cannot_wait_is_polled(connect: Connect, script: dict[str, bytes]) -> None:
    async with ScriptedImap(script) as server:
        with pytest.raises(ProviderNotSupported):
            await connect(server.port, USER).idle("INBOX", STATUS)


async def test_a_line_break_cannot_be_smuggled_into_a_command() -> None:
    async with ScriptedImap() as server:
        session = await session_with(server)
        with pytest.raises(ValueError, match="line break"):
            await session.command("EXAMINE", b"INBOX\r\nx LOGOUT")
