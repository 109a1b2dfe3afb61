"""A mailbox without its content: every message recognisable, as the whole message would be."""

import pytest

from contracts import uidset
from contracts.provider import Listed, MailboxError
from services.mail.imap import ImapProvider
from services.parsing.evidence import evidence
from tests.services.imap.conftest import Connect
from tests.support import corpus
from tests.support.dovecot import BASE_DATE, POOR, Dovecot, Mail, User
from tests.support.imap_client import other_client
from tests.support.pymap_server import PymapServer

HOSTILE = [
    b"\r\nFrom: in the body\r\n\r\nx\r\n",
    b"Subject: none of them\r\n\r\nFrom: body\r\n",
    b"FROM:\r\n folded\r\n\tand folded\r\nMessage-ID:\r\n <a@b>\r\nDate: now\r\n\r\nx\r\n",
    b"Message-ID: <1@x>\r\nMessage-ID: <2@x>\r\nFrom: a\r\nfrom: b\r\n\r\nx\r\n",
    b"From : spaced\r\nDate\t: tabbed\r\n\r\nx\r\n",
    b"From: caf\xe9 \xff \xc5\x82\r\nMessage-ID: <\xf0\x9f@x>\r\n\r\nx\r\n",
    b"From:\r\nMessage-ID:    \r\nDate:\r\n\r\nx\r\n",
    b"From: only a header\r\n",
    b"no header at all\r\n\r\nFrom: body\r\n",
    b"Message-ID: <" + b"x" * 9000 + b"@long>\r\nFrom: b\r\n\r\nx\r\n",
]
BLANK = (
    b"From: a\r\n \r\nDate: after a line of spaces\r\n\r\nx\r\n"  # a header goes on after it for some, not for pymap
)


async def listing(provider: ImapProvider, size: int = 1000) -> list[Listed]:
    status = await provider.status("INBOX")
    batches = [batch async for batch in provider.listing("INBOX", uidvalidity=status.uidvalidity, batch_size=size)]
    return [message for batch in batches for message in batch]


async def compared(provider: ImapProvider) -> int:
    """How many messages there are, each recognised by its listing as by its bytes."""
    status = await provider.status("INBOX")
    whole = {
        message.uid: message
        async for batch in provider.backfill("INBOX", uidvalidity=status.uidvalidity)
        for message in batch.messages
    }
    found = await listing(provider)
    assert [message.uid for message in found] == sorted(whole)
    for message in found:
        raw = whole[message.uid].raw
        assert isinstance(raw, bytes)
        assert message.evidence == evidence(raw), raw[:300]
        assert (message.flags, message.internal_date, message.email_id, message.modseq) == (
            whole[message.uid].flags,
            whole[message.uid].internal_date,
            whole[message.uid].email_id,
            whole[message.uid].modseq,
        )
    return len(found)


async def test_a_message_is_recognised_by_its_header_as_by_the_whole_of_it(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    real = [message.raw for message in corpus.messages("easy-ham-2", "spam-1")]
    count = dovecot.load(mail_user.name, (Mail(raw) for raw in [*HOSTILE, BLANK, *real]))
    assert await compared(provider) == count


async def test_a_server_that_reads_headers_in_its_own_way_gives_the_same_evidence(
    connect: Connect, pymap_server: PymapServer
) -> None:
    with other_client(pymap_server.port, pymap_server.user, None) as client:
        for raw in HOSTILE:
            client.append("INBOX", "", "", raw)
    assert await compared(connect(pymap_server.port, pymap_server.user)) == len(HOSTILE)


@pytest.mark.parametrize("host", ["127.0.0.1", POOR])
async def test_a_mailbox_is_listed_in_windows_whatever_its_gaps(
    connect: Connect, dovecot: Dovecot, mail_user: User, host: str
) -> None:
    dovecot.load(mail_user.name, (Mail(b"Subject: n\r\n\r\n" + b"x" * n + b"\r\n") for n in range(60)))
    with other_client(dovecot.port, mail_user) as client:
        client.uid("STORE", "5,20:40", "+FLAGS.SILENT", "(\\Deleted)")
        client.uid("STORE", "7", "+FLAGS.SILENT", "(\\Seen $Work)")
        client.expunge()
    provider = connect(dovecot.port, mail_user, host=host)
    found = await listing(provider, 10)
    assert [message.uid for message in found] == [*range(1, 5), *range(6, 20), *range(41, 61)]
    assert {message.uid: message.flags for message in found}[7] == {"\\Seen", "$Work"}
    assert found[0].internal_date == BASE_DATE
    assert found[-1].size == len(b"Subject: n\r\n\r\n\r\n") + 59
    status = await provider.status("INBOX")
    at, held = await provider.uids("INBOX", uidvalidity=status.uidvalidity)
    assert (at, held) == (status, "1:4,6:19,41:60")
    assert len(list(uidset.expand(held))) == at.messages


async def test_an_empty_mailbox_lists_nothing(provider: ImapProvider) -> None:
    assert await listing(provider) == []
    status = await provider.status("INBOX")
    assert await provider.uids("INBOX", uidvalidity=status.uidvalidity) == (status, "")


async def test_a_listing_is_never_of_another_numbering(provider: ImapProvider) -> None:
    status = await provider.status("INBOX")
    with pytest.raises(MailboxError) as caught:
        await provider.uids("INBOX", uidvalidity=status.uidvalidity + 1)
    assert caught.value.code == "uidvalidity_changed"
    with pytest.raises(MailboxError):
        await anext(provider.listing("INBOX", uidvalidity=status.uidvalidity + 1))
