"""Much at once: deletions and flags."""

import pytest

from tests.services.faults.mirror import Connect, mails
from tests.support.dovecot import FULL, POOR, Dovecot, User
from tests.support.imap_truth import session


@pytest.mark.parametrize("host", [FULL, POOR], ids=["with QRESYNC", "without"])
async def test_a_thousand_deletions_at_once(mirror: Connect, dovecot: Dovecot, mail_user: User, host: str) -> None:
    dovecot.load(mail_user.name, mails(1300))
    here = await mirror(dovecot, mail_user, host=host)
    await here.equal()
    with session(dovecot, mail_user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "101:1100", "+FLAGS.SILENT", r"(\Deleted)")
        imap.expunge()
    await here.equal()


@pytest.mark.parametrize("count", [5_000, pytest.param(50_000, marks=pytest.mark.long)])
async def test_the_flags_of_all_messages_change_at_once(
    mirror: Connect, dovecot: Dovecot, mail_user: User, count: int
) -> None:
    dovecot.load(mail_user.name, mails(count))
    here = await mirror(dovecot, mail_user)
    await here.live(seconds=30 + count / 100)
    with session(dovecot, mail_user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "1:*", "+FLAGS.SILENT", r"(\Seen)")
        imap.uid("STORE", f"1:{count // 2}", "+FLAGS.SILENT", r"($Forwarded)")
        imap.uid("STORE", f"1:{count // 4}", "-FLAGS.SILENT", r"(\Seen)")
    await here.equal(seconds=30 + count / 200)
