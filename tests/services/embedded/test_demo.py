"""The demo: a mailbox that looks like one, a mail server that gives its mail back, and a check of the whole way."""

import imaplib
import re
import smtplib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from projections.documents import document
from services.embedded.child import Child, accepts, free_port
from services.embedded.demo_mail import Login
from services.embedded.mailbox import mailbox
from tests.support.rules import ROOT

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
LOGIN = Login(email="alex@demo.test", password="pw of the demo")


class MailServer:
    """The demo's, on a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.imap_port, self.smtp_port = free_port(), free_port()
        secret = folder / "login.json"
        secret.write_bytes(msgspec.json.encode(LOGIN))
        (folder / "tmp").mkdir()
        arguments = [str(folder), str(secret), str(self.imap_port), str(self.smtp_port)]
        command = [sys.executable, "-m", "services.embedded.demo_mail", *arguments]
        self.child = Child("demo-mail", command, folder / "log", {"TMPDIR": str(folder / "tmp"), "TZ": "UTC"})

    def start(self) -> None:
        self.child.start()
        self.child.wait_until(lambda: accepts(self.imap_port) and accepts(self.smtp_port), seconds=30)

    def imap(self) -> imaplib.IMAP4:
        session = imaplib.IMAP4("127.0.0.1", self.imap_port, timeout=20)
        session.login(LOGIN.email, LOGIN.password)
        return session


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailServer]:
    server = MailServer(tmp_path_factory.mktemp("demo"))
    server.start()
    yield server
    server.child.stop()


def test_the_mailbox_is_the_same_each_time_and_ends_now() -> None:
    letters = mailbox(NOW)
    assert letters == mailbox(NOW)
    assert len({letter.message_id for letter in letters}) == len(letters)
    assert 250 < len(letters) < 400
    assert NOW - timedelta(days=2) < letters[-1].written <= NOW


def test_the_mailbox_has_what_mailboxes_have() -> None:
    letters = mailbox(NOW)
    documents = [document.read(letter.raw) for letter in letters]
    assert [one.warnings for one in documents if one.warnings] == []
    assert {letter.mailbox for letter in letters} == {"INBOX", "Sent", "Archive", "Drafts", "Junk", "Trash"}
    assert sum("\\Seen" not in letter.flags for letter in letters) > 5
    assert any("\\Flagged" in letter.flags for letter in letters)
    text = "\n".join(one.text for one in documents)
    assert "żółte" in text
    assert re.search("[ぁ-ん]", text)
    assert any(one.calendar_method == "REQUEST" for one in documents)
    assert any(one.list_unsubscribe and one.blocked for one in documents)
    kinds = Counter(part.mime for one in documents for part in one.attachments)
    assert kinds["application/pdf"] > 5
    assert any(part.inline and part.content_id for one in documents for part in one.attachments)
    answered = {reference for one in documents for reference in one.references}
    assert len(answered & {one.message_id for one in documents}) > 40


def test_the_server_holds_the_mailbox_byte_for_byte(mail: MailServer) -> None:
    with mail.imap() as imap:
        names = {line.split()[-1].decode() for line in imap.list()[1] if isinstance(line, bytes)}
        assert names == {"INBOX", "Archive", "Drafts", "Junk", "Sent", "Trash"}
        imap.select("INBOX", readonly=True)
        _, answer = imap.fetch("1:*", "(FLAGS INTERNALDATE BODY.PEEK[])")
        found = [part[1] for part in answer if isinstance(part, tuple)]
    wanted = [letter for letter in mailbox(NOW) if letter.mailbox == "INBOX"]
    assert len(found) == len(wanted)
    assert [without_date(raw) for raw in found] == [without_date(letter.raw) for letter in wanted]


def without_date(raw: bytes) -> bytes:
    """The demo's mail is as old as its first start."""
    return re.sub(rb"(?m)^Date: .*?$|DT(STAMP|START|END):\d+T\d+Z", b"", raw)


def test_what_is_sent_comes_back(mail: MailServer) -> None:
    sent = b"From: alex@demo.test\r\nTo: kasia@zielinska.test\r\nSubject: =?utf-8?q?Cze=C5=9B=C4=87?=\r\n\r\nHej!\r\n.\r\nK\r\n"
    with smtplib.SMTP("127.0.0.1", mail.smtp_port, timeout=20) as smtp:
        smtp.login(LOGIN.email, LOGIN.password)
        smtp.sendmail(LOGIN.email, ["kasia@zielinska.test"], sent)
    with mail.imap() as imap:
        imap.select("INBOX", readonly=True)
        _, newest = imap.fetch("*", "(FLAGS BODY.PEEK[])")
    assert isinstance(newest[0], tuple)
    assert newest[0][1] == sent
    assert b"\\Seen" not in newest[0][0]


def test_a_stranger_neither_reads_nor_sends(mail: MailServer) -> None:
    with imaplib.IMAP4("127.0.0.1", mail.imap_port, timeout=20) as imap, pytest.raises(imaplib.IMAP4.error):
        imap.login(LOGIN.email, "guess")
    with smtplib.SMTP("127.0.0.1", mail.smtp_port, timeout=20) as smtp:
        with pytest.raises(smtplib.SMTPAuthenticationError):
            smtp.login(LOGIN.email, "guess")
        with pytest.raises(smtplib.SMTPSenderRefused):
            smtp.sendmail(LOGIN.email, [LOGIN.email], b"Subject: x\r\n\r\nx\r\n")


def test_starting_again_keeps_uids_and_what_came(mail: MailServer) -> None:
    def state() -> object:
        with mail.imap() as imap:
            return imap.status("INBOX", "(MESSAGES UIDNEXT UIDVALIDITY)")[1]

    before = state()
    mail.child.stop()
    mail.start()
    assert state() == before


def test_the_check_of_the_whole_way_passes() -> None:
    command = [sys.executable, "-m", "services.admin", "demo", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env={}, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one message read" in done.stdout
    assert done.stdout.endswith("webmail demo --check: passed\n")
