"""A mailbox that is numbered anew: what is known is not downloaded again, and the old listing counts until the new one is whole."""

from collections.abc import AsyncIterator, Sequence

import pytest

from contracts.facts import GenerationAbandoned, GenerationCommitted, GenerationOpened
from contracts.provider import Listed, ProviderConnectError
from services.sync import generations
from services.sync.errors import Superseded
from tests.services.sync.mail_server import Box, MailServer
from tests.services.sync.one_account import Begin, OneAccount
from tests.services.sync.told import repeated


def mail(number: int, *, length: int = 0, key: str = "") -> bytes:
    """Of a length of its own, unless it is to look like another."""
    head = (
        f"Message-ID: <{key or number}@x>\r\nFrom: a@x\r\nDate: 1 Jan 2026 10:00:00 +0000\r\nSubject: {number}\r\n\r\n"
    )
    return head.encode() + b"x" * (length or number)


def filled(count: int, *, condstore: bool = True) -> MailServer:
    server = MailServer(condstore=condstore)
    for number in range(1, count + 1):
        server.inbox.add(mail(number), *(["\\Seen"] if number % 2 else []))
    return server


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause between two generations."""
    monkeypatch.setattr(generations, "PAUSE", 0)
    monkeypatch.setattr(generations, "PAUSE_MOST", 0)


def equal(account: OneAccount, server: MailServer) -> None:
    assert account.told() == server.truth()
    assert repeated(account.log.facts) == []


@pytest.mark.parametrize("uidvalidity", [9, 1 - 1])
async def test_what_is_known_is_told_again_without_a_download(begin: Begin, uidvalidity: int) -> None:
    """Also where the numbering goes back, even to 0."""
    server = filled(30)
    account = await begin(server.asked_by)
    before = {fact.blob: fact.message_id for fact in account.arrivals()}
    server.fetched.clear()
    server.inbox.renumber(uidvalidity, first=100)
    new = server.inbox.add(mail(31))
    await account.look()
    equal(account, server)
    assert server.fetched == [new]
    assert account.generation_of("INBOX") == 2
    again = {fact.blob: fact.message_id for fact in account.arrivals() if fact.generation == 2}
    assert before.items() <= again.items()


async def test_what_may_be_several_messages_is_fetched(begin: Begin) -> None:
    server = MailServer()
    for number in range(2):
        server.inbox.add(mail(number, length=50, key="same"))
    server.inbox.add(b"\r\nno header at all")
    server.inbox.add(mail(7))
    account = await begin(server.asked_by)
    server.fetched.clear()
    server.inbox.renumber(2)
    await account.look()
    equal(account, server)
    assert sorted(server.fetched) == [1, 2, 3]


async def test_more_messages_than_were_known_to_be_like_that_are_fetched(begin: Begin) -> None:
    server = MailServer()
    server.inbox.add(mail(1, length=50, key="same"))
    account = await begin(server.asked_by)
    server.inbox.add(mail(2, length=50, key="same"))
    server.inbox.renumber(2)
    await account.look()
    equal(account, server)
    assert len({fact.message_id for fact in account.arrivals() if fact.generation == 2}) == 2


async def test_what_the_server_calls_a_message_decides(begin: Begin) -> None:
    """Other bytes under the same id are the same message; another id is another one, however alike."""
    server = MailServer()
    server.inbox.add(mail(1), email_id="one")
    server.inbox.add(mail(2), email_id="two")
    account = await begin(server.asked_by)
    known = {fact.email_id: fact.message_id for fact in account.arrivals()}
    server.fetched.clear()
    server.inbox.renumber(2)
    server.inbox.held[1].raw += b" re-serialised"
    server.inbox.held[2].email_id = "three"
    await account.look()
    assert server.fetched == [2]
    again = {fact.email_id: fact.message_id for fact in account.arrivals() if fact.generation == 2}
    assert again["one"] == known["one"]
    assert again["three"] not in known.values()


async def test_a_message_that_another_mailbox_of_the_account_holds_is_known_too(begin: Begin) -> None:
    server = filled(3)
    server.boxes["Archive"] = Box(uidvalidity=5)
    server.boxes["Archive"].add(mail(9))
    account = await begin(server.asked_by)
    server.fetched.clear()
    server.boxes["Archive"].add(mail(2))
    server.boxes["Archive"].renumber(6)
    await account.look()
    equal(account, server)
    assert server.fetched == []


@pytest.mark.parametrize("batches", range(1, 7))
@pytest.mark.parametrize("condstore", [True, False])
async def test_wherever_it_is_interrupted_another_worker_goes_on_from_the_log_alone(
    begin: Begin, batches: int, condstore: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile mail arrives, flags change and messages go, in what is told already and in what is not."""
    monkeypatch.setattr(generations, "PAGE", 10)
    monkeypatch.setattr("services.sync.backfill.WINDOW", 7)
    server = filled(20, condstore=condstore)
    account = await begin(server.asked_by)
    server.inbox.renumber(2, first=5)
    for number in range(30, 50):
        server.inbox.add(mail(number))
    server.dies_after = batches
    with pytest.raises(ProviderConnectError):
        await account.look()
    assert not [f for f in account.log.facts if isinstance(f, GenerationCommitted) and f.generation == 2]
    server.dies_after = None
    for uid in (6, 15, 26, 40):
        server.inbox.flag(uid, "\\Flagged")
    server.inbox.expunge(7, 16, 27, 41)
    server.inbox.add(mail(60))
    await account.restart()
    await account.look()
    await account.look()
    equal(account, server)
    assert account.generation_of("INBOX") == 2


