"""What sync tells of places and flags, and what is then shown and announced."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from contracts import ids
from contracts.events import (
    Event,
    FlagsChangedEvent,
    MessageNew,
    ThreadUpdated,
)
from contracts.facts import (
    AccountRemoved,
    ContentChanged,
    Fact,
    FlagGroup,
    FlagsChanged,
    GenerationAbandoned,
    GenerationCommitted,
    MailboxLost,
    MessageArrived,
    MessagesExpunged,
    SpecialUse,
)
from projections.mail import reader, scopes
from projections.mail.projector import mail as mail_projection
from projections.mail.rows import ThreadRow
from tests.support.given import START, Account, Given, installed, mail

FIRST = mail("Plan", key="1")
ANSWER = mail("Re: Plan", key="2", answers="1", sender="Bob <bob@x.example>", to="ann@x.example", days=1)
OTHER = mail("Lunch", key="3", days=2)


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def given(database: str, account: Account) -> AsyncIterator[Given]:
    async with installed(database, [mail_projection]) as db:
        told = Given(db, [mail_projection], account.documents)
        await told(
            account.mailbox("INBOX", SpecialUse.INBOX),
            account.mailbox("Archive", SpecialUse.ARCHIVE),
            account.mailbox("Trash", SpecialUse.TRASH),
            account.mailbox("Junk", SpecialUse.JUNK),
        )
        yield told


def flags(account: Account, uids: str, *names: str, path: str = "INBOX", **fields: int) -> Fact:
    group = FlagGroup(uids=uids, flags=list(names))
    return account.fact(FlagsChanged, mailbox_id=account.id_of(path), generation=1, groups=[group], **fields)


def expunged(account: Account, uids: str, path: str = "INBOX") -> Fact:
    return account.fact(MessagesExpunged, mailbox_id=account.id_of(path), generation=1, uids=uids)


async def listed(given: Given, account: Account, view: str = "unified") -> list[ThreadRow]:
    """A whole list; its total is what a count says."""
    scope = scopes.view(account.user_id, view)
    async with given.db.acquire() as db:
        page = await reader.newest(db, account.user_id, scope, limit=500)
    assert page.total == len(page.threads)
    return page.threads


async def subjects(given: Given, account: Account, view: str = "unified") -> list[str]:
    return [thread.subject for thread in await listed(given, account, view)]


def names(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def of(account: Account, path: str) -> str:
    return f"mailbox:{account.id_of(path)}"


async def test_a_message_is_announced_when_it_is_first_shown(given: Given, account: Account) -> None:
    message = account.message(FIRST)
    thread = ids.thread_id(account.user_id, message)
    place = {"user_id": account.user_id, "account_id": account.account_id, "message_id": message, "thread_id": thread}
    assert await given(account.arrived(FIRST)) == [
        MessageNew(**place, mailbox_id=account.id_of("INBOX"), position=len(given.log.facts))
    ]
    assert names(await given(account.arrived(FIRST, "Archive"))) == ["MessageChanged", "ThreadUpdated"]
    assert names(await given(account.arrived(ANSWER))) == ["MessageNew", "ThreadUpdated"]


async def test_a_line_of_a_list_says_what_the_thread_holds(given: Given, account: Account) -> None:
    await given(account.arrived(ANSWER, flags=["\\Flagged"]), account.arrived(FIRST, flags=["\\Seen"]))
    [line] = await listed(given, account)
    assert line.id == ids.thread_id(account.user_id, account.message(ANSWER)), "named after the first in the log"
    assert (line.subject, line.message_count, line.unread_count, line.starred) == ("Plan", 2, 1, True)
    assert [person.email for person in line.participants] == ["ann@x.example", "bob@x.example"]
    assert line.mailbox_ids == [account.id_of("INBOX")]
    assert line.account_ids == [account.account_id]
    assert await subjects(given, account, "special:starred") == ["Plan"]


async def test_a_message_in_two_mailboxes_is_one_message_in_both_lists(given: Given, account: Account) -> None:
    await given(account.arrived(FIRST), account.arrived(FIRST, "Archive", flags=["\\Seen"]))
    for view in ("unified", of(account, "INBOX"), of(account, "Archive"), "special:archive", "special:all"):
        [line] = await listed(given, account, view)
        assert (line.message_count, line.unread_count) == (1, 0), "read in one place is read"
    assert sorted(line.mailbox_ids) == sorted([account.id_of("INBOX"), account.id_of("Archive")])


async def test_trash_and_junk_show_only_in_their_own_lists(given: Given, account: Account) -> None:
    await given(account.arrived(FIRST), account.arrived(ANSWER, "Trash"), account.arrived(OTHER, "Junk"))
    for view in ("unified", f"account:{account.account_id}", "special:all"):
        [line] = await listed(given, account, view)
        assert (line.subject, line.message_count) == ("Plan", 1)
    [line] = await listed(given, account, "special:trash")
    assert line.message_count == 1, "what is not in Trash is what the thread is about"
    [line] = await listed(given, account, of(account, "Junk"))
    assert (line.subject, line.message_count, line.unread_count) == ("Lunch", 1, 1)


async def test_flags_change_for_ranges_of_uids(given: Given, account: Account) -> None:
    await given([account.arrived(mail(f"T{n}", key=f"t{n}")) for n in range(10)])
    events = await given(flags(account, "2:4,9", "\\Seen", "\\Flagged"))
    assert names(events) == ["FlagsChangedEvent", *["ThreadUpdated"] * 4]
    assert isinstance(events[0], FlagsChangedEvent)
    assert len(events[0].message_ids) == len(events[0].thread_ids) == 4
    assert sum(line.unread_count for line in await listed(given, account)) == 6
    assert len(await listed(given, account, "special:starred")) == 4
    assert await given(flags(account, "2:4", "\\Flagged", "\\Seen")) == [], "as they are already"


async def test_an_expunge_leaves_other_placements_and_the_message_keeps_its_row(given: Given, account: Account) -> None:
    await given(account.arrived(FIRST), account.arrived(FIRST, "Archive"), account.arrived(OTHER))
    assert names(await given(expunged(account, "1"))) == ["MessageChanged", "ThreadUpdated"]
    assert await subjects(given, account) == ["Lunch"]
    assert names(await given(expunged(account, "1", "Archive"))) == ["MessageDeleted", "ThreadUpdated"]
    assert await subjects(given, account, "special:all") == ["Lunch"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.messages") == 2
    assert names(await given(account.arrived(FIRST, "Archive"))) == ["MessageChanged", "ThreadUpdated"], "no news"


async def test_fifty_thousand_uids_are_expunged_at_once(given: Given, account: Account) -> None:
    raws = [mail(f"T{n}", key=f"t{n}") for n in range(50)]
    await given([account.arrived(raw) for raw in raws])
    events = await given(expunged(account, "1:50000"))
    assert names(events).count("MessageDeleted") == 50
    assert await listed(given, account) == []
    assert await given.db.fetchval("SELECT count(*) FROM mail.scopes") == 0


async def test_thread_updated_is_bounded(given: Given, account: Account) -> None:
    raws = [mail(f"T{n}", key=f"t{n}") for n in range(300)]
    events = await given([account.arrived(raw) for raw in raws])
    assert set(names(events)) == {"MessageNew"}, "message.new names its thread"
    events = await given(flags(account, "1:300", "\\Seen"))
    assert names(events).count("ThreadUpdated") == 200
    assert names(events).count("FlagsChangedEvent") == 1


async def test_a_late_parent_merges_threads_and_says_so_of_both(given: Given, account: Account) -> None:
    one = mail("Re: Plan", key="a", answers="p", days=1)
    two = mail("Re: Plan (new date)", key="b", answers="q", days=2)
    bridge = mail("Re: Plan", key="c", answers="p", days=3, more="References: <p@x.example> <q@x.example>\r\n")
    await given(account.arrived(one), account.arrived(two))
    assert len(await listed(given, account)) == 2
    events = await given(account.arrived(bridge))
    first, second = (ids.thread_id(account.user_id, account.message(raw)) for raw in (one, two))
    assert {event.thread_id for event in events if isinstance(event, ThreadUpdated)} == {first, second}
    [line] = await listed(given, account)
    assert (line.id, line.message_count) == (first, 3)
    assert await given.db.fetchval("SELECT count(*) FROM mail.threads") == 1


async def test_a_reply_without_ids_moves_to_a_newer_original_that_arrives_later(given: Given, account: Account) -> None:
    """The conversation that it leaves goes on without it."""
    early, late = mail("Status", key="e"), mail("Status", key="l", days=2)
    reply = mail("Re: Status", key="r", sender="bob@x.example", to="ann@x.example", days=3)
    await given(account.arrived(early), account.arrived(reply))
    [line] = await listed(given, account)
    assert line.message_count == 2
    await given(account.arrived(late))
    by_count = {line.message_count: line.id for line in await listed(given, account)}
    async with given.db.acquire() as db:
        talk = await reader.conversation(db, account.user_id, by_count[2])
    assert talk is not None
    assert [message.id for message in talk.messages] == [account.message(late), account.message(reply)]


async def test_threads_cross_accounts(given: Given, account: Account) -> None:
    second = Account(account.user_id)
    second.documents = account.documents
    await given(second.mailbox("INBOX", SpecialUse.INBOX), account.arrived(FIRST), second.arrived(ANSWER))
    [line] = await listed(given, account)
    assert sorted(line.account_ids) == sorted([account.account_id, second.account_id])
    for one in (account, second):
        assert len(await listed(given, account, f"account:{one.account_id}")) == 1


async def test_a_removed_account_is_shown_no_more_and_stays_so(given: Given, account: Account) -> None:
    second = Account(account.user_id)
    second.documents = account.documents
    await given(second.mailbox("INBOX", SpecialUse.INBOX), account.arrived(FIRST), second.arrived(ANSWER))
    await given(second.fact(AccountRemoved))
    [line] = await listed(given, account)
    assert (line.message_count, line.account_ids) == (1, [account.account_id])
    await given(second.mailbox("INBOX", SpecialUse.INBOX), second.arrived(OTHER))
    assert await subjects(given, account) == ["Plan"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.messages WHERE from_email LIKE 'bob%'") == 0


async def test_a_mailbox_that_becomes_trash_takes_its_mail_out_of_the_lists(given: Given, account: Account) -> None:
    await given(account.mailbox("Old"), account.arrived(FIRST, "Old"))
    assert await subjects(given, account, "special:all") == ["Plan"]
    await given(account.found("Old", SpecialUse.TRASH))
    assert await subjects(given, account, "special:all") == []
    assert await subjects(given, account, "special:trash") == ["Plan"]


async def test_a_lost_mailbox_takes_its_placements_with_it(given: Given, account: Account) -> None:
    await given(account.arrived(FIRST), account.arrived(FIRST, "Archive"), account.arrived(OTHER, "Archive"))
    await given(account.fact(MailboxLost, mailbox_id=account.id_of("Archive")))
    assert await subjects(given, account, "special:all") == ["Plan"]
    assert await listed(given, account, of(account, "Archive")) == []


async def test_a_later_listing_is_shown_when_it_is_committed(given: Given, account: Account) -> None:
    inbox = account.id_of("INBOX")
    new = mail("Meanwhile", key="n", days=5)
    await given(account.arrived(FIRST), account.arrived(OTHER))
    assert await given(account.opened("INBOX", 2, uidnext=10)) == []
    assert await given(account.arrived(FIRST, uid=1, generation=2)) == []
    assert names(await given(account.arrived(new, uid=10, generation=2))) == ["MessageNew"], "an arrival, shown at once"
    assert await subjects(given, account) == ["Meanwhile", "Lunch", "Plan"]
    events = await given(account.fact(GenerationCommitted, mailbox_id=inbox, generation=2))
    assert names(events) == ["MessageDeleted", *["ThreadUpdated"] * 3]
    assert await subjects(given, account) == ["Meanwhile", "Plan"]
    generations = await given.db.fetch("SELECT DISTINCT generation FROM mail.placements")
    assert [row["generation"] for row in generations] == [2]


async def test_what_only_a_later_listing_has_is_new_when_it_is_committed(given: Given, account: Account) -> None:
    await given(account.opened("INBOX", 2, uidnext=10))
    assert await given(account.arrived(FIRST, uid=1, generation=2)) == []
    events = await given(account.fact(GenerationCommitted, mailbox_id=account.id_of("INBOX"), generation=2))
    assert names(events) == ["MessageNew", "ThreadUpdated"]


async def test_an_abandoned_listing_leaves_the_one_before(given: Given, account: Account) -> None:
    await given(account.arrived(FIRST), account.opened("INBOX", 2), account.arrived(OTHER, uid=1, generation=2))
    await given(account.opened("INBOX", 3), account.arrived(OTHER, uid=1, generation=3))
    await given(account.fact(GenerationAbandoned, mailbox_id=account.id_of("INBOX"), generation=3, reason="gone"))
    assert await subjects(given, account) == ["Plan"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements") == 1


async def test_new_content_is_shown_and_the_conversation_stays(given: Given, account: Account) -> None:
    await given(account.arrived(FIRST), account.arrived(ANSWER))
    changed = mail("Plan B", key="9", more='MIME-Version: 1.0\r\nContent-Type: application/pdf; name="b.pdf"\r\n')
    fact = account.arrived(changed)
    assert isinstance(fact, MessageArrived)
    message = account.message(FIRST)
    events = await given(account.fact(ContentChanged, message_id=message, blob=fact.blob, size=7, evidence=""))
    assert names(events) == ["MessageChanged", "ThreadUpdated"]
    [line] = await listed(given, account)
    assert (line.subject, line.message_count, line.has_attachments) == ("Plan B", 2, True)
    async with given.db.acquire() as db:
        found = await reader.message(db, account.user_id, message)
    assert found is not None
    assert [one.filename for one in found.attachments] == ["b.pdf"]


async def test_a_message_that_had_no_date_since_the_server_did_not_give_it_gets_its_own(
    given: Given, account: Account
) -> None:
    refused = account.arrived(b"", days=-(START - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1))
    assert isinstance(refused, MessageArrived)
    given_later = account.arrived(FIRST)
    assert isinstance(given_later, MessageArrived)
    change = {"message_id": refused.message_id, "blob": given_later.blob, "size": 9, "evidence": ""}
    await given(refused, account.fact(ContentChanged, **change))
    assert [(line.subject, line.last_message_at) for line in await listed(given, account)] == [("Plan", START)]


async def test_a_mailbox_of_all_mail_lists_each_mail_once(given: Given, account: Account) -> None:
    await given(*account.mailbox("All Mail", SpecialUse.ALL))
    await given(account.arrived(FIRST, "All Mail"), account.arrived(FIRST))
    assert await subjects(given, account, "special:all") == ["Plan"]
    counts = await given.db.fetch("SELECT message_count FROM mail.thread_scopes")
    assert {row["message_count"] for row in counts} == {1}


async def test_a_date_beyond_belief_is_not_believed(given: Given, account: Account) -> None:
    """Else a mail from the future stands on top for ever."""
    await given(account.arrived(mail("Future", key="f", days=4000)), account.arrived(OTHER, days=40))
    lines = await listed(given, account)
    assert {line.subject: line.last_message_at.year for line in lines} == {"Future": 2025, "Lunch": 2025}


def test_ids_of_threads_depend_on_the_user() -> None:
    message = uuid4()
    assert ids.thread_id(UUID(int=1), message) != ids.thread_id(UUID(int=2), message)
