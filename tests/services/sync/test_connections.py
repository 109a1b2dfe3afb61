"""The connection that waits for news and looks at them."""

import asyncio

from services.mail.budget import HostBudget, Purpose
from services.sync.connections import Watching
from tests.services.sync.fleet import HOST, Placed, Server

MAIL = b"Subject: one\r\n\r\nHello.\r\n"


async def test_who_is_to_stop_while_it_looks_looks_to_the_end_and_waits_no_more() -> None:
    server = Server()
    watching = Watching(lambda places: Placed(server, places), HostBudget(50))
    before = await server.status("INBOX")
    server.deliver(MAIL)
    assert await watching.idle("INBOX", before)
    async with watching.used() as source:
        watching.stop()
        now = await source.status("INBOX")
    assert server.open == 1
    assert not await watching.idle("INBOX", now)
    assert server.open == 0
    server.deliver(MAIL)
    assert await watching.idle("INBOX", now)  # as when it is hot again


async def test_while_it_looks_it_is_not_what_goes_first_when_its_host_is_full() -> None:
    server, budget = Server(), HostBudget(1)
    watching = Watching(lambda places: Placed(server, places), budget)
    before = await server.status("INBOX")
    server.deliver(MAIL)
    assert await watching.idle("INBOX", before)
    async with watching.used():
        waiting = asyncio.create_task(budget.place(HOST, 5, Purpose.BULK))
        await asyncio.sleep(0.05)
        assert not waiting.done()
    assert not await watching.idle("INBOX", await server.status("INBOX"))
    (await waiting).release()