async def test_mail_that_arrives_while_it_fills_is_told_at_once(begin: Begin) -> None:
    server = filled(20)
    account = await begin(server.asked_by)
    server.inbox.renumber(2)
    for batches in (0, 1):
        server.dies_after = batches
        with pytest.raises(ProviderConnectError):
            await account.look()
        new = server.inbox.add(mail(90 + batches))
    assert [fact.uid for fact in account.arrivals() if fact.generation == 2] == [new - 1]
    assert not [f for f in account.log.facts if isinstance(f, GenerationCommitted) and f.generation == 2]


async def test_numbered_anew_before_the_last_numbering_was_told_it_is_abandoned(begin: Begin) -> None:
    server = filled(20)
    account = await begin(server.asked_by)
    server.inbox.renumber(2)
    server.dies_after = 0
    with pytest.raises(ProviderConnectError):
        await account.look()
    server.dies_after = None
    server.inbox.renumber(3)
    await account.look()
    equal(account, server)
    assert [fact.generation for fact in account.log.facts if isinstance(fact, GenerationAbandoned)] == [2]


async def test_what_is_read_under_an_old_numbering_is_superseded_once_a_poll_has_seen_the_next(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no reason to think that the mailbox can't be read."""
    server = filled(20)
    account = await begin(server.asked_by)
    server.inbox.renumber(2)
    server.dies_after = 0
    with pytest.raises(ProviderConnectError):
        await account.look()
    server.dies_after = None
    listing = server.listing

    async def overtaken(mailbox: str, *, uidvalidity: int, batch_size: int) -> AsyncIterator[Sequence[Listed]]:
        server.inbox.renumber(3)
        await account.poll("INBOX")
        async for page in listing(mailbox, uidvalidity=uidvalidity, batch_size=batch_size):
            yield page

    monkeypatch.setattr(server, "listing", overtaken)
    with pytest.raises(Superseded):
        await account.fill("INBOX")
    monkeypatch.undo()
    await account.look()
    equal(account, server)


async def test_a_server_that_numbers_anew_at_every_look_is_not_followed_at_every_look(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generations, "PAUSE", 60)
    monkeypatch.setattr(generations, "PAUSE_MOST", 3600)
    server = filled(3)
    account = await begin(server.asked_by)
    for uidvalidity in range(10, 20):
        server.inbox.renumber(uidvalidity)
        await account.look()
    assert len([fact for fact in account.log.facts if isinstance(fact, GenerationOpened)]) == 2


async def test_a_mailbox_that_was_away_is_shown_again_without_a_download(begin: Begin) -> None:
    server = filled(20)
    account = await begin(server.asked_by)
    box = server.boxes.pop("INBOX")
    await account.look()
    assert account.told() == {}
    server.fetched.clear()
    server.boxes["INBOX"] = box
    await account.look()
    equal(account, server)
    assert server.fetched == []
