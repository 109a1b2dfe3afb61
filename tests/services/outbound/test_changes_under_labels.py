"""A server that files a mail once: archiving takes a label away, Trash and Spam take all of them, and nothing is there twice."""

from collections.abc import AsyncIterator

import pytest

from contracts.facts import RequestRefused
from tests.services.outbound.acting import Acting, Connect
from tests.services.sync.label_truth import VIEWS, told_twice, truth
from tests.support.gmail_server import GmailServer
from tests.support.gmail_store import ALL, INBOX, SPAM, TRASH, Message
from tests.support.processes import until


def raw(number: int) -> bytes:
    return f"Message-ID: <{number}@x>\r\nFrom: a@x\r\nSubject: Number {number}\r\n\r\nText {number}\r\n".encode()


@pytest.fixture
async def server() -> AsyncIterator[GmailServer]:
    async with GmailServer() as server:
        for number in range(8):
            server.deliver(raw(number), "\\Inbox", *(["Work"] if number % 2 else []))
        yield server


@pytest.fixture
async def account(act_on: Connect, server: GmailServer) -> Acting:
    connected = await act_on(server, server.user)
    await equal(connected, server)
    return connected


async def equal(account: Acting, server: GmailServer) -> None:
    """Return when what is shown is what the server shows."""

    async def same() -> bool:
        shown = {
            path: {uid: flags for uid, (_, flags) in placed.items()}
            for path, placed in (await account.mirror.shown()).items()
            if path not in VIEWS
        }
        loose = await account.db.fetchval(
            "SELECT count(*) FROM mail.placements WHERE account_id = $1 AND (provisional OR uid IS NULL)",
            account.mirror.account.account_id,
        )
        return shown == truth(server) and not loose

    await until(same)


async def test_every_change_is_what_it_means_under_labels(account: Acting, server: GmailServer) -> None:
    mails: list[Message] = list(server.messages)
    ones = await account.messages(ALL)
    asked = [
        await account.flag(ones[:2], add=["\\Flagged"]),
        await account.move([ones[1]], INBOX, ALL),
        await account.move([ones[2]], INBOX, "Work"),
        await account.move([ones[3]], None, TRASH),
        await account.move([ones[4]], None, SPAM),
        await account.move([ones[5]], ALL, "Work"),
        await account.move([ones[4]], SPAM, INBOX),
        await account.move([ones[6]], None, TRASH),
        await account.delete([ones[6]], TRASH),
    ]
    await account.done(*asked)
    assert "\\Flagged" in mails[0].flags & mails[1].flags
    assert (mails[1].place, mails[1].labels) == (ALL, {"Work", "\\Starred"})
    assert (mails[2].place, mails[2].labels) == (ALL, {"Work"})
    assert (mails[3].place, mails[3].labels - {"\\Trash"}) == (TRASH, set())
    assert (mails[4].place, mails[4].labels) == (ALL, {"\\Inbox"})
    assert (mails[5].place, mails[5].labels) == (ALL, {"\\Inbox", "Work"})
    assert mails[6] not in server.messages
    await equal(account, server)
    assert told_twice(await account.mirror.facts()) == []


async def test_what_is_only_labelled_is_not_deleted_for_ever(account: Acting, server: GmailServer) -> None:
    (one, *_) = await account.messages(ALL)
    refused = await account.outcome(await account.delete([one], INBOX))
    assert isinstance(refused, RequestRefused)
    assert refused.code == "not_supported"
    assert len(server.messages) == 8


async def test_what_had_several_labels_has_them_all_again_by_one_request_after_the_other(
    account: Acting, server: GmailServer
) -> None:
    ones = await account.messages(ALL)
    mails: list[Message] = list(server.messages)
    assert mails[1].labels == {"\\Inbox", "Work"}
    await account.done(await account.move([ones[1]], None, TRASH))
    back = [
        await account.move([ones[1]], TRASH, ALL),
        await account.move([ones[1]], ALL, INBOX),
        await account.move([ones[1]], ALL, "Work"),
    ]
    await account.done(*back)
    assert (mails[1].place, mails[1].labels - {"\\Trash"}) == (ALL, {"\\Inbox", "Work"})
    await equal(account, server)
