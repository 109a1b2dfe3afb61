"""All of a mailbox, newest first, exactly once, whatever happens on the way."""

import os
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.provider import Batch, MailboxError, ProviderConnectError
from services.mail.imap import ImapProvider
from services.mail.imap.wire import Limits
from tests.services.imap.conftest import Connect
from tests.support import corpus
from tests.support.dovecot import BASE_DATE, POOR, Dovecot, Mail, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_client import other_client


def numbered(count: int, size: int = 0) -> list[bytes]:
    return [b"Subject: n%d\r\nMessage-ID: <%d@x>\r\n\r\n%b\r\n" % (n, n, b"x" * size) for n in range(count)]


def fill(dovecot: Dovecot, user: User, raws: Iterable[bytes]) -> None:
    dovecot.load(user.name, (Mail(raw, BASE_DATE + timedelta(minutes=n)) for n, raw in enumerate(raws)))


async def everything(provider: ImapProvider, batch_size: int = 200, below: int | None = None) -> list[Batch]:
    status = await provider.status("INBOX")
    backfill = provider.backfill("INBOX", uidvalidity=status.uidvalidity, below=below, batch_size=batch_size)
    return [batch async for batch in backfill]


async def collect(batches: AsyncIterator[Batch], told: list[Batch]) -> None:
    """Keeps what was told before an error."""
    async for batch in batches:
        told.append(batch)  # noqa: PERF401 - a comprehension would lose it


@pytest.mark.parametrize("host", ["127.0.0.1", POOR])
async def test_real_mail_comes_byte_for_byte_newest_first(
    connect: Connect, dovecot: Dovecot, mail_user: User, host: str
) -> None:
    raws = [message.raw for message in corpus.messages("hard-ham-1")]
    fill(dovecot, mail_user, raws)
    batches = await everything(connect(dovecot.port, mail_user, host=host), batch_size=60)
    messages = [message for batch in batches for message in batch.messages]
    assert [message.uid for message in messages] == list(range(len(raws), 0, -1))
    expected = [raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for raw in reversed(raws)]
    assert [message.raw for message in messages] == expected
    assert all(message.size == len(message.raw) for message in messages if isinstance(message.raw, bytes))
    assert [message.internal_date for message in messages][-1] == BASE_DATE
    assert all(0 < len(batch.messages) <= 60 for batch in batches)
    assert [batch.floor for batch in batches] == [*(batch.messages[-1].uid for batch in batches[:-1]), 1]


async def test_an_empty_mailbox_is_done_at_once(provider: ImapProvider) -> None:
    (batch,) = await everything(provider)
    assert (batch.floor, batch.messages) == (1, ())


async def test_it_resumes_below_the_floor_it_reached(provider: ImapProvider, dovecot: Dovecot, mail_user: User) -> None:
    fill(dovecot, mail_user, numbered(25))
    status = await provider.status("INBOX")
    seen: list[int] = []
    below: int | None = None
    while below != 1:  # each round stands for a worker that is killed after its first batch
        backfill = provider.backfill("INBOX", uidvalidity=status.uidvalidity, below=below, batch_size=10)
        batch = await anext(backfill)
        await backfill.aclose()
        seen += [message.uid for message in batch.messages]
        below = batch.floor
    assert seen == list(range(25, 0, -1))


async def test_batches_are_bounded_by_bytes_and_big_messages_go_to_files(
    connect: Connect, dovecot: Dovecot, mail_user: User, tmp_path: Path
) -> None:
    small, big = numbered(6, 1_500_000), numbered(1, 3_500_000)
    fill(dovecot, mail_user, [*small[:3], *big, *small[3:]])
    batches = await everything(connect(dovecot.port, mail_user, stream_above=2_000_000))
    assert [[message.uid for message in batch.messages] for batch in batches] == [[7, 6, 5], [4], [3, 2, 1]]
    (spooled,) = batches[1].messages
    assert isinstance(spooled.raw, Path)
    assert spooled.raw.parent == tmp_path
    assert spooled.raw.read_bytes() == big[0]
    assert spooled.size == len(big[0])
    assert spooled.internal_date == BASE_DATE + timedelta(minutes=3)


