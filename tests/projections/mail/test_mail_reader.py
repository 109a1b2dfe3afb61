"""Questions to the mail read model, as the gateway's role asks them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts import ids
from contracts.facts import FlagGroup, FlagsChanged, SpecialUse
from projections.mail import reader, scopes
from projections.mail.errors import BadCursor, UnknownView
from projections.mail.projector import mail as mail_projection
from projections.mail.rows import ThreadPage
from projections.sql import Connection
from tests.support.conversations import groups, raw, split, vectors
from tests.support.given import Account, Given, installed, mail

PDF = 'MIME-Version: 1.0\r\nContent-Type: application/pdf; name="a.pdf"\r\n'


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def given(database: str, account: Account) -> AsyncIterator[Given]:
    async with installed(database, [mail_projection]) as db:
        told = Given(db, [mail_projection], account.documents)
        await told(
            account.mailbox("INBOX", SpecialUse.INBOX),
            account.mailbox("Work/Łódź"),
            account.mailbox("Trash", SpecialUse.TRASH),
        )
        yield told


@asynccontextmanager
async def asking(given: Given, user: UUID) -> AsyncIterator[Connection]:
    """The gateway's role with a user named to the transaction."""
    async with given.db.acquire() as db, db.transaction():
        await db.execute(f"SET LOCAL ROLE webmail_gateway; SET LOCAL app.user_id = '{user}'")
        yield db


async def newest(given: Given, account: Account, **fields: Any) -> ThreadPage:
    async with asking(given, account.user_id) as db:
        return await reader.newest(db, account.user_id, account.user_id, **fields)


async def test_pages_by_cursor_and_by_offset_agree(given: Given, account: Account) -> None:
    await given([account.arrived(mail(f"T{n}", key=f"t{n}", days=n % 5)) for n in range(23)])
    whole = await newest(given, account, limit=100)
    assert whole.next_cursor is None
    assert [one.last_message_at for one in whole.threads] == sorted(
        (one.last_message_at for one in whole.threads), reverse=True
    )
    cursor, by_cursor = None, []
    while not by_cursor or cursor:
        page = await newest(given, account, limit=5, cursor=cursor)
        by_cursor += page.threads
        cursor = page.next_cursor
        assert page.total == 23
    assert by_cursor == whole.threads
    for offset in (0, 1, 7, 11, 12, 18, 20, 22, 23, 99):
        page = await newest(given, account, limit=5, offset=offset)
        assert page.threads == whole.threads[offset : offset + 5], offset
        assert (page.next_cursor is None) == (offset + 5 >= 23), offset
        if page.next_cursor:
            after = await newest(given, account, limit=5, cursor=page.next_cursor)
            assert after.threads == whole.threads[offset + 5 : offset + 10]


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "ąę", "=" * 32, "A" * 32, "_" * 32, "f" + "_" * 31])
async def test_a_cursor_that_no_page_gave_out_is_refused_or_harmless(
    given: Given, account: Account, cursor: str
) -> None:
    try:
        page = await newest(given, account, limit=5, cursor=cursor)
    except BadCursor:
        return
    assert page.threads == []


@pytest.mark.parametrize(
    "name", ["", "all", "mailbox", "mailbox:", "mailbox:x", "special:inbox", "special:", "unified:1"]
)
def test_a_view_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UnknownView):
        scopes.view(UUID(int=1), name)


async def test_a_conversation_is_read_in_both_orders(given: Given, account: Account) -> None:
    first = mail("Plan", key="1")
    answer = mail("Re: Plan", key="2", answers="1", days=1, more=PDF)
    await given(account.arrived(answer, flags=["\\Seen", "\\Answered"]), account.arrived(first, "Work/Łódź"))
    thread = ids.thread_id(account.user_id, account.message(answer))
    async with asking(given, account.user_id) as db:
        talk = await reader.conversation(db, account.user_id, thread)
        back = await reader.conversation(db, account.user_id, thread, newest_first=True)
        assert await reader.conversation(db, account.user_id, uuid4()) is None
    assert talk is not None
    assert back is not None
    assert talk.messages == back.messages[::-1]
    assert [one.id for one in talk.messages] == [account.message(first), account.message(answer)]
    one, two = talk.messages
    assert (one.unread, one.flags, one.mailbox_ids) == (True, [], [account.id_of("Work/Łódź")])
    assert (two.unread, two.flags, two.sender.email) == (False, ["\\Answered", "\\Seen"], "ann@x.example")
    assert [(part.filename, part.mime) for part in two.attachments] == [("a.pdf", "application/pdf")]


