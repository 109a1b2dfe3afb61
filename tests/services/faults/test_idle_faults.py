"""What happens while the server is waited for; here nothing is polled, so that only its word brings the change."""

from collections.abc import Callable

import pytest

from tests.services.faults.mirror import mails, mirrored
from tests.support.dovecot import FULL, POOR, Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_truth import session
from tests.support.processes import Installation, until

MAIL = b"Subject: news\r\n\r\nNow.\r\n"


def flag(dovecot: Dovecot, user: User) -> None:
    with session(dovecot, user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "2:4", "+FLAGS.SILENT", r"(\Flagged)")


def expunge(dovecot: Dovecot, user: User) -> None:
    dovecot.doveadm("expunge", "-u", user.name, "mailbox", "INBOX", "uid", "3,5:6")


def deliver(dovecot: Dovecot, user: User) -> None:
    dovecot.deliver(user.name, MAIL)


def all_at_once(dovecot: Dovecot, user: User) -> None:
    flag(dovecot, user)
    expunge(dovecot, user)
    deliver(dovecot, user)


CHANGES = (flag, expunge, deliver, all_at_once)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("host", [FULL, POOR], ids=["with VANISHED", "with EXPUNGE"])
async def test_what_happens_while_idling_is_told(
    pushed: Installation, dovecot: Dovecot, mail_user: User, host: str, change: Callable[[Dovecot, User], None]
) -> None:
    dovecot.load(mail_user.name, mails(8))
    async with mirrored(pushed, dovecot, mail_user, host=host) as here:
        await here.live()
        await until(lambda: dovecot.doveadm("who", mail_user.name).count(mail_user.name))
        change(dovecot, mail_user)
        await here.equal(seconds=10)


@pytest.mark.parametrize("change", CHANGES)
async def test_what_happens_between_the_last_look_and_idle_is_told(
    pushed: Installation, dovecot: Dovecot, mail_user: User, change: Callable[[Dovecot, User], None]
) -> None:
    """The server tells of it unasked, before or after it lets the client idle."""
    dovecot.load(mail_user.name, mails(8))
    async with FaultProxy(dovecot.port) as proxy:
        proxy.hold = b"IDLE\r\n"
        async with mirrored(pushed, dovecot, mail_user, via=proxy) as here:
            await proxy.held.wait()
            await here.live()
            change(dovecot, mail_user)
            proxy.release.set()
            await here.equal(seconds=10)


async def test_a_vanished_reply_is_what_a_qresync_server_says_and_it_is_heard(
    pushed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(8))
    async with FaultProxy(dovecot.port) as proxy, mirrored(pushed, dovecot, mail_user, via=proxy) as here:
        await here.live()
        await until(lambda: b"+ idling" in proxy.replies)
        said = len(proxy.replies)
        expunge(dovecot, mail_user)
        await here.inbox_until({1, 2, 4, 7, 8})
        assert b"* VANISHED 3,5:6" in proxy.replies[said:]
        await here.equal()


async def test_a_burst_of_mail_while_idling_arrives_once(
    pushed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    async with mirrored(pushed, dovecot, mail_user) as here:
        await here.live()
        for _ in range(30):
            dovecot.deliver(mail_user.name, MAIL)
        await here.inbox_until(range(1, 31))
        await here.equal()


async def test_an_inbox_that_is_numbered_anew_while_idling_is_read_again(
    pushed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(8))
    async with mirrored(pushed, dovecot, mail_user) as here:
        await here.live()
        dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--uid-validity", "4000000000", "INBOX")
        dovecot.deliver(mail_user.name, MAIL)
        await until_renumbered(here.generations)
        await here.equal()


async def until_renumbered(generations: Callable[[str], object]) -> None:
    async def opened() -> bool:
        return (await generations("INBOX"))[-1][1] == 4_000_000_000  # type: ignore[misc,no-any-return]

    await until(opened, seconds=30)
