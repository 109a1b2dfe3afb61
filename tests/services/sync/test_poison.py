"""One message that a server can't give stops none of the others, and is no placeholder for good."""

import pytest

from contracts.facts import ContentChanged
from contracts.provider import ProviderConnectError
from services.sync.ingest import REFUSED
from tests.services.sync.mail_server import MailServer
from tests.services.sync.one_account import Begin, OneAccount
from tests.services.sync.told import repeated


def filled(count: int = 40) -> MailServer:
    server = MailServer()
    for number in range(count):
        server.inbox.add(f"Message-ID: <{number}@x>\r\n\r\n{number}".encode())
    return server


def left_out(account: OneAccount) -> set[int]:
    assert repeated(account.log.facts) == []
    return {fact.uid for fact in account.arrivals() if fact.unreadable}


@pytest.mark.parametrize("bad", [{1}, {17}, {40}, {1, 2, 40}, {10, 30}])
async def test_messages_that_end_the_connection_in_a_backfill_are_left_out_and_shown_as_that(
    begin: Begin, bad: set[int]
) -> None:
    server = filled()
    for uid in bad:
        server.inbox.held[uid].poison = True
    account = await begin(server.asked_by)
    assert account.cursor("INBOX").mark.done
    assert left_out(account) == bad
    assert set(account.told()["INBOX"]) == set(range(1, 41))


async def test_and_among_arrivals(begin: Begin) -> None:
    server = filled(3)
    account = await begin(server.asked_by)
    for number in range(100, 120):
        server.inbox.add(b"%d" % number, poison=number in (105, 119))
    await account.look()
    assert left_out(account) == {9, 23}
    assert set(account.told()["INBOX"]) == set(range(1, 24))
    server.inbox.add(b"after that")
    await account.look()
    assert 24 in account.told()["INBOX"]


async def test_a_server_that_is_in_trouble_itself_is_no_messages_fault(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = filled()
    account = await begin(server.asked_by)
    server.inbox.add(b"new", poison=True)

    async def down(mailbox: str) -> None:
        raise ProviderConnectError("refused", "nobody listens")

    monkeypatch.setattr(server, "status", down)
    for _ in range(3):
        with pytest.raises(ProviderConnectError):
            await account.look()
    assert left_out(account) == set()
    monkeypatch.undo()
    server.inbox.held[41].poison = False
    await account.look()
    assert left_out(account) == set()
    assert 41 in account.told()["INBOX"]


async def test_where_no_message_is_given_few_are_left_out_at_a_time_and_all_is_read_in_the_end(begin: Begin) -> None:
    """A server that lost its storage for a while; or a mailbox full of messages that it can't read."""
    server = filled(3)
    account = await begin(server.asked_by)
    for number in range(20):
        server.inbox.add(b"%d" % number, poison=True)
    with pytest.raises(ProviderConnectError):
        await account.look()
    assert left_out(account) == {4, 5, 6, 7, 8}
    for uid in range(13, 24):
        server.inbox.held[uid].poison = False
    await account.look()
    assert left_out(account) == set(range(4, 13))
    assert set(account.told()["INBOX"]) == set(range(1, 24))


async def test_what_the_server_refused_is_asked_for_at_a_resync_and_then_it_is_the_message(begin: Begin) -> None:
    server = filled(5)
    server.inbox.held[2].refused = True
    server.inbox.held[4].poison = True
    account = await begin(server.asked_by)
    assert left_out(account) == {2, 4}
    assert await account.audit(whole=True)
    assert not [fact for fact in account.log.facts if isinstance(fact, ContentChanged)]
    server.inbox.held[2].refused = server.inbox.held[4].poison = False
    for _ in range(2):
        assert await account.audit(whole=True)
    placeholders = {fact.message_id for fact in account.arrivals() if fact.unreadable == REFUSED}
    changed = [fact for fact in account.log.facts if isinstance(fact, ContentChanged)]
    assert {fact.message_id for fact in changed} == placeholders
    assert len(changed) == 2
    assert all(fact.size for fact in changed)


async def test_after_trouble_more_is_asked_for_again_little_by_little(begin: Begin) -> None:
    server = filled(3)
    account = await begin(server.asked_by)
    caution = account.cursor("INBOX").cautions["fetch"]
    caution.size = 1
    for number in range(30):
        server.inbox.add(b"%d" % number)
    await account.look()
    assert caution.size > 1
    assert set(account.told()["INBOX"]) == set(range(1, 34))
