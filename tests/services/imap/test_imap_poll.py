"""What changed in a mailbox, on servers that keep a log of changes and on those that don't."""

import pytest
from msgspec import structs

from contracts import uidset
from contracts.provider import MailboxDelta, MailboxStatus, Seen
from services.mail.imap import ImapProvider
from services.mail.imap.session import Session
from tests.services.imap.conftest import Connect, Remembered
from tests.support.dovecot import POOR, Dovecot, Mail, User
from tests.support.imap_client import other_client

KINDS = ["qresync", "condstore", "neither"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "condstore":
        monkeypatch.setattr(Session, "_trusts_qresync", lambda _: False)
    return str(request.param)


@pytest.fixture
def poller(connect: Connect, dovecot: Dovecot, mail_user: User, kind: str) -> ImapProvider:
    dovecot.load(mail_user.name, (Mail(b"Subject: n%d\r\n\r\nx\r\n" % n) for n in range(10)))
    return connect(dovecot.port, mail_user, host=POOR if kind == "neither" else "127.0.0.1")


def seen(status: MailboxStatus) -> Seen:
    return Seen(uidvalidity=status.uidvalidity, high_uid=status.uidnext - 1, highestmodseq=status.highestmodseq)


def remember(known: Remembered, delta: MailboxDelta) -> None:
    """What sync does with a delta."""
    known.messages |= {uid: frozenset() for uid in delta.new_uids}
    known.messages |= {change.uid: change.flags for change in delta.flag_changes}
    for uid in uidset.expand(delta.expunged):
        known.messages.pop(uid, None)


async def test_new_mail_flags_and_expunges_are_seen_once(
    poller: ImapProvider, dovecot: Dovecot, mail_user: User, known: Remembered, kind: str
) -> None:
    first = await poller.poll("INBOX", Seen(uidvalidity=(await poller.status("INBOX")).uidvalidity, high_uid=0))
    assert first.new_uids == tuple(range(1, 11))
    remember(known, first)

    with other_client(dovecot.port, mail_user) as client:
        client.uid("STORE", "2,4", "+FLAGS", "(\\Seen $Label)")
        client.uid("STORE", "5:7", "+FLAGS", "(\\Deleted)")
        client.expunge()
    dovecot.deliver(mail_user.name, b"Subject: new\r\n\r\nx\r\n")

    second = await poller.poll("INBOX", seen(first.status))
    assert second.new_uids == (11,)
    assert {change.uid: change.flags for change in second.flag_changes} == {
        2: {"\\Seen", "$Label"},
        4: {"\\Seen", "$Label"},
    }
    assert second.expunged == "5:7"
    assert [
        batch.messages[0].uid
        async for batch in poller.fetch("INBOX", second.new_uids, uidvalidity=second.status.uidvalidity)
    ] == [11]
    remember(known, second)

    third = await poller.poll("INBOX", seen(second.status))
    assert (third.new_uids, third.flag_changes, third.expunged) == ((), (), "")
    assert bool(known.asked) == (kind != "qresync")


async def test_any_number_of_flag_changes_is_one_poll(
    connect: Connect, dovecot: Dovecot, mail_user: User, known: Remembered, kind: str
) -> None:
    count = 2500 if kind == "qresync" else 600
    dovecot.load(mail_user.name, (Mail(b"Subject: n%d\r\n\r\nx\r\n" % n) for n in range(count)))
    provider = connect(dovecot.port, mail_user, host=POOR if kind == "neither" else "127.0.0.1")
    before = await provider.status("INBOX")
    known.messages = {uid: frozenset() for uid in range(1, count + 1)}
    with other_client(dovecot.port, mail_user) as client:
        client.uid("STORE", "1:*", "+FLAGS.SILENT", "(\\Seen)")
        client.uid("STORE", "101:300", "+FLAGS.SILENT", "(\\Deleted)")
        client.expunge()
    delta = await provider.poll("INBOX", seen(before))
    assert len(delta.flag_changes) == count - 200
    assert delta.expunged == "101:300"


async def test_a_log_that_the_server_lost_is_noticed(
    connect: Connect, dovecot: Dovecot, mail_user: User, known: Remembered
) -> None:
    dovecot.load(mail_user.name, (Mail(b"Subject: n%d\r\n\r\nx\r\n" % n) for n in range(4)))
    provider = connect(dovecot.port, mail_user)
    dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--min-highest-modseq", "5000", "INBOX")
    before = await provider.status("INBOX")
    assert (before.highestmodseq or 0) >= 5000
    known.messages = dict.fromkeys((1, 2, 3, 4, 9), frozenset())
    await provider.close()
    for index in dovecot.maildir(mail_user.name).glob("dovecot.index*"):
        index.unlink()
    with other_client(dovecot.port, mail_user) as client:
        client.uid("STORE", "3", "+FLAGS", "(\\Flagged)")
    delta = await provider.poll("INBOX", structs.replace(seen(before), high_uid=9))
    assert not delta.reset
    assert delta.status.highestmodseq is not None
    assert delta.status.highestmodseq < 5000
    assert [(change.uid, change.flags) for change in delta.flag_changes] == [(3, {"\\Flagged"})]
    assert delta.expunged == "9"


async def test_uids_may_jump(provider: ImapProvider, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.deliver(mail_user.name, b"Subject: a\r\n\r\nx\r\n")
    before = await provider.status("INBOX")
    dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--min-next-uid", "100000", "INBOX")
    assert (await provider.poll("INBOX", seen(before))).new_uids == ()
    dovecot.deliver(mail_user.name, b"Subject: b\r\n\r\nx\r\n")
    assert (await provider.poll("INBOX", seen(before))).new_uids == (100000,)


async def test_a_mailbox_numbered_anew_is_a_reset(provider: ImapProvider, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.deliver(mail_user.name, b"Subject: a\r\n\r\nx\r\n")
    before = await provider.status("INBOX")
    dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--uid-validity", str(before.uidvalidity + 9), "INBOX")
    await provider.close()
    delta = await provider.poll("INBOX", seen(before))
    assert delta.reset
    assert delta.status.uidvalidity == before.uidvalidity + 9
    assert delta.new_uids == ()
