"""Being told of changes by a real server."""

import asyncio
import time
from collections.abc import Callable

import pytest

from contracts.provider import ProviderConnectError, Seen
from services.mail.imap import ImapProvider
from tests.services.imap.conftest import Connect
from tests.support.dovecot import Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_client import other_client

Change = Callable[[Dovecot, User], object]


def deliver(dovecot: Dovecot, user: User) -> None:
    dovecot.deliver(user.name, b"Subject: new\r\n\r\nx\r\n")


def flag(dovecot: Dovecot, user: User) -> None:
    with other_client(dovecot.port, user) as client:
        client.store("1", "+FLAGS", "(\\Seen)")


def expunge(dovecot: Dovecot, user: User) -> None:
    dovecot.doveadm("expunge", "-u", user.name, "mailbox", "INBOX", "uid", "1")


@pytest.mark.parametrize("change", [deliver, flag, expunge])
async def test_a_change_ends_the_wait(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User, change: Change
) -> None:
    deliver(dovecot, mail_user)
    status = await provider.status("INBOX")
    idling = asyncio.create_task(provider.idle("INBOX", status))
    await asyncio.sleep(0.3)
    assert not idling.done()
    began = time.monotonic()
    change(dovecot, mail_user)
    await asyncio.wait_for(idling, 5)
    assert time.monotonic() - began < 3


async def test_a_change_between_two_waits_is_not_lost(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    status = await provider.status("INBOX")
    idling = asyncio.create_task(provider.idle("INBOX", status))
    await asyncio.sleep(0.2)
    deliver(dovecot, mail_user)
    await asyncio.wait_for(idling, 5)
    status = await provider.status("INBOX")
    deliver(dovecot, mail_user)
    await asyncio.wait_for(provider.idle("INBOX", status), 5)


async def test_what_comes_while_the_connection_that_was_told_looks_is_told_at_once(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    """Dovecot tells of it with the answer to the fetch, and never again."""
    deliver(dovecot, mail_user)
    status = await provider.status("INBOX")
    idling = asyncio.create_task(provider.idle("INBOX", status))
    await asyncio.sleep(0.2)
    deliver(dovecot, mail_user)
    await asyncio.wait_for(idling, 5)
    seen = Seen(uidvalidity=status.uidvalidity, high_uid=1, highestmodseq=status.highestmodseq)
    delta = await provider.poll("INBOX", seen)
    deliver(dovecot, mail_user)
    batches = [one async for one in provider.fetch("INBOX", delta.new_uids, uidvalidity=status.uidvalidity)]
    assert [message.uid for batch in batches for message in batch.messages] == [2]
    await asyncio.wait_for(provider.idle("INBOX", delta.status), 1)
    now = await provider.status("INBOX")
    idling = asyncio.create_task(provider.idle("INBOX", now))
    await asyncio.sleep(0.3)
    assert not idling.done()
    assert dovecot.doveadm("who").count(mail_user.name) == 1
    idling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await idling


async def test_closing_ends_a_wait(provider: ImapProvider) -> None:
    idling = asyncio.create_task(provider.idle("INBOX", await provider.status("INBOX")))
    await asyncio.sleep(0.2)
    await provider.close()
    with pytest.raises(ProviderConnectError):
        await asyncio.wait_for(idling, 2)


async def test_a_cancelled_wait_leaves_a_provider_that_works(
    provider: ImapProvider, dovecot: Dovecot, mail_user: User
) -> None:
    status = await provider.status("INBOX")
    for _ in range(2):
        idling = asyncio.create_task(provider.idle("INBOX", status))
        await asyncio.sleep(0.2)
        idling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await idling
    assert await provider.status("INBOX") == status


async def test_a_line_that_died_is_noticed_when_idle_is_sent_again(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    async with FaultProxy(dovecot.port) as proxy:
        provider = connect(proxy.port, mail_user, idle_reissue=0.3)
        status = await provider.status("INBOX")
        idling = asyncio.create_task(provider.idle("INBOX", status))
        await asyncio.sleep(0.5)
        proxy.cut()
        with pytest.raises(ProviderConnectError):
            await asyncio.wait_for(idling, 3)
