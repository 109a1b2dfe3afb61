"""Own changes on a server without a log of changes: what is shown of them never goes back, and in the end is what it holds."""

from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.facts import Applied, FlagsChanged, FlagsRequested, MessageArrived, MoveRequested, RequestApplied
from contracts.provider import Batch, MailboxDelta, Seen
from projections.documents.document import Document, read
from projections.mail.projector import mail
from tests.services.sync.mail_server import Box, MailServer
from tests.services.sync.one_account import Begin, OneAccount
from tests.support.given import Given, installed

RAW = b"Message-ID: <1@x>\r\nSubject: Plan\r\n\r\nWords.\r\n"

Then = Callable[[], None]


class Busy(MailServer):
    """Something happens after it has read what it answers to a poll or a fetch, and before anybody hears of it."""

    def __init__(self) -> None:
        super().__init__(condstore=False)
        self.boxes["Archive"] = Box()
        self.after_poll: Then | None = None
        self.after_fetch: Then | None = None

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        delta = await super().poll(mailbox, seen)
        happen, self.after_poll = self.after_poll, None
        if happen:
            happen()
        return delta

    async def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 250
    ) -> AsyncIterator[Batch]:
        async for batch in super().fetch(mailbox, uids, uidvalidity=uidvalidity, batch_size=batch_size):
            happen, self.after_fetch = self.after_fetch, None
            if happen:
                happen()
            yield batch


class Owner:
    """Asks outbound for changes, which does and tells them at once."""

    def __init__(self, server: Busy, account: OneAccount, given: Given) -> None:
        self.server, self.account, self._given = server, account, given

    def move(self, path: str, target: str) -> None:
        del self.server.boxes[path].held[1]
        copy = self.server.boxes[target].add(RAW)
        place = self._id_of(target)
        self._asked(MoveRequested, target=place, source=self._id_of(path))
        self._applied(path, moved_to=place, copy_uid=copy, copy_uidvalidity=1)

    def flag(self, path: str, flag: str) -> None:
        self.server.boxes[path].flag(1, flag)
        self._asked(FlagsRequested, add=[flag])
        self._applied(path, flags=[flag])

    async def shown(self) -> dict[str, frozenset[str]]:
        """The flags that it is shown with, by where it is."""
        told = len(self._given.log.facts)
        await self._given([fact for _, fact in self.account.log.recorded[told:]])
        rows = await self._given.db.fetch(
            "SELECT path, coalesce(wanted, flags) AS flags FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place"
        )
        return {row["path"]: frozenset(row["flags"]) for row in rows}

    def held(self) -> dict[str, frozenset[str]]:
        """The same as the server has it."""
        return {path: box.held[1].flags for path, box in self.server.boxes.items() if box.held}

    def _asked(self, kind: type[FlagsRequested | MoveRequested], **what: Any) -> None:
        self._request = uuid4()
        one = next(fact.message_id for fact in self.account.arrivals())
        fact = kind(**self._who(), request_id=self._request, message_ids=[one], **what)
        self.account.log.recorded.append((self.account.subjects.request, fact))

    def _applied(self, path: str, **what: Any) -> None:
        one = next(fact.message_id for fact in self.account.arrivals())
        done = Applied(message_id=one, mailbox_id=self._id_of(path), generation=1, uid=1, **what)
        self.account.outcome(RequestApplied(**self._who(), request_id=self._request, results=[done]))

    def _who(self) -> dict[str, Any]:
        subjects = self.account.subjects
        return {"user_id": subjects.user_id, "account_id": subjects.account_id, "at": datetime.now(UTC)}

    def _id_of(self, path: str) -> UUID:
        return self.account.cursor(path).mailbox.id


@pytest.fixture
async def owner(begin: Begin, database: str) -> AsyncIterator[Owner]:
    """One mail in INBOX, shown."""
    server = Busy()
    server.inbox.add(RAW)
    documents: dict[str, Document] = {sha256(RAW).hexdigest(): read(RAW)}
    async with installed(database, [mail]) as db:
        given = Owner(server, await begin(server.asked_by), Given(db, [mail], documents))
        assert await given.shown() == {"INBOX": frozenset()}
        yield given


TAKEN_BACK = pytest.mark.parametrize("taken_back", [False, True])


@TAKEN_BACK
async def test_flags_fetched_before_an_own_change_and_told_after_it_are_not_shown(
    owner: Owner, *, taken_back: bool
) -> None:
    owner.move("INBOX", "Archive")

    def meanwhile() -> None:
        owner.flag("Archive", "\\Flagged")
        if taken_back:
            owner.server.boxes["Archive"].flag(1)

    owner.server.after_fetch = meanwhile
    await owner.account.poll("Archive")
    assert await owner.shown() == {"Archive": {"\\Flagged"}}
    await owner.account.poll("Archive")
    assert await owner.shown() == owner.held()


@TAKEN_BACK
async def test_flags_polled_before_an_own_change_and_told_after_it_are_not_shown(
    owner: Owner, *, taken_back: bool
) -> None:
    owner.server.inbox.flag(1, "\\Answered")

    def meanwhile() -> None:
        owner.flag("INBOX", "\\Flagged")
        if taken_back:
            owner.server.inbox.flag(1, "\\Answered")

    owner.server.after_poll = meanwhile
    await owner.account.poll("INBOX")
    assert await owner.shown() == {"INBOX": {"\\Flagged"}}
    await owner.account.poll("INBOX")
    assert await owner.shown() == owner.held()


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_own_change_that_somebody_takes_back_before_the_next_poll_is_taken_back(
    owner: Owner, *, restarted: bool
) -> None:
    await owner.account.poll("INBOX")
    owner.flag("INBOX", "\\Seen")
    owner.server.inbox.flag(1)
    if restarted:
        await owner.account.restart()
    await owner.account.poll("INBOX")
    assert await owner.shown() == {"INBOX": frozenset()}


async def test_what_an_own_change_made_is_told_once(owner: Owner) -> None:
    owner.flag("INBOX", "\\Seen")
    for _ in range(2):
        await owner.account.poll("INBOX")
    told = [fact for fact in owner.account.log.facts if isinstance(fact, FlagsChanged)]
    assert [[(group.uids, group.flags) for group in fact.groups] for fact in told] == [[("1", ["\\Seen"])]]
    await owner.account.restart()
    await owner.account.poll("INBOX")
    await owner.account.poll("Archive")
    marks = len(owner.account.log.recorded)
    await owner.account.restart()
    await owner.account.poll("Archive")
    assert len(owner.account.log.recorded) == marks


async def test_an_arrival_says_which_outcome_it_has_seen(owner: Owner) -> None:
    owner.move("INBOX", "Archive")
    seen = len(owner.account.log.recorded)
    await owner.account.poll("Archive")
    assert [fact.as_of for fact in owner.account.arrivals()] == [0, seen]
    assert isinstance(owner.account.log.facts[-1], MessageArrived)
