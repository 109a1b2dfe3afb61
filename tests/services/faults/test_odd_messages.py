"""Messages that are strange in themselves, and those that go while they are asked for."""

import re
from collections.abc import Mapping
from datetime import datetime, timezone

from contracts.facts import MessageArrived
from tests.services.faults.mirror import Connect, mails
from tests.services.sync.told import repeated
from tests.support.dovecot import Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_truth import Server, session

STRANGE: Mapping[str, bytes] = {
    "no headers": b"\r\nbody only\r\n",
    "no body": b"Subject: nothing\r\n\r\n",
    "one byte": b"x",
    "only an end of line": b"\r\n",
    "a group without members": b"From: undisclosed:;\r\nTo: undisclosed-recipients:;\r\n\r\nx\r\n",
    "8-bit headers": "Subject: zażółć\r\nFrom: Łucja <ł@ż.example>\r\n\r\ngęślą\r\n".encode(),
    "Latin-1 headers": "Subject: caf\xe9\r\n\r\nd\xe9j\xe0 vu\r\n".encode("latin-1"),
    "bare LF": b"Subject: unix\n\nline\nline\n",
    "bare CR": b"Subject: mac\r\rline\rline\r",
    "NUL": b"Subject: nul\0l\r\n\r\nbe\0fore\r\n",
    "a lone dot": b"Subject: dot\r\n\r\n.\r\n..\r\n",
    "what looks like the protocol": b"Subject: * 1 FETCH (UID 9 BODY[] {3}\r\n\r\n)\r\n* BYE\r\na1 OK FETCH {10}\r\n",
    "a very long line": b"Subject: " + b"long " * 20_000 + b"\r\n\r\n" + b"y" * 200_000 + b"\r\n",
    "a thousand headers": b"".join(b"X-%d: y\r\n" % n for n in range(1000)) + b"\r\nx\r\n",
    "nested too deep": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(300)
    ),
    "an impossible date": b"Date: Thu, 32 Foo 99999 99:99:99 +9999\r\nMessage-ID: <>\r\n\r\nx\r\n",
}


async def test_strange_messages_are_kept_as_they_are_and_each_is_shown(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    with session(dovecot, mail_user) as imap:
        for what, raw in STRANGE.items():
            assert imap._simple_command("APPEND", "INBOX", raw_literal(imap, raw))[0] == "OK", what  # type: ignore[attr-defined]
    here = await mirror(dovecot, mail_user)
    await here.equal()
    shown = await here.shown()
    assert len(shown["INBOX"]) == len(STRANGE)


def raw_literal(imap: object, raw: bytes) -> bytes:
    """Otherwise imaplib would repair the ends of lines."""
    imap.literal = raw  # type: ignore[attr-defined]
    return b""


async def test_keywords_of_all_kinds_are_kept(mirror: Connect, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.load(mail_user.name, mails(10))
    here = await mirror(dovecot, mail_user)
    await here.equal()
    many = " ".join(f"label{n}" for n in range(24))
    with session(dovecot, mail_user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "1:5", "+FLAGS.SILENT", f"($Forwarded NonJunk {many})")
        imap.uid("STORE", "3:7", "+FLAGS.SILENT", r"(\Draft \Answered \Deleted Work/2025 $MDNSent)")
        imap.uid("STORE", "2:4", "-FLAGS.SILENT", "(label3 NonJunk)")
    await here.equal()
    assert len((await here.shown())["INBOX"][1][1]) >= 26


DATES = (
    " 1-Jan-1970 00:00:00 +0000",
    "01-Jan-1980 00:00:00 +1400",
    "31-Dec-1999 23:59:59 -1200",
    "29-Feb-2024 12:00:00 +0545",
    "15-Jul-2025 03:04:05 -0930",
)


async def test_dates_are_those_of_the_server_whatever_its_zone(mirror: Connect) -> None:
    with Dovecot({"TZ": "Asia/Kathmandu"}) as server:
        user = server.user()
        with session(server, user) as imap:
            for date in DATES:
                imap.append("INBOX", None, f'"{date}"', f"Subject: {date}\r\n\r\nx\r\n".encode())  # type: ignore[arg-type]
        here = await mirror(server, user)
        await here.equal()
        arrived = {fact.uid: fact for fact in await here.facts() if isinstance(fact, MessageArrived)}
        assert {uid: fact.internal_date for uid, fact in arrived.items()} == internal_dates(server, user)
        zone = timezone(datetime.strptime("+0545", "%z").utcoffset())  # type: ignore[arg-type]
        assert arrived[4].internal_date.astimezone(zone).hour == 12


def internal_dates(server: Server, user: User) -> dict[int, datetime]:
    with session(server, user) as imap:
        imap.select("INBOX", readonly=True)
        answer = imap.uid("FETCH", "1:*", "(INTERNALDATE)")[1]
    found = (re.search(rb'UID (\d+) INTERNALDATE "([^"]+)"', line) for line in answer)
    return {int(one[1]): datetime.strptime(one[2].decode().strip(), "%d-%b-%Y %H:%M:%S %z") for one in found if one}


async def test_messages_that_are_expunged_before_they_are_fetched_are_not_told(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(30))
    async with FaultProxy(dovecot.port) as proxy:
        proxy.hold = b"BODY.PEEK[])"
        here = await mirror(dovecot, mail_user, via=proxy)
        await proxy.held.wait()
        dovecot.doveadm("expunge", "-u", mail_user.name, "mailbox", "INBOX", "uid", "1,5:9,30")
        proxy.release.set()
        await here.equal()
        assert not {1, 5, 9, 30} & {fact.uid for fact in await here.facts() if isinstance(fact, MessageArrived)}


async def test_news_that_are_expunged_before_they_are_fetched_cost_nothing(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    async with FaultProxy(dovecot.port) as proxy:
        here = await mirror(dovecot, mail_user, via=proxy)
        await here.live()
        proxy.hold = b"BODY.PEEK[])"
        for n in range(3):
            dovecot.deliver(mail_user.name, f"Subject: {n}\r\n\r\nShort-lived.\r\n".encode())
        await proxy.held.wait()
        dovecot.doveadm("expunge", "-u", mail_user.name, "mailbox", "INBOX", "all")
        dovecot.deliver(mail_user.name, b"Subject: last\r\n\r\nStays.\r\n")
        proxy.release.set()
        await here.equal()


async def test_a_file_over_which_the_server_stumbles_stops_no_other_message(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    """Dovecot ends the connection whenever it is asked for a file that is shorter than its name says."""
    dovecot.load(mail_user.name, mails(20))
    broken = sorted((dovecot.maildir(mail_user.name) / "cur").iterdir())[7]
    broken.rename(broken.with_name(re.sub(r"S=\d+", "S=9999", broken.name)))
    here = await mirror(dovecot, mail_user)
    await here.inbox_until(range(1, 21), seconds=60)
    await here.live()
    facts = await here.facts()
    assert repeated(facts) == []
    assert [fact.uid for fact in facts if isinstance(fact, MessageArrived) and fact.unreadable] == [8]
    dovecot.deliver(mail_user.name, b"Subject: next\r\n\r\nx\r\n")
    await here.inbox_until(range(1, 22))
