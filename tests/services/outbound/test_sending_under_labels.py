"""A server that files a mail once: what was sent is there once, and a draft that was sent or replaced lies in Trash alone."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.services.outbound.acting import Connect
from tests.services.outbound.sending import Sender
from tests.services.outbound.test_mirroring_drafts import key_of, saved
from tests.support.gmail_server import GmailServer
from tests.support.gmail_store import TRASH
from tests.support.processes import until
from tests.support.smtp_sink import sink

SENT, DRAFTS = "[Gmail]/Sent Mail", "[Gmail]/Drafts"


@pytest.fixture
async def server() -> AsyncIterator[GmailServer]:
    async with GmailServer() as server:
        server.deliver(b"Message-ID: <1@x>\r\nFrom: a@x\r\nSubject: Lunch\r\n\r\nToday?\r\n", "\\Inbox")
        yield server


@pytest.fixture
async def account(act_on: Connect, server: GmailServer) -> AsyncIterator[Sender]:
    async with sink() as submission:
        one = Sender(await act_on(server, server.user), submission)
        await one.begin()
        await one.mirror.live()
        yield one


async def copies(sender: Sender, path: str, key: str, count: int) -> None:
    async def there() -> bool:
        return len(await asyncio.to_thread(sender.held, path, key)) == count

    await until(there, seconds=30)


async def test_a_draft_is_replaced_and_sent_and_its_copies_are_in_trash(account: Sender) -> None:
    draft = await account.draft()
    key = await key_of(account, draft)
    await saved(account, draft, "First")
    await copies(account, DRAFTS, key, 1)
    await saved(account, draft, "Second")
    await copies(account, TRASH, key, 1)
    await copies(account, DRAFTS, key, 1)
    letter = await account.send(draft=draft)
    await account.until(letter, "filed")
    await copies(account, SENT, key, 1)
    await copies(account, DRAFTS, key, 0)
    assert await account.drafts() == 0
