"""A server of labels, synced by the real process: news comes at once, and a process that is killed goes on."""

from collections.abc import AsyncIterator

import pytest

from contracts.facts import MessageArrived
from contracts.subjects import AccountSubjects
from tests.services.sync.label_truth import told_twice, truth
from tests.services.sync.told import mailboxes
from tests.support.gmail_server import GmailServer
from tests.support.gmail_store import SPAM, TRASH
from tests.support.processes import Installation, kill9, stop, until


def raw(number: int) -> bytes:
    return f"Message-ID: <{number}@x>\r\nFrom: a@x\r\nSubject: Number {number}\r\n\r\nText {number}\r\n".encode()


@pytest.fixture
async def server() -> AsyncIterator[GmailServer]:
    async with GmailServer() as server:
        for number in range(300):
            server.deliver(raw(number), *(["\\Inbox", "Work"] if number % 2 else ["Work/projects & plans"]))
        yield server


async def equal(installed: Installation, account: AccountSubjects, server: GmailServer, *, seconds: float = 20) -> None:
    """Return when the log says what the server shows."""

    async def same() -> bool:
        told = mailboxes(await installed.told(account))
        return {path: {uid: flags for uid, (_, flags) in placed.items()} for path, placed in told.items()} == truth(
            server
        )

    await until(same, seconds=seconds)


async def test_labels_follow_within_seconds_and_over_a_kill(installed: Installation, server: GmailServer) -> None:
    child = installed.start("sync", POLL_WARM="1")
    try:
        account = await installed.add_account(server, server.user)
        await installed.until_live(account)
        await equal(installed, account, server)
        message, other, third = server.messages[1], server.messages[3], server.messages[5]
        server.change(message, remove=["\\Inbox"])
        server.change(other, place=TRASH)
        server.change(third, add=["New one"])
        server.deliver(raw(400), "\\Inbox")
        await equal(installed, account, server, seconds=10)
        kill9(child)
        server.change(message, add=["\\Inbox"])
        server.change(other, add=["Work"], place=SPAM)
        server.flag(third, add=["\\Flagged"])
        server.deliver(raw(401), "New two")
        child = installed.start("sync", POLL_WARM="1")
        await equal(installed, account, server)
    finally:
        stop(child)
    facts = await installed.told(account)
    assert told_twice(facts) == []
    arrived = [fact for fact in facts if isinstance(fact, MessageArrived)]
    assert len({fact.message_id for fact in arrived}) == len(server.messages)
    assert not [command for command in server.heard if b"EXAMINE" in command and b"Gmail" not in command]
