"""The account's mailboxes follow the server's listing, and a mailbox that is the same keeps its id."""

import time
from collections.abc import Iterator, Sequence
from typing import cast
from uuid import UUID, uuid4

import pytest

from contracts.facts import GenerationOpened, MailboxFound, MailboxLost, SpecialUse
from contracts.provider import MailboxError, MailboxStatus, MailSource, RemoteMailbox
from contracts.subjects import AccountSubjects
from services.sync import mailboxes as module
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

    async def uncheck(self, mailbox_id: UUID) -> None:
        return

    async def check_again(self, mailboxes: Sequence[UUID]) -> None:
        return


class Server:
    """Opens the mailboxes that it is told to, and says nothing of their status when it lists them."""

    labelled = False

    def __init__(self) -> None:
        self.opens: dict[str, MailboxStatus] = {}
        self.asked: list[str] = []

    async def status(self, mailbox: str) -> MailboxStatus:
        self.asked.append(mailbox)
        if mailbox not in self.opens:
            raise MailboxError("no_permission", "not yours")
        return self.opens[mailbox]


SOURCE = cast("MailSource", Server())


def tree(log: Remembering, memory: Forgetful) -> Mailboxes:
    return Mailboxes(log, SUBJECTS, cast("Memory", memory), {}, {})


def listed(
    path: str,
    uidvalidity: int | None,
    *,
    uidnext: int = 5,
    use: SpecialUse | None = None,
    guessed: bool = False,
    remote_id: str = "",
) -> RemoteMailbox:
    status = uidvalidity and MailboxStatus(uidvalidity=uidvalidity, uidnext=uidnext, messages=4)
    return RemoteMailbox(
        path=path,
        delimiter="/",
        selectable=True,
        special_use=use,
        status=status or None,
        guessed=guessed,
        remote_id=remote_id,
    )


def found(log: Remembering) -> Iterator[tuple[str, UUID]]:
    return ((fact.path, fact.mailbox_id) for fact in log.facts if isinstance(fact, MailboxFound))


async def test_the_same_listing_again_tells_nothing() -> None:
    log, memory = Remembering(), Forgetful()
    mailboxes = tree(log, memory)
    listing = [listed("INBOX", 1, use=SpecialUse.INBOX), listed("Sent", 2, use=SpecialUse.SENT)]
    await mailboxes.refresh(listing, SOURCE)
    told = len(log.batches)
    await mailboxes.refresh(listing, SOURCE)
    assert (told, len(log.batches)) == (1, 1)
    assert {mailbox.path for mailbox in memory.remembered.values()} == {"INBOX", "Sent"}


async def test_new_mailboxes_are_told_together_as_many_as_the_log_takes() -> None:
    log, memory = Remembering(), Forgetful()
    mailboxes = tree(log, memory)
    listing = [listed(f"M{n}", n + 1) for n in range(450)]
    await mailboxes.refresh(listing, SOURCE)
    assert len(log.batches) == 3
    assert len(mailboxes.opened) == len(log.marks) == len(memory.remembered) == 450
    assert all(one.mark == log.marks[one.mailbox.id] for one in mailboxes.opened)


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


async def test_a_mailbox_that_is_listed_and_can_not_be_opened_is_told_as_that_and_asked_for_only_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, server = Remembering(), Server()
    source = cast("MailSource", server)
    mailboxes = tree(log, Forgetful())
    for _ in range(3):
        await mailboxes.refresh([listed("A", None), listed("INBOX", 1, use=SpecialUse.INBOX)], source)
    assert server.asked == ["A"]
    assert [one.mailbox.path for one in mailboxes.opened] == ["INBOX"]
    assert [fact.selectable for fact in log.facts if isinstance(fact, MailboxFound) and fact.path == "A"] == [False]
    server.opens["A"] = MailboxStatus(uidvalidity=9, uidnext=5, messages=4)
    monkeypatch.setattr(module, "UNREADABLE", 0)
    await mailboxes.refresh([listed("A", None), listed("INBOX", 1, use=SpecialUse.INBOX)], source)
    assert [one.mailbox.path for one in mailboxes.opened] == ["INBOX", "A"]
    assert [fact.selectable for fact in log.facts if isinstance(fact, MailboxFound) and fact.path == "A"][-1]


async def test_a_phantom_of_which_a_status_is_told_but_nothing_can_be_read_is_parked_once_that_is_seen() -> None:
    log, server = Remembering(), Server()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1)], cast("MailSource", server))
    [one] = mailboxes.opened
    one.parked_at = time.monotonic()
    for _ in range(2):
        await mailboxes.refresh([listed("A", 1)], cast("MailSource", server))
    assert mailboxes.opened == []
    assert [fact.selectable for fact in log.facts if isinstance(fact, MailboxFound)] == [True, False]


async def test_what_the_server_calls_a_mailbox_proves_more_than_its_name() -> None:
    """Names that were swapped, and a mailbox that was deleted and made again under its old name."""
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh(
        [listed("A", 1, remote_id="a"), listed("B", 1, remote_id="b"), listed("C", 1, remote_id="c")], SOURCE
    )
    ids = dict(found(log))
    await mailboxes.refresh(
        [listed("A", 1, remote_id="b"), listed("B", 1, remote_id="a"), listed("C", 1, remote_id="d")], SOURCE
    )
    now = {one.mailbox.path: one.mailbox.id for one in mailboxes.opened}
    assert (now["A"], now["B"]) == (ids["B"], ids["A"])
    assert now["C"] != ids["C"]
    assert [fact.mailbox_id for fact in log.facts if isinstance(fact, MailboxLost)] == [ids["C"]]


async def test_swapped_names_keep_their_mailboxes_where_only_the_numbering_tells_them_apart() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1), listed("B", 2)], SOURCE)
    ids = dict(found(log))
    await mailboxes.refresh([listed("A", 2), listed("B", 1)], SOURCE)
    assert {one.mailbox.path: one.mailbox.id for one in mailboxes.opened} == {"A": ids["B"], "B": ids["A"]}
    assert not [fact for fact in log.facts if isinstance(fact, MailboxLost)]


async def test_a_mailbox_that_is_numbered_anew_keeps_its_name_and_its_id() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    await mailboxes.refresh([listed("A", 1), listed("B", 2)], SOURCE)
    await mailboxes.refresh([listed("A", 7), listed("B", 2)], SOURCE)
    assert len(log.batches) == 1


async def test_uses_are_as_the_server_says_then_as_the_owner_chose_then_as_the_names_suggest() -> None:
    log = Remembering()
    mailboxes = tree(log, Forgetful())
    listing = [
        listed("Mine", 1),
        listed("Other", 2),
        listed("Sent", 3, use=SpecialUse.SENT, guessed=True),
        listed("Trash", 4, use=SpecialUse.TRASH),
        listed("Archive", 5, use=SpecialUse.ARCHIVE, guessed=True),
    ]
    await mailboxes.refresh(listing, SOURCE)
    ids = dict(found(log))
    mailboxes.chosen = {SpecialUse.SENT: ids["Mine"], SpecialUse.TRASH: ids["Other"]}
    await mailboxes.refresh(listing, SOURCE)
    assert {one.mailbox.path: one.mailbox.special_use for one in mailboxes.opened} == {
        "Mine": SpecialUse.SENT,
        "Other": None,
        "Sent": None,
        "Trash": SpecialUse.TRASH,
        "Archive": SpecialUse.ARCHIVE,
    }
