"""The server goes away, lets nobody stay, or crawls."""

import asyncio
from collections.abc import Callable

import pytest

from tests.services.faults.mirror import Connect, mails
from tests.support.dovecot import BASE_DATE, Dovecot, Mail, User
from tests.support.fault_proxy import FaultProxy
from tests.support.processes import until

BIG = [Mail(f"Subject: {n}\r\n\r\n".encode() + b"0123456789abcdef" * 1500 + b"\r\n", BASE_DATE) for n in range(230)]


@pytest.mark.parametrize("end", [Dovecot.stop, Dovecot.kill], ids=["stopped", "killed"])
async def test_a_server_that_restarts_in_the_middle_of_a_fetch_is_read_to_the_end(
    mirror: Connect, dovecot_of_its_own: Dovecot, end: Callable[[Dovecot], None]
) -> None:
    server, user = dovecot_of_its_own, dovecot_of_its_own.user()
    server.load(user.name, BIG)
    async with FaultProxy(server.port) as proxy:
        proxy.chunk, proxy.delay = 20_000, 0.01
        here = await mirror(server, user, via=proxy)
        await until(lambda: len(proxy.replies) > 1_000_000)
        end(server)
        assert len(proxy.replies) < len(BIG) * 24_000
        proxy.delay = 0
        server.start()
        await here.equal()
    await here.in_trouble("connection_lost", "refused")


async def test_a_client_that_is_kicked_while_idling_comes_back(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(5))
    async with FaultProxy(dovecot.port) as proxy:
        here = await mirror(dovecot, mail_user, via=proxy)
        await here.live()
        await until(lambda: b"+ idling" in proxy.replies and mail_user.name in dovecot.doveadm("who", mail_user.name))
        before = proxy.connections
        dovecot.doveadm("kick", mail_user.name)
        await until(lambda: proxy.connections > before)
        dovecot.deliver(mail_user.name, b"Subject: missed\r\n\r\nWhile nobody was there.\r\n")
        await here.equal()
        await here.live()


async def test_a_server_that_trickles_is_waited_for(mirror: Connect, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.load(mail_user.name, mails(40))
    async with FaultProxy(dovecot.port) as proxy:
        proxy.chunk, proxy.delay = 100, 0.01
        here = await mirror(dovecot, mail_user, via=proxy)
        await here.equal()
        assert (await here.trouble()) == []


async def test_a_server_that_hangs_up_at_once_for_a_while_is_tried_again(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(5))
    async with FaultProxy(dovecot.port) as proxy:
        proxy.cut_after = 0
        here = await mirror(dovecot, mail_user, via=proxy)
        await here.in_trouble("connection_lost")
        proxy.cut_after = None
        await here.equal()


async def test_an_account_on_a_silent_server_costs_the_others_nothing(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    """How long a silent server is borne is tested at the provider, whose deadlines can be chosen."""
    async with FaultProxy(dovecot.port) as proxy:
        proxy.stall_after = 0
        await mirror(dovecot, dovecot.user(), via=proxy)
        await until(lambda: proxy.connections)
        dovecot.load(mail_user.name, mails(5))
        other = await mirror(dovecot, mail_user)
        await asyncio.wait_for(other.equal(), 15)
