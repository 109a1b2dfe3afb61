"""A message is submitted in two steps: until the second nothing was sent, and after it nobody pretends to know what he doesn't."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from contracts.provider import (
    MailboxError,
    ProviderAuthError,
    ProviderConnectError,
    ProviderNotSupported,
    RecipientsRefused,
)
from services.mail.budget import Full, HostBudget
from services.mail.compose.secrecy import without_bcc
from services.mail.endpoint import Credentials, Endpoint
from services.mail.smtp import submission as module
from services.mail.smtp.submission import Submission, dot_stuffed
from tests.support.smtp_sink import Sink, sink

ME, YOU, THEM = "me@x.example", "you@y.example", "them@z.example"
RAW = b"From: me@x.example\r\nBcc: them@z.example,\r\n more@z.example\r\nSubject: Hi\r\n\r\n.\r\n..two\r\nBcc: text\r\n"
SENT = b"From: me@x.example\r\nSubject: Hi\r\n\r\n.\r\n..two\r\nBcc: text\r\n"
PASSWORD = "pa55 of mine"


@pytest.fixture
async def server() -> AsyncIterator[Sink]:
    async with sink() as one:
        one.users = {"me": PASSWORD}
        yield one


@asynccontextmanager
async def submission(server: Sink, budget: HostBudget | None = None, **who: str) -> AsyncIterator[Submission]:
    known = Credentials(**({"username": "me", "password": PASSWORD} | who))
    endpoint = Endpoint(host="127.0.0.1", port=server.port, tls="none")
    async with Submission(endpoint, known, budget or HostBudget(5)) as one:
        yield one


async def sent(server: Sink, raw: bytes = RAW, to: list[str] | None = None, sender: str = ME) -> str:
    async with submission(server) as one:
        await one.envelope(raw, envelope_from=sender, envelope_to=to or [YOU])
        return await one.content()


async def test_what_is_sent_is_what_was_given_without_its_bcc(server: Sink) -> None:
    assert await sent(server, to=[YOU, THEM]) == "accepted"
    (one,) = server.taken
    assert (one.raw, one.sender, one.recipients) == (SENT, ME, [YOU, THEM])
    assert one.options == f"SIZE={len(SENT)}"
    assert server.lines[-1] == "QUIT"
    assert "EHLO localhost" in server.lines


async def test_the_connection_is_given_up_after_one_message_without_content(server: Sink) -> None:
    async with submission(server) as one:
        assert await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU]) == {}
    assert server.lines[-1] == "QUIT"
    assert "DATA" not in server.lines
    assert server.taken == []


async def test_eight_bits_and_addresses_beyond_ascii_are_announced_when_there_are_any(server: Sink) -> None:
    await sent(server, RAW + "ą\r\n".encode())
    await sent(server, to=["łucja@x.example"])
    await sent(server, "From: ł@x.example\r\nSubject: Hi\r\n\r\n".encode())
    options = [re.sub(r"SIZE=\d+ ?", "", one.options) for one in server.taken]
    assert options == ["BODY=8BITMIME", "SMTPUTF8", "BODY=8BITMIME SMTPUTF8"]
    assert server.taken[1].recipients == ["łucja@x.example"]
    server.extensions = ["8BITMIME"]
    with pytest.raises(ProviderNotSupported):
        await sent(server, to=["łucja@x.example"])


async def test_a_message_beyond_the_servers_limit_is_not_begun(server: Sink) -> None:
    server.extensions = ["SIZE 100"]
    with pytest.raises(MailboxError, match="at most 100 bytes"):
        await sent(server, RAW * 2)
    assert not any(line.startswith("MAIL") for line in server.lines)


async def test_a_login_that_is_refused_is_the_owners_business_and_shows_no_secret(server: Sink) -> None:
    async with submission(server, password="wrong secret") as one:
        with pytest.raises(ProviderAuthError) as refused:
            await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU])
    assert refused.value.code == "auth_failed"
    assert "wrong secret" not in str(refused.value)


async def test_an_access_token_is_used_where_there_is_one(server: Sink) -> None:
    server.users = {"me": "ya29.token"}
    async with submission(server, password="", access_token="ya29.token") as one:
        await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU])
        assert await one.content() == "accepted"


async def test_recipients_that_are_refused_are_named_and_the_others_get_it(server: Sink) -> None:
    server.refuse = {THEM: "550 5.1.1 no such user here"}
    async with submission(server) as one:
        refused = await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU, THEM])
        assert await one.content() == "accepted"
    assert {email: (why.code, why.text) for email, why in refused.items()} == {
        THEM: (550, "550 5.1.1 no such user here")
    }
    assert server.taken[0].recipients == [YOU]


async def test_a_message_that_nobody_would_get_is_an_error(server: Sink) -> None:
    server.refuse = {THEM: "550 no", YOU: "451 later"}
    async with submission(server) as one:
        with pytest.raises(RecipientsRefused) as refused:
            await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU, THEM])
    assert {email: why.code for email, why in refused.value.refused.items()} == {THEM: 550, YOU: 451}
    assert "DATA" not in server.lines


@pytest.mark.parametrize("what", ["sender", "data", "content"])
async def test_refusals_are_for_now_or_for_good_with_the_servers_words(server: Sink, what: str) -> None:
    setattr(server, what, "452 4.3.1 not now")
    with pytest.raises(ProviderConnectError, match="not now") as passing:
        await sent(server)
    assert passing.value.code == "unavailable"
    setattr(server, what, "554 5.7.1 looks like spam")
    with pytest.raises(MailboxError, match="looks like spam") as lasting:
        await sent(server)
    assert lasting.value.code == "rejected"
    assert server.taken == []


@pytest.mark.parametrize("step", ["mail", "rcpt", "data"])
async def test_a_connection_that_ends_before_the_content_has_sent_nothing(server: Sink, step: str) -> None:
    server.hang_up = {step}  # type: ignore[arg-type] # one of them
    with pytest.raises(ProviderConnectError) as ended:
        await sent(server)
    assert ended.value.code == "connection_lost"


@pytest.mark.parametrize("step", ["content", "taken"])
async def test_a_connection_that_ends_after_it_was_asked_for_the_content_leaves_nobody_sure(
    server: Sink, step: str
) -> None:
    server.hang_up = {step}  # type: ignore[arg-type] # one of them
    assert await sent(server, RAW + b"word\r\n" * 100_000) == "unconfirmed"
    assert len(server.taken) == (step == "taken")


@pytest.mark.parametrize("step", ["content", "taken"])
async def test_a_server_that_says_nothing_about_the_content_leaves_nobody_sure(
    server: Sink, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER", 0.3)
    monkeypatch.setattr(module, "SLOWEST", 1e9)
    server.hold(step)  # type: ignore[arg-type] # one of them
    assert await sent(server) == "unconfirmed"


async def test_time_is_given_by_size(server: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER", 0.2)
    held = server.hold("taken")
    asyncio.get_running_loop().call_later(0.5, held.go_on.set)
    assert await sent(server, RAW + b"word\r\n" * 10_000) == "accepted"  # 1.2 s at 50 kB/s


async def test_a_refusal_in_the_middle_of_the_content_is_heard(server: Sink) -> None:
    async def full(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers = [
            b"220 x\r\n",
            b"250-x\r\n250 AUTH PLAIN\r\n",
            b"235 ok\r\n",
            b"250 ok\r\n",
            b"250 ok\r\n",
            b"354 go\r\n",
        ]
        for answer in answers:
            writer.write(answer)
            await reader.readline()
        writer.write(b"552 5.3.4 too much\r\n")
        while await reader.read(1 << 16):
            continue
        writer.close()

    listening = await asyncio.start_server(full, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    with pytest.raises(MailboxError, match="too much"):
        await sent(server, RAW + b"word\r\n" * 2_000_000)
    listening.close()


async def test_connections_count_at_the_host_and_are_given_back(server: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 0.2)
    budget = HostBudget(1)
    async with submission(server, budget) as one:
        await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU])
        async with submission(server, budget) as other:
            with pytest.raises(Full):
                await other.envelope(RAW, envelope_from=ME, envelope_to=[YOU])
    async with submission(server, budget) as one:
        await one.envelope(RAW, envelope_from=ME, envelope_to=[YOU])
    assert server.most == 1


async def test_nothing_else_gets_into_a_command(server: Sink) -> None:
    with pytest.raises(MailboxError):
        await sent(server, to=["you@y.example>\r\nRCPT TO:<them@z.example"])
    assert server.taken == []


@pytest.mark.parametrize(
    ("raw", "stuffed"),
    [
        (b"a\r\n", b"a\r\n.\r\n"),
        (b".\r\n.a\r\n", b"..\r\n..a\r\n.\r\n"),
        (b"a", b"a\r\n.\r\n"),
        (b"", b"\r\n.\r\n"),
    ],
)
def test_dots_are_doubled_and_the_end_is_the_only_one(raw: bytes, stuffed: bytes) -> None:
    assert dot_stuffed(raw) == stuffed


def test_bcc_goes_wherever_it_stands_and_however_it_is_written() -> None:
    assert without_bcc(b"BCC : a@x\r\n\tb@x\r\nTo: c@x\r\nBcc:\r\n\r\nBcc: d\r\n") == b"To: c@x\r\n\r\nBcc: d\r\n"
    assert without_bcc(b"To: c@x\r\nBcc: a@x\r\n\r\n") == b"To: c@x\r\n\r\n"