async def test_what_is_in_trash_is_read_when_opened_from_there(given: Given, account: Account) -> None:
    first, answer = mail("Plan", key="1"), mail("Re: Plan", key="2", answers="1", days=1)
    alone = mail("Alone", key="3")
    await given(account.arrived(first), account.arrived(answer, "Trash"), account.arrived(alone, "Trash"))
    thread = ids.thread_id(account.user_id, account.message(first))
    async with asking(given, account.user_id) as db:
        talk = await reader.conversation(db, account.user_id, thread)
        assert talk is not None
        assert len(talk.messages) == 1
        for view in ("special:trash", f"mailbox:{account.id_of('Trash')}"):
            scope = scopes.view(account.user_id, view)
            talk = await reader.conversation(db, account.user_id, thread, scope_id=scope)
            assert talk is not None
            assert len(talk.messages) == 2
        talk = await reader.conversation(db, account.user_id, ids.thread_id(account.user_id, account.message(alone)))
        assert talk is not None
        assert len(talk.messages) == 1, "there is nothing else"


async def test_an_attachment_is_found_by_its_id(given: Given, account: Account) -> None:
    raw_ = mail("Plan", key="1", more=PDF)
    await given(account.arrived(raw_))
    wanted = ids.attachment_id(account.message(raw_), 0)
    async with asking(given, account.user_id) as db:
        part = await reader.attachment(db, account.user_id, wanted)
        assert await reader.attachment(db, account.user_id, uuid4()) is None
        message = await reader.message(db, account.user_id, account.message(raw_))
    assert part is not None
    assert message is not None
    assert message.attachments == [part]
    assert (part.message_id, part.blob, part.filename) == (message.id, message.blob, "a.pdf")
    assert raw_[part.start : part.start + part.length] == b"Words.\r\n"


async def test_mailboxes_have_names_and_counts_of_threads(given: Given, account: Account) -> None:
    await given([account.arrived(mail(f"T{n}", key=f"t{n}"), "Work/Łódź") for n in range(3)])
    group = FlagGroup(uids="1", flags=["\\Seen"])
    box = account.id_of("Work/Łódź")
    await given(account.fact(FlagsChanged, mailbox_id=box, generation=1, groups=[group]))
    async with asking(given, account.user_id) as db:
        found = {row.path: row for row in await reader.mailboxes(db, account.user_id)}
    assert list(found) == ["INBOX", "Trash", "Work/Łódź"]
    assert (found["Work/Łódź"].name, found["Work/Łódź"].unread, found["Work/Łódź"].total) == ("Łódź", 2, 3)
    assert (found["INBOX"].special_use, found["INBOX"].total) == ("inbox", 0)


async def test_nobody_reads_what_is_anothers(given: Given, account: Account) -> None:
    raw_ = mail("Plan", key="1", more=PDF)
    await given(account.arrived(raw_))
    message, stranger = account.message(raw_), uuid4()
    part, thread = ids.attachment_id(message, 0), ids.thread_id(account.user_id, message)
    for asked, named in ((stranger, stranger), (account.user_id, stranger), (stranger, account.user_id)):
        async with asking(given, named) as db:
            assert await reader.message(db, asked, message) is None
            assert await reader.attachment(db, asked, part) is None
            assert await reader.conversation(db, asked, thread) is None
            assert await reader.threads(db, asked, [thread]) == {}
            assert await reader.mailboxes(db, asked) == []
            assert (await reader.newest(db, asked, account.user_id, limit=9)).threads == []


async def test_the_vectors_are_grouped_as_expected_by_the_tables_too(given: Given, account: Account) -> None:
    """In the order written, and backwards one by one: each vector is a user of its own."""
    for vector in vectors():
        if split(vector).name != "NEVER":
            continue
        for backwards in (False, True):
            users = {name: Account(user) for user in [uuid4()] for name in ("A", "B")}
            keys: dict[UUID, str] = {}
            for one in users.values():
                one.documents = account.documents
                await given(one.mailbox("INBOX", SpecialUse.INBOX))
            facts = []
            for message in vector["messages"][:: -1 if backwards else 1]:
                owner = users[message["account"]]
                facts.append(owner.arrived(raw(message)))
                keys[owner.message(raw(message))] = message["key"]
            if backwards:
                for fact in facts:
                    await given(fact)
            else:
                await given(facts)
            rows = await given.db.fetch(
                "SELECT thread_id, array_agg(id) AS ids FROM mail.messages WHERE user_id = $1 GROUP BY 1",
                users["A"].user_id,
            )
            found = groups([keys[one] for one in row["ids"]] for row in rows)
            assert found == groups(vector["expected"]), vector["name"]
