"""The history: who asked for what, what became of it, and what takes it back."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.facts import (
    AccountRemoved,
    Applied,
    DeleteRequested,
    Fact,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
    SpecialUse,
)
from projections.history import reader
from projections.history.projector import history
from projections.history.rows import RequestRow
from projections.mail.projector import mail as mail_projection
from tests.support.given import START, Account, Given, installed, mail


class Told:
    """One account with three mails in its inbox, and an Archive."""

    def __init__(self, given: Given, account: Account) -> None:
        self.given = given
        self.account = account
        self.mails = [mail(f"Number {n}", key=str(n), days=n) for n in range(3)]
        self.messages = [account.message(raw) for raw in self.mails]

    async def begin(self) -> None:
        account = self.account
        await self.given(
            account.connected(),
            account.mailbox("INBOX", SpecialUse.INBOX),
            account.mailbox("Archive", SpecialUse.ARCHIVE),
            [account.arrived(raw) for raw in self.mails],
        )

    def request(self, kind: type[Fact], messages: list[UUID], **fields: Any) -> Any:
        return self.account.fact(kind, request_id=uuid4(), message_ids=messages, **fields)

    def moved(self, messages: list[UUID], **fields: Any) -> Any:
        ids = {"source": self.account.id_of("INBOX"), "target": self.account.id_of("Archive")}
        return self.request(MoveRequested, messages, **{**ids, **fields})

    def applied(self, request: Any, *results: Applied) -> Fact:
        return self.account.fact(RequestApplied, request_id=request.request_id, results=list(results))

    def result(self, message: UUID, **fields: Any) -> Applied:
        uid = self.messages.index(message) + 1
        return Applied(message_id=message, mailbox_id=self.account.id_of("INBOX"), generation=1, uid=uid, **fields)

    async def rows(self) -> list[RequestRow]:
        async with self.given.db.acquire() as db:
            return await reader.newest(db, self.account.user_id)


@pytest.fixture
async def told(database: str) -> AsyncIterator[Told]:
    account = Account()
    async with installed(database, [mail_projection, history]) as db:
        one = Told(Given(db, [mail_projection, history], account.documents), account)
        await one.begin()
        yield one


async def test_a_request_and_its_outcome_are_one_entry(told: Told) -> None:
    first, second, _ = told.messages
    request = told.moved([first, second], by="rule:7")
    await told.given(request)
    (row,) = await told.rows()
    assert (row.by, row.kind, row.state, row.asked, row.done) == ("rule:7", "move", "pending", 2, 0)
    assert (row.source_path, row.target_path, row.subject) == ("INBOX", "Archive", "Number 1")
    await told.given(told.applied(request, told.result(first, moved_to=told.account.id_of("Archive"))))
    (row,) = await told.rows()
    assert (row.state, row.done, row.settled_at) == ("applied", 1, START)


async def test_a_refusal_says_why_and_the_first_outcome_counts(told: Told) -> None:
    request = told.request(FlagsRequested, told.messages, add=["\\Seen"])
    refused = told.account.fact(RequestRefused, request_id=request.request_id, code="over_quota")
    await told.given(request, refused, told.account.fact(RequestExpired, request_id=request.request_id))
    (row,) = await told.rows()
    assert (row.state, row.code, row.done) == ("refused", "over_quota", 0)


async def test_what_was_moved_from_wherever_it_was_says_from_where_when_it_is_done(told: Told) -> None:
    request = told.moved([told.messages[0]], source=None)
    archive = told.account.id_of("Archive")
    await told.given(request, told.applied(request, told.result(told.messages[0], moved_to=archive)))
    async with told.given.db.acquire() as db:
        (touched,) = await reader.touched(db, told.account.user_id, request.request_id)
    assert (touched.sources, touched.done) == ([told.account.id_of("INBOX")], True)


async def test_what_takes_a_request_back_is_named_until_it_is_refused(told: Told) -> None:
    request = told.request(FlagsRequested, told.messages, add=["\\Seen"])
    undo = told.request(FlagsRequested, told.messages, remove=["\\Seen"], by=f"undo:{request.request_id}")
    await told.given(request, undo)
    newest, oldest = await told.rows()
    assert (newest.undoes, oldest.undone_by) == (request.request_id, undo.request_id)
    await told.given(told.account.fact(RequestRefused, request_id=undo.request_id, code="gone"))
    assert (await told.rows())[1].undone_by is None


@pytest.mark.parametrize("by", ["undo:", "undo:nonsense", "plugin:undo:x"])
async def test_a_strange_name_takes_nothing_back(told: Told, by: str) -> None:
    await told.given(told.request(FlagsRequested, told.messages, add=["\\Seen"], by=by))
    (row,) = await told.rows()
    assert (row.by, row.undoes) == (by, None)


async def test_pages_go_backwards_in_time(told: Told) -> None:
    requests = [told.request(FlagsRequested, told.messages[:1], add=["\\Seen"]) for _ in range(5)]
    await told.given(*requests)
    async with told.given.db.acquire() as db:
        first = await reader.newest(db, told.account.user_id, limit=3)
        rest = await reader.newest(db, told.account.user_id, before=first[-1].sequence, limit=3)
    assert [row.id for row in (*first, *rest)] == [one.request_id for one in reversed(requests)]


async def test_a_threads_history_is_that_of_its_messages(told: Told) -> None:
    mine = told.request(FlagsRequested, told.messages[:1], add=["\\Seen"])
    gone = told.request(DeleteRequested, told.messages[:2], mailbox_id=told.account.id_of("INBOX"))
    other = told.request(FlagsRequested, told.messages[2:], add=["\\Seen"])
    await told.given(mine, gone, other)
    async with told.given.db.acquire() as db:
        thread = await db.fetchval("SELECT thread_id FROM mail.messages WHERE id = $1", told.messages[0])
        rows = await reader.of_thread(db, told.account.user_id, thread)
    assert [row.id for row in rows] == [gone.request_id, mine.request_id]


async def test_a_removed_account_leaves_no_history(told: Told) -> None:
    await told.given(told.request(FlagsRequested, told.messages, add=["\\Seen"]), told.account.fact(AccountRemoved))
    assert await told.rows() == []
    assert await told.given.db.fetchval("SELECT count(*) FROM history.touched") == 0
