"""Getting in, and being told why not, at a real Dovecot."""

import asyncio
import socket
import time

import pytest

from contracts.provider import ErrorCode, MailboxError, ProviderAuthError, ProviderConnectError, ProviderError
from services.mail.budget import HostBudget
from services.mail.imap.wire import Limits
from tests.services.imap.conftest import Connect
from tests.support.dovecot import POOR, SINGLE, Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_client import other_client


@pytest.mark.parametrize(("tls", "encrypted_port"), [("ssl", True), ("starttls", False), ("none", False)])
async def test_an_account_is_verified(
    connect: Connect, dovecot: Dovecot, mail_user: User, tls: str, *, encrypted_port: bool
) -> None:
    port = dovecot.tls_port if encrypted_port else dovecot.port
    await connect(port, mail_user, tls=tls, trust=dovecot.trust).verify()
    assert mail_user.name not in dovecot.doveadm("who")


@pytest.mark.parametrize("host", ["127.0.0.1", POOR])
async def test_a_password_of_any_characters_is_taken(connect: Connect, dovecot: Dovecot, host: str) -> None:
    await connect(dovecot.port, User("odd@example.test", 'p"w\\ %d ü'), host=host).verify()


async def test_a_wrong_password_is_the_users_to_mend(connect: Connect, dovecot: Dovecot, mail_user: User) -> None:
    with pytest.raises(ProviderAuthError) as caught:
        await connect(dovecot.port, User(mail_user.name, "wrong")).verify()
    assert caught.value.code == "auth_failed"
    assert caught.value.detail == "Authentication failed."


async def test_too_many_connections_are_no_wrong_password(connect: Connect, dovecot: Dovecot, mail_user: User) -> None:
    with other_client(dovecot.port, mail_user, host=SINGLE), pytest.raises(ProviderConnectError) as caught:
        await connect(dovecot.port, mail_user, host=SINGLE).verify()
    assert caught.value.code == "too_many_connections"


async def test_an_unknown_certificate_is_refused_before_the_password(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    for port, tls in ((dovecot.tls_port, "ssl"), (dovecot.port, "starttls")):
        with pytest.raises(ProviderConnectError) as caught:
            await connect(port, mail_user, tls=tls).verify()
        assert caught.value.code == "tls_failed"
        assert "certificate" in caught.value.detail


async def test_a_certificate_for_another_name_is_refused(connect: Connect, dovecot: Dovecot, mail_user: User) -> None:
    async with FaultProxy(dovecot.tls_port, listen="127.0.0.4") as proxy:
        with pytest.raises(ProviderConnectError) as caught:
            await connect(proxy.port, mail_user, host="127.0.0.4", tls="ssl", trust=dovecot.trust).verify()
    assert caught.value.code == "tls_failed"
    assert "127.0.0.4" in caught.value.detail


async def test_tls_on_a_port_without_it_fails_at_once(connect: Connect, dovecot: Dovecot, mail_user: User) -> None:
    with pytest.raises(ProviderConnectError) as caught:
        await connect(dovecot.port, mail_user, tls="ssl", trust=dovecot.trust).verify()
    assert caught.value.code == "tls_failed"


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("no-such-host.invalid", "unknown_host"),
        ("a" * 70 + ".example", "unknown_host"),
        ("nul\0.example", "unknown_host"),
        ("127.0.0.1", "refused"),
    ],
)
async def test_a_server_that_is_not_there_is_named_so(
    connect: Connect, mail_user: User, host: str, code: ErrorCode
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ProviderError) as caught:
            await connect(unused.getsockname()[1], mail_user, host=host).verify()
    assert caught.value.code == code


async def test_a_server_that_never_greets_is_given_up(connect: Connect, dovecot: Dovecot, mail_user: User) -> None:
    async with FaultProxy(dovecot.port) as proxy:
        proxy.stall_after = 0
        with pytest.raises(ProviderConnectError) as caught:
            await connect(proxy.port, mail_user, limits=Limits(connect=0.5)).verify()
    assert caught.value.code == "connect_timeout"


async def test_a_mailbox_that_is_not_there_leaves_the_connection_usable(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    provider = connect(dovecot.port, mail_user)
    with pytest.raises(MailboxError) as caught:
        await provider.status("Nowhere")
    assert caught.value.code == "mailbox_missing"
    await provider.status("INBOX")
    assert dovecot.doveadm("who").count(mail_user.name) == 1


async def test_a_restarted_server_says_goodbye_and_is_connected_to_again(
    connect: Connect, dovecot_of_its_own: Dovecot
) -> None:
    server = dovecot_of_its_own
    provider = connect(server.port, server.user())
    status = await provider.status("INBOX")
    idling = asyncio.create_task(provider.idle("INBOX", status))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    await asyncio.to_thread(server.restart)
    with pytest.raises(ProviderConnectError) as caught:
        await idling
    assert time.monotonic() - began < 5
    assert caught.value.code in ("connection_lost", "unavailable")
    assert await provider.status("INBOX") == status
    await asyncio.to_thread(server.kill)
    with pytest.raises(ProviderConnectError):
        await provider.status("INBOX")
    await asyncio.to_thread(server.start)
    assert await provider.status("INBOX") == status


async def test_a_process_keeps_to_its_budget_of_connections(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    budget = HostBudget(2)
    quick = Limits(connect=0.3)
    first, second, third = (connect(dovecot.port, mail_user, budget=budget, limits=quick) for _ in range(3))
    await first.status("INBOX")
    wrong = connect(dovecot.port, User(mail_user.name, "wrong"), budget=budget)
    for _ in range(3):  # a login that fails gives its place back
        with pytest.raises(ProviderAuthError):
            await wrong.status("INBOX")
    await second.status("INBOX")
    with pytest.raises(ProviderConnectError) as caught:
        await third.status("INBOX")
    assert caught.value.code == "too_many_connections"
    await first.close()
    await third.status("INBOX")
