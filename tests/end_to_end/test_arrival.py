"""One message travels from a real mail server through the log into rows, and an event says so."""

import time

from nats.aio.msg import Msg

from tests.support.corpus import messages
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.processes import Installation, until

NEW = b"From: a@example.test\r\nTo: b@example.test\r\nMessage-ID: <new@example.test>\r\nSubject: Just now\r\n\r\nHello.\r\n"


async def test_a_mailbox_becomes_rows_and_new_mail_is_there_within_two_seconds(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, [Mail(message.raw) for message in list(messages("easy-ham-2"))[:120]])
    with installed.running("sync"), installed.running("projector"):
        account = await installed.add_account(dovecot, mail_user)

        async def rows(count: int) -> bool:
            counted = "SELECT count(*) FROM mail.placements WHERE user_id = $1"
            return bool(await installed.db.fetchval(counted, account.user_id) == count)

        async def announced() -> bool:
            return not await installed.db.fetchval("SELECT EXISTS (SELECT FROM control.outbox)")

        await until(lambda: rows(120))
        await until(announced)
        events: list[str] = []

        async def heard(message: Msg) -> None:
            events.append(message.subject.split(".", 2)[2])

        await installed.admin.subscribe(f"event.{account.user_id}.>", cb=heard)
        started = time.monotonic()
        dovecot.deliver(mail_user.name, NEW)
        await until(lambda: "message.new" in events, seconds=5)
        assert time.monotonic() - started < 2
        assert await rows(121)
        subjects = await installed.db.fetch("SELECT subject FROM mail.messages WHERE user_id = $1", account.user_id)
        assert "Just now" in {row["subject"] for row in subjects}
