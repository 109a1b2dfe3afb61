"""The account's mailboxes follow the server's listing, and a mailbox that is the same keeps its id."""

from collections.abc import Iterator, Sequence
from typing import cast
from uuid import UUID, uuid4

from contracts.facts import GenerationOpened, MailboxFound, MailboxLost, SpecialUse
from contracts.provider import MailboxError, MailboxStatus, MailSource, RemoteMailbox
from contracts.subjects import AccountSubjects
from services.sync.mailboxes import Mailboxes
from services.sync.memory import Found, Memory
from tests.services.sync.fake_log import Remembering

SUBJECTS = AccountSubjects(0, uuid4(), uuid4())


class Forgetful:
    """A memory that needs no database."""

    def __init__(self) -> None:
        self.remembered: dict[UUID, Found] = {}

    async def remember(self, mailboxes: Sequence[Found], sequence: int) -> None:
        self.remembered |= {mailbox.id: mailbox for mailbox in mailboxes}


class NoStatus:
    """A server that tells no status of a mailbox that it listed."""

    async def status(self, mailbox: str) -> MailboxStatus:
        raise MailboxError("no_permission", "not yours")


SOURCE = cast("MailSource", NoStatus())


def tree(log: Remembering, memory: Forgetful) -> Mailboxes:
    return Mailboxes(log, SUBJECTS, cast("Memory", memory), {}, {})


def listed(path: str, uidvalidity: int | None, *, uidnext: int = 5, use: SpecialUse | None = None) -> RemoteMailbox:
    status = uidvalidity and MailboxStatus(uidvalidity=uidvalidity, uidnext=uidnext, messages=4)
    return RemoteMailbox(path=path, delimiter="/", selectable=True, special_use=use, status=status or None)


def found(log: Remembering) -> Iterator[tuple[str, UUID]]:
    return ((fact.path, fact.mailbox_id) for fact in log.facts if isinstance(fact, MailboxFound))


async def test_the_same_listing_again_tells_nothing() -> None:
    log, memory = Remembering(), Forgetful()
    mailboxes = tree(log, memory)
    listing = [listed("INBOX", 1, use=SpecialUse.INBOX), listed("Sent", 2, use=SpecialUse.SENT)]
    await mailboxes.refresh(listing, SOURCE)
    told = len(log.batches)
    await mailboxes.refresh(listing, SOURCE)
    assert (told, len(log.batches)) == (2, 2)
    assert {mailbox.path for mailbox in memory.remembered.values()} == {"INBOX", "Sent"}


async def test_inbox_and_sent_come_before_the_rest() -> None:
    mailboxes = tree(Remembering(), Forgetful())
    listing = [listed("A", 1), listed("Out", 2, use=SpecialUse.SENT), listed("INBOX", 3, use=SpecialUse.INBOX)]
    await mailboxes.refresh(listing, SOURCE)
    assert [one.mailbox.path for one in mailboxes.opened] == ["INBOX", "Out", "A"]


async def test_a_rename_is_believed_only_where_the_numbering_proves_it() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1), listed("B", 2, uidnext=50)], SOURCE)
    await mailboxes.refresh([listed("A2", 1), listed("B2", 2, uidnext=3)], SOURCE)
    ids: dict[str, UUID] = dict(found(log))
    assert ids["A2"] == ids["A"]
    assert ids["B2"] != ids["B"]
    assert [fact.mailbox_id for fact in log.facts if isinstance(fact, MailboxLost)] == [ids["B"]]


async def test_where_every_mailbox_has_one_uidvalidity_no_rename_is_guessed() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1), listed("B", 1)], SOURCE)
    await mailboxes.refresh([listed("C", 1), listed("D", 1)], SOURCE)
    assert len({mailbox for _, mailbox in found(log)}) == 4


async def test_a_path_that_a_renamed_mailbox_had_gets_an_id_of_its_own() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1)], SOURCE)
    await mailboxes.refresh([listed("B", 1)], SOURCE)
    await mailboxes.refresh([listed("B", 1), listed("A", 1)], SOURCE)
    assert len({one.mailbox.id for one in mailboxes.opened}) == 2


async def test_a_mailbox_that_comes_back_is_read_again_under_its_old_id() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1)], SOURCE)
    await mailboxes.refresh([], SOURCE)
    await mailboxes.refresh([listed("A", 1)], SOURCE)
    opened = [(fact.mailbox_id, fact.generation) for fact in log.facts if isinstance(fact, GenerationOpened)]
    assert opened == [(opened[0][0], 1), (opened[0][0], 2)]


async def test_another_use_is_told_of_the_same_mailbox() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1)], SOURCE)
    await mailboxes.refresh([listed("A", 1, use=SpecialUse.ARCHIVE)], SOURCE)
    uses = [fact.special_use for fact in log.facts if isinstance(fact, MailboxFound)]
    assert uses == [None, SpecialUse.ARCHIVE]


async def test_a_mailbox_that_can_not_be_opened_is_tried_at_the_next_listing() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", None)], SOURCE)
    assert log.batches == []
    await mailboxes.refresh([listed("A", 1)], SOURCE)
    assert [one.mailbox.path for one in mailboxes.opened] == ["A"]
