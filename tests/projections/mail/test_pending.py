"""Requests are shown at once, and what is shown never bounces: it goes back only when a request is refused."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from contracts.facts import (
    Applied,
    DeleteRequested,
    Fact,
    FlagGroup,
    FlagsChanged,
    FlagsRequested,
    MailboxLost,
    MailboxMarked,
    MessagesExpunged,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
    SpecialUse,
)
from projections.mail import reader
from projections.mail.pending import Effect, Request, effect
from projections.mail.projector import mail as mail_projection
from tests.support.given import Account, Given, installed, mail

RAW = mail("Plan", key="1")


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def given(database: str, account: Account) -> AsyncIterator[Given]:
    """One message, uid 1 in INBOX, unread, with modseq 10."""
    async with installed(database, [mail_projection]) as db:
        told = Given(db, [mail_projection], account.documents)
        await told(
            account.mailbox("INBOX", SpecialUse.INBOX),
            account.mailbox("Archive", SpecialUse.ARCHIVE),
            account.mailbox("Work"),
            account.arrived(RAW, modseq=10),
        )
        yield told


class Asked:
    """One request and its outcomes."""

    def __init__(self, account: Account) -> None:
        self.account, self.id = account, uuid4()
        self.message = account.message(RAW)

    def flags(self, *add: str, remove: tuple[str, ...] = ()) -> Fact:
        return self._ask(FlagsRequested, add=list(add), remove=list(remove))

    def move(self, target: str, source: str | None = None) -> Fact:
        place = self.account.id_of(source) if source else None
        return self._ask(MoveRequested, target=self.account.id_of(target), source=place)

    def delete(self, path: str = "INBOX") -> Fact:
        return self._ask(DeleteRequested, mailbox_id=self.account.id_of(path))

    def refused(self) -> Fact:
        return self.account.fact(RequestRefused, request_id=self.id, code="rejected")

    def expired(self) -> Fact:
        return self.account.fact(RequestExpired, request_id=self.id)

    def applied(self, path: str = "INBOX", *, uid: int = 1, **fields: Any) -> Fact:
        place = {"message_id": self.message, "mailbox_id": self.account.id_of(path), "generation": 1, "uid": uid}
        return self.account.fact(RequestApplied, request_id=self.id, results=[Applied(**place, **fields)])

    def moved(self, target: str, copy_uid: int = 0) -> Fact:
        return self.applied(moved_to=self.account.id_of(target), copy_uid=copy_uid, copy_uidvalidity=bool(copy_uid))

    def _ask(self, kind: type[Fact], **fields: Any) -> Fact:
        return self.account.fact(kind, request_id=self.id, message_ids=[self.message], **fields)


@pytest.fixture
def asked(account: Account) -> Asked:
    return Asked(account)


async def flags(given: Given, account: Account) -> list[str] | None:
    async with given.db.acquire() as db:
        message = await reader.message(db, account.user_id, account.message(RAW))
    return message.flags if message else None


async def places(given: Given, account: Account) -> list[str]:
    """The paths of the mailboxes that it is shown in, with how many threads each list has."""
    async with given.db.acquire() as db:
        message = await reader.message(db, account.user_id, account.message(RAW))
        mailboxes = {row.id: row for row in await reader.mailboxes(db, account.user_id)}
    shown = [mailboxes[one] for one in message.mailbox_ids] if message else []
    assert sorted(row.path for row in mailboxes.values() if row.total) == sorted(row.path for row in shown)
    return sorted(row.path for row in shown)


def observed(account: Account, *names: str, **fields: int) -> Fact:
    group = FlagGroup(uids="1", flags=list(names))
    return account.fact(FlagsChanged, mailbox_id=account.id_of("INBOX"), generation=1, groups=[group], **fields)


def arrived(account: Account, *names: str, uid: int, as_of: int) -> Fact:
    return msgspec.structs.replace(account.arrived(RAW, "Archive", uid=uid, flags=names), as_of=as_of)


def marked(account: Account, path: str, outcomes_seen: int) -> Fact:
    return account.fact(
        MailboxMarked,
        mailbox_id=account.id_of(path),
        generation=1,
        epoch=1,
        batch="b",
        uidvalidity=1,
        high_uid=1,
        backfill_from=1,
        floor_uid=1,
        done=True,
        synced=1,
        total=1,
        outcomes_seen=outcomes_seen,
    )


def expunged(account: Account, path: str = "INBOX") -> Fact:
    return account.fact(MessagesExpunged, mailbox_id=account.id_of(path), generation=1, uids="1")


async def test_flags_are_shown_when_asked_for_and_roll_back_when_refused(
    given: Given, account: Account, asked: Asked
) -> None:
    for no in (asked.refused(), asked.expired()):
        events = await given(asked.flags("\\Seen"))
        assert [type(event).__name__ for event in events] == ["FlagsChangedEvent", "ThreadUpdated"]
        assert await flags(given, account) == ["\\Seen"]
        assert await given(no)
        assert await flags(given, account) == []


async def test_observations_do_not_bounce_what_is_asked_for(given: Given, account: Account, asked: Asked) -> None:
    await given(asked.flags("\\Seen"), observed(account, "\\Flagged", modseq=11))
    assert await flags(given, account) == ["\\Flagged", "\\Seen"]
    await given(asked.refused())
    assert await flags(given, account) == ["\\Flagged"]


async def test_requests_apply_in_the_order_of_the_log(given: Given, account: Account, asked: Asked) -> None:
    other = Asked(account)
    await given(asked.flags("\\Seen", "\\Flagged"), other.flags("$Work", remove=("\\Seen",)))
    assert await flags(given, account) == ["$Work", "\\Flagged"]
    await given(asked.refused())
    assert await flags(given, account) == ["$Work"]


async def test_an_older_observation_does_not_override_an_outcome_by_modseq(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.flags("\\Seen"), asked.applied(flags=["\\Seen"], modseq=20))
    await given(observed(account, modseq=15))
    assert await flags(given, account) == ["\\Seen"]
    await given(observed(account, "\\Answered", modseq=21))
    assert await flags(given, account) == ["\\Answered"]


async def test_an_older_outcome_does_not_override_an_observation(given: Given, account: Account, asked: Asked) -> None:
    await given(asked.flags("\\Seen"), observed(account, "\\Answered", modseq=30))
    await given(asked.applied(flags=["\\Seen"], modseq=20))
    assert await flags(given, account) == ["\\Answered"]


async def test_without_modseq_an_observation_counts_once_it_has_seen_the_outcome(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.flags("\\Seen"))
    before = len(given.log.facts)
    await given(asked.applied(flags=["\\Seen"]))
    await given(observed(account, as_of=before))
    assert await flags(given, account) == ["\\Seen"]
    await given(observed(account, as_of=before + 1))
    assert await flags(given, account) == []


async def test_an_outcome_without_flags_is_what_was_asked_for(given: Given, account: Account, asked: Asked) -> None:
    await given(asked.flags("\\Seen"), asked.applied())
    assert await flags(given, account) == ["\\Seen"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.pending") == 0


async def test_a_move_is_shown_at_once_and_confirmed_by_its_uid(given: Given, account: Account, asked: Asked) -> None:
    events = await given(asked.move("Archive"))
    assert [type(event).__name__ for event in events] == ["MessageChanged", "ThreadUpdated"]
    assert await places(given, account) == ["Archive"]
    await given(asked.moved("Archive", copy_uid=7))
    assert await places(given, account) == ["Archive"]
    await given(account.arrived(RAW, "Archive", uid=7, flags=["\\Seen"]), expunged(account))
    assert await places(given, account) == ["Archive"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements WHERE NOT provisional") == 1


async def test_a_move_without_copyuid_is_confirmed_by_the_message(given: Given, account: Account, asked: Asked) -> None:
    await given(asked.move("Archive"), asked.moved("Archive"))
    assert await places(given, account) == ["Archive"]
    await given(account.arrived(RAW, "Archive", uid=3))
    assert await places(given, account) == ["Archive"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements") == 1


async def test_without_modseq_an_arrival_does_not_override_an_outcome_that_it_has_not_seen(
    given: Given, account: Account, asked: Asked
) -> None:
    starred = Asked(account)
    await given(asked.move("Archive"), asked.moved("Archive", copy_uid=7), starred.flags("\\Flagged"))
    before = len(given.log.facts)
    await given(starred.applied("Archive", uid=7, flags=["\\Flagged"]))
    await given(arrived(account, uid=7, as_of=before))
    assert await flags(given, account) == ["\\Flagged"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements WHERE NOT provisional") == 1


async def test_without_modseq_an_arrival_that_has_seen_the_outcome_says_what_the_flags_are(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.move("Archive"), asked.moved("Archive", copy_uid=7))
    await given(arrived(account, "\\Answered", uid=7, as_of=len(given.log.facts)))
    assert await flags(given, account) == ["\\Answered"]


@pytest.mark.parametrize("copy_uid", [0, 7])
@pytest.mark.parametrize("gone_first", [False, True])
async def test_what_is_marked_only_to_be_moved_is_shown_without_the_mark(
    given: Given, account: Account, asked: Asked, copy_uid: int, *, gone_first: bool
) -> None:
    await given(asked.move("Archive"), observed(account, "\\Deleted", "\\Seen", modseq=11))
    assert await flags(given, account) == ["\\Seen"]
    if gone_first:
        await given(expunged(account))
        assert await flags(given, account) == ["\\Seen"]
    await given(asked.moved("Archive", copy_uid))
    assert (await flags(given, account), await places(given, account)) == (["\\Seen"], ["Archive"])


async def test_what_somebody_marks_and_nobody_moves_is_shown_so(given: Given, account: Account, asked: Asked) -> None:
    await given(observed(account, "\\Deleted", modseq=11))
    assert await flags(given, account) == ["\\Deleted"]
    await given(asked.move("Archive"), asked.refused())
    assert await flags(given, account) == ["\\Deleted"]


async def test_a_refused_move_is_shown_where_it_was(given: Given, account: Account, asked: Asked) -> None:
    await given(asked.move("Archive"))
    assert await given(asked.refused())
    assert await places(given, account) == ["INBOX"]


@pytest.mark.parametrize("copy_uid", [0, 7])
async def test_a_message_whose_source_is_seen_to_be_gone_first_never_disappears(
    given: Given, account: Account, asked: Asked, copy_uid: int
) -> None:
    await given(asked.move("Archive"))
    for fact in (expunged(account), asked.moved("Archive", copy_uid), account.arrived(RAW, "Archive", uid=7)):
        events = await given(fact)
        assert "MessageDeleted" not in {type(event).__name__ for event in events}
        assert await places(given, account) == ["Archive"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements") == 1


async def test_a_copy_seen_before_the_outcome_is_the_one_that_stays(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.move("Archive"), account.arrived(RAW, "Archive", uid=7))
    assert await places(given, account) == ["Archive"]
    await given(asked.moved("Archive", copy_uid=7))
    assert await places(given, account) == ["Archive"]
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements") == 1


async def test_a_refused_move_whose_source_is_gone_is_shown_nowhere(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.move("Archive"), expunged(account), asked.expired())
    assert await places(given, account) == []


async def test_what_was_moved_on_meanwhile_goes_when_sync_has_seen_the_outcome(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.move("Archive"), asked.moved("Archive", copy_uid=7))
    outcome = len(given.log.facts)
    await given(marked(account, "Archive", outcome - 1))
    assert await places(given, account) == ["Archive"]
    await given(marked(account, "Archive", outcome))
    assert await places(given, account) == []


async def test_two_moves_follow_each_other(given: Given, account: Account, asked: Asked) -> None:
    other = Asked(account)
    await given(asked.move("Archive", "INBOX"), other.move("Work", "Archive"))
    assert await places(given, account) == ["Work"]
    await given(asked.moved("Archive", copy_uid=7))
    assert await places(given, account) == ["Work"]
    await given(observed(account, "\\Seen", modseq=50), other.refused())
    assert await places(given, account) == ["Archive"]


async def test_several_of_which_no_number_is_known_may_be_moved_on_without_one(
    given: Given, account: Account, asked: Asked
) -> None:
    raw = mail("Another plan", key="2")
    both = {1: account.message(RAW), 2: account.message(raw)}
    await given(account.arrived(raw, uid=2, modseq=10))
    for source, target, numbered in (("INBOX", "Archive", 1), ("Archive", "Work", 0)):
        request = {"request_id": uuid4()}
        places_ = {"mailbox_id": account.id_of(source), "generation": 1, "moved_to": account.id_of(target)}
        results = [Applied(message_id=message, uid=uid * numbered, **places_) for uid, message in both.items()]
        where = {"source": account.id_of(source), "target": account.id_of(target)}
        await given(
            account.fact(MoveRequested, **request, **where, message_ids=[*both.values()]),
            account.fact(RequestApplied, **request, results=results),
        )
    async with given.db.acquire() as db:
        shown = [await reader.message(db, account.user_id, message) for message in both.values()]
    assert all(message and account.id_of("Work") in message.mailbox_ids for message in shown)


async def test_a_delete_hides_the_message_and_a_refusal_brings_it_back(
    given: Given, account: Account, asked: Asked
) -> None:
    assert [type(event).__name__ for event in await given(asked.delete())] == ["MessageDeleted", "ThreadUpdated"]
    assert await places(given, account) == []
    assert [type(event).__name__ for event in await given(asked.refused())] == ["MessageChanged", "ThreadUpdated"]
    assert await places(given, account) == ["INBOX"]
    await given(asked.delete(), asked.applied())
    assert await places(given, account) == []
    assert await given.db.fetchval("SELECT count(*) FROM mail.placements") == 0


async def test_a_target_that_is_lost_shows_the_message_where_it_is(
    given: Given, account: Account, asked: Asked
) -> None:
    await given(asked.move("Work"))
    assert await places(given, account) == ["Work"]
    await given(account.fact(MailboxLost, mailbox_id=account.id_of("Work")))
    assert await places(given, account) == ["INBOX"]


HERE, THERE = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ([], Effect(None, HERE)),
        ([Request("flags", add=["b"], remove=["a"])], Effect(["b"], HERE)),
        ([Request("move", target=THERE)], Effect(None, THERE)),
        ([Request("move", target=UUID(int=9))], Effect(None, HERE)),
        ([Request("move", source=THERE, target=THERE)], Effect(None, HERE)),
        ([Request("move", source=HERE, target=THERE), Request("delete", source=HERE)], Effect(None, THERE)),
        ([Request("delete", source=HERE), Request("move", target=THERE)], Effect(None, None)),
    ],
)
def test_the_effect_of_requests_on_a_placement(requests: list[Request], expected: Effect) -> None:
    assert effect(["a"], HERE, requests, {HERE, THERE}) == expected