async def test_a_message_of_thirty_megabytes_takes_a_few_of_memory(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    fill(dovecot, mail_user, [b"Subject: big\r\n\r\n" + b"0123456789abcdef" * 64 * 30_000 + b"\r\n"])
    provider = connect(dovecot.port, mail_user)
    await provider.status("INBOX")
    tracemalloc.start()
    ((message,),) = [batch.messages for batch in await everything(provider)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert message.size > 30_000_000
    assert peak < 8_000_000


async def test_eight_megabytes_are_a_batch(connect: Connect, dovecot: Dovecot, mail_user: User) -> None:
    fill(dovecot, mail_user, numbered(5, 3_000_000))
    assert [len(batch.messages) for batch in await everything(connect(dovecot.port, mail_user))] == [2, 2, 1]


async def test_a_failed_download_leaves_no_file(
    connect: Connect, dovecot: Dovecot, mail_user: User, tmp_path: Path
) -> None:
    fill(dovecot, mail_user, numbered(1, 3_000_000))
    async with FaultProxy(dovecot.port) as proxy:
        proxy.cut_after = 2_000_000
        with pytest.raises(ProviderConnectError):
            await everything(connect(proxy.port, mail_user, stream_above=1_000_000))
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - no other task runs


async def test_what_is_expunged_on_the_way_is_told_missing(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    fill(dovecot, mail_user, numbered(30))
    status = await provider.status("INBOX")
    backfill = provider.backfill("INBOX", uidvalidity=status.uidvalidity, batch_size=10)
    await anext(backfill)
    dovecot.doveadm("expunge", "-u", mail_user.name, "mailbox", "INBOX", "uid", "15,3")
    rest = [batch async for batch in backfill]
    assert [batch.missing for batch in rest] == [(15,), (3,)]
    assert sum(len(batch.messages) for batch in rest) == 18
    assert all(message.raw for batch in rest for message in batch.messages)


async def test_other_mailboxes_may_be_looked_at_between_two_batches(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    fill(dovecot, mail_user, numbered(30))
    status = await provider.status("INBOX")
    seen: list[int] = []
    async for batch in provider.backfill("INBOX", uidvalidity=status.uidvalidity, batch_size=10):
        seen += [message.uid for message in batch.messages]
        await provider.status("Sent")
    assert seen == list(range(30, 0, -1))


async def test_what_came_since_the_mailbox_was_opened_is_read_too(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    status = await provider.status("INBOX")
    dovecot.deliver(mail_user.name, b"Subject: x\r\n\r\nbody\r\n")
    (batch,) = [batch async for batch in provider.backfill("INBOX", uidvalidity=status.uidvalidity)]
    assert [message.uid for message in batch.messages] == [1]


async def test_a_mailbox_numbered_anew_on_the_way_stops_the_backfill(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    fill(dovecot, mail_user, numbered(30))
    status = await provider.status("INBOX")
    backfill = provider.backfill("INBOX", uidvalidity=status.uidvalidity, batch_size=10)
    await anext(backfill)
    dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--uid-validity", str(status.uidvalidity + 5), "INBOX")
    with pytest.raises((MailboxError, ProviderConnectError)):
        _ = [batch async for batch in backfill]
    with pytest.raises(MailboxError) as caught:
        await anext(provider.backfill("INBOX", uidvalidity=status.uidvalidity))
    assert caught.value.code == "uidvalidity_changed"


@pytest.mark.parametrize("reset", [False, True])
async def test_a_connection_cut_in_a_message_fails_at_once_and_nothing_half_is_told(
    connect: Connect, dovecot: Dovecot, mail_user: User, *, reset: bool
) -> None:
    fill(dovecot, mail_user, numbered(50, 2_000))
    async with FaultProxy(dovecot.port) as proxy:
        provider = connect(proxy.port, mail_user)
        status = await provider.status("INBOX")
        await provider.close()
        proxy.cut_after, proxy.reset = 60_000, reset
        told: list[Batch] = []
        began = time.monotonic()
        with pytest.raises(ProviderConnectError) as caught:
            await collect(provider.backfill("INBOX", uidvalidity=status.uidvalidity, batch_size=10), told)
        assert time.monotonic() - began < 5
        assert caught.value.code == "connection_lost"
        assert told
        proxy.cut_after = None
        floor = told[-1].floor
        rest = provider.backfill("INBOX", uidvalidity=status.uidvalidity, below=floor, batch_size=10)
        told += [batch async for batch in rest]
    assert [message.uid for batch in told for message in batch.messages] == list(range(50, 0, -1))
    assert all(message.size > 2_000 for batch in told for message in batch.messages)


async def test_a_stalled_server_is_given_up_and_a_trickling_one_is_not(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    fill(dovecot, mail_user, numbered(10, 2_000))
    async with FaultProxy(dovecot.port) as proxy:
        provider = connect(proxy.port, mail_user, limits=Limits(inactivity=0.5))
        status = await provider.status("INBOX")
        await provider.close()
        proxy.stall_after = 10_000
        with pytest.raises(ProviderConnectError) as caught:
            await anext(provider.backfill("INBOX", uidvalidity=status.uidvalidity))
        assert caught.value.code == "timeout"
        proxy.stall_after, proxy.chunk, proxy.delay = None, 500, 0.02
        batch = await anext(provider.backfill("INBOX", uidvalidity=status.uidvalidity))
        assert len(batch.messages) == 10


async def test_a_message_that_the_server_breaks_off_at_is_read_at_the_next_try(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    fill(dovecot, mail_user, numbered(3, 500))
    liar = next(path for path in (dovecot.maildir(mail_user.name) / "cur").iterdir() if ".M000001P" in path.name)
    liar.rename(liar.with_name(liar.name.replace(":2,", ",W=5000:2,")))
    with pytest.raises(ProviderConnectError):
        await everything(provider)
    batches = await everything(provider)
    assert {message.size for batch in batches for message in batch.messages} == {len(raw) for raw in numbered(3, 500)}
    assert sum(len(batch.messages) for batch in batches) == 3


async def test_flags_and_keywords_come_along(provider: ImapProvider, dovecot: Dovecot, mail_user: User) -> None:
    fill(dovecot, mail_user, numbered(1))
    keywords = " ".join(f"kw{n}" for n in range(30))
    with other_client(dovecot.port, mail_user) as client:
        client.store("1", "FLAGS", f"(\\Seen \\Answered $Forwarded NonJunk {keywords})")
    (batch,) = await everything(provider)
    (message,) = batch.messages
    assert {"\\Seen", "\\Answered", "$Forwarded", "NonJunk", "kw29"} <= message.flags
    assert "\\Recent" not in message.flags
    assert message.modseq is not None


async def test_reading_changes_nothing_on_the_server(provider: ImapProvider, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.deliver(mail_user.name, b"Subject: x\r\n\r\nbody\r\n")
    await everything(provider)
    with other_client(dovecot.port, mail_user, None) as client:
        assert client.select("INBOX", readonly=True)[0] == "OK"
        assert client.response("RECENT")[1] == [b"1"]
        assert b"\\Seen" not in client.fetch("1", "(FLAGS)")[1][0]
