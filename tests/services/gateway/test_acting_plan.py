"""What an action asks of which messages: only what would change, by account and source, and nothing by guess."""

from uuid import UUID, uuid5

import pytest

from contracts.facts import SpecialUse
from projections.mail.placements import Shown, Target
from services.gateway.actions import plan
from services.gateway.actions.plan import Mailboxes, NoMailbox, Wish
from services.gateway.errors import Refused

HOME, WORK, GMAIL = (UUID(int=n) for n in (1, 2, 3))
USES = {
    "INBOX": SpecialUse.INBOX,
    "Sent": SpecialUse.SENT,
    "Drafts": SpecialUse.DRAFTS,
    "Trash": SpecialUse.TRASH,
    "Junk": SpecialUse.JUNK,
    "Archive": SpecialUse.ARCHIVE,
    "All": SpecialUse.ALL,
    "Lists": None,
}
HAS = {
    HOME: ["INBOX", "Sent", "Drafts", "Trash", "Junk", "Archive", "Lists"],
    WORK: ["INBOX", "Lists"],
    GMAIL: ["INBOX", "Sent", "Trash", "Junk", "All", "Lists"],
}


def place(account: UUID, path: str) -> UUID:
    return uuid5(account, path)


def message(name: str) -> UUID:
    return uuid5(UUID(int=9), name)


MAILBOXES = Mailboxes(
    Target(
        id=place(account, path), account_id=account, path=path, delimiter="/", special_use=USES[path],
        labels=account == GMAIL,
    )
    for account, paths in HAS.items()
    for path in paths
)  # fmt: skip


def at(path: str, name: str = "a", *flags: str, account: UUID = HOME, listed: bool = False) -> Shown:
    return Shown(
        message_id=message(name),
        account_id=account,
        place=place(account, path),
        special_use=USES[path],
        flags=frozenset(flags),
        listed=listed,
    )


def moved(source: str | None, target: str, *names: str, account: UUID = HOME) -> Wish:
    return Wish(
        account,
        sorted(map(message, names)),
        source=place(account, source) if source else None,
        target=place(account, target),
    )


def test_flags_are_asked_for_by_what_each_message_lacks() -> None:
    wishes = plan.flags(
        [at("INBOX", "a"), at("INBOX", "b", "\\Seen"), at("INBOX", "c", "\\Seen", "\\Flagged"), at("Sent", "d")],
        ["\\Seen", "\\Flagged"],
        ["$Later"],
    )
    assert wishes == [
        Wish(HOME, sorted([message("a"), message("d")]), add=frozenset({"\\Seen", "\\Flagged"})),
        Wish(HOME, [message("b")], add=frozenset({"\\Flagged"})),
    ]


def test_of_two_copies_the_one_that_lacks_a_flag_counts() -> None:
    copies = [at("INBOX", "a", "\\Seen"), at("Lists", "a")]
    assert plan.flags(copies, ["\\Seen"], []) == [Wish(HOME, [message("a")], add=frozenset({"\\Seen"}))]
    assert plan.flags(copies, [], ["\\Seen"]) == [Wish(HOME, [message("a")], remove=frozenset({"\\Seen"}))]


def test_where_nobody_knows_what_is_set_all_of_it_is_asked_for() -> None:
    assert plan.flags([at("INBOX", "a", "\\Seen")], ["\\Seen"], ["\\Flagged"], exact=False) == [
        Wish(HOME, [message("a")], add=frozenset({"\\Seen"}), remove=frozenset({"\\Flagged"}))
    ]


@pytest.mark.parametrize(
    ("add", "remove"),
    [
        ([], []),
        (["\\Deleted"], []),
        (["\\Draft"], []),
        (["\\Recent"], []),
        (["two words"], []),
        (["\\Seen"], ["\\Seen"]),
        (["a(b"], []),
        (["zażółć"], []),
    ],
)
def test_flags_that_are_not_the_users_are_refused(add: list[str], remove: list[str]) -> None:
    with pytest.raises(Refused, match="invalid_flags"):
        plan.flags([at("INBOX")], add, remove)


def test_a_conversation_moves_without_ones_own_letters_and_what_is_there_already() -> None:
    thread = [at("INBOX", "a"), at("Sent", "b"), at("Lists", "c"), at("Archive", "d")]
    assert plan.move([], thread, place(HOME, "Lists"), MAILBOXES) == [
        moved("INBOX", "Lists", "a"),
        moved("Archive", "Lists", "d"),
    ]


def test_of_a_conversation_only_what_the_list_has_is_moved() -> None:
    thread = [at("INBOX", "a"), at("Lists", "b", listed=True)]
    assert plan.move([], thread, place(HOME, "Archive"), MAILBOXES) == [moved("Lists", "Archive", "b")]


def test_a_letter_of_ones_own_is_moved_when_it_is_chosen() -> None:
    assert plan.move([at("Sent", "a")], [], place(HOME, "Lists"), MAILBOXES) == [moved("Sent", "Lists", "a")]
    assert plan.move([], [at("Sent", "a")], place(HOME, "Lists"), MAILBOXES) == [moved("Sent", "Lists", "a")]


def test_mail_is_moved_only_within_its_account_and_into_a_mailbox_that_there_is() -> None:
    with pytest.raises(Refused, match="other_account"):
        plan.move([at("INBOX"), at("INBOX", "b", account=WORK)], [], place(HOME, "Lists"), MAILBOXES)
    with pytest.raises(Refused, match="not_found"):
        plan.move([at("INBOX")], [], UUID(int=77), MAILBOXES)


def test_archiving_takes_what_is_in_the_inbox() -> None:
    thread = [at("INBOX", "a"), at("Lists", "b"), at("Sent", "c")]
    assert plan.archive([], thread, MAILBOXES) == [moved("INBOX", "Archive", "a")]
    assert plan.archive([], [at("Lists", "b")], MAILBOXES) == [moved("Lists", "Archive", "b")]
    listed = [at("INBOX", "a"), at("Lists", "b", listed=True)]
    assert plan.archive([], listed, MAILBOXES) == [moved("Lists", "Archive", "b")]


def test_junk_and_back() -> None:
    assert plan.junk([], [at("INBOX", "a"), at("Sent", "b")], MAILBOXES) == [moved("INBOX", "Junk", "a")]
    assert plan.not_junk([at("Junk", "a"), at("INBOX", "b")], MAILBOXES) == [moved("Junk", "INBOX", "a")]


def test_all_of_a_conversation_is_thrown_away() -> None:
    assert plan.trash([at("INBOX", "a"), at("Sent", "b"), at("Trash", "c")], MAILBOXES) == [
        moved("INBOX", "Trash", "a"),
        moved("Sent", "Trash", "b"),
    ]


@pytest.mark.parametrize("action", [plan.archive, plan.junk])
def test_without_a_mailbox_for_it_nothing_is_moved(action: type) -> None:
    with pytest.raises(NoMailbox) as refused:
        action([at("INBOX", account=WORK), at("INBOX", "b")], [], MAILBOXES)
    assert refused.value.account_id == WORK
    assert [one.path for one in refused.value.candidates] == ["Lists"]


def test_for_ever_is_only_what_was_thrown_away_unless_that_is_confirmed() -> None:
    both = [at("INBOX", "a"), at("Trash", "b"), at("Junk", "c")]
    assert {wish.source for wish in plan.delete(both, MAILBOXES, confirmed=False)} == {
        place(HOME, "Trash"),
        place(HOME, "Junk"),
    }
    assert len(plan.delete(both, MAILBOXES, confirmed=True)) == 3
    with pytest.raises(Refused, match="not_in_trash"):
        plan.delete([at("INBOX")], MAILBOXES, confirmed=False)


def labelled(name: str, *paths: str) -> list[Shown]:
    return [at(path, name, account=GMAIL) for path in (*paths, "All")]


def test_under_labels_archiving_takes_the_inbox_away() -> None:
    thread = [*labelled("a", "INBOX", "Lists"), *labelled("b", "Sent"), *labelled("c", "Lists")]
    assert plan.archive([], thread, MAILBOXES) == [moved("INBOX", "All", "a", account=GMAIL)]
    assert plan.archive(labelled("c", "Lists"), [], MAILBOXES) == []


def test_under_labels_what_is_thrown_away_loses_them_all() -> None:
    thread = [*labelled("a", "INBOX", "Lists"), *labelled("b")]
    assert plan.trash(thread, MAILBOXES) == [moved(None, "Trash", "a", "b", account=GMAIL)]
    assert plan.junk([], [*labelled("a", "INBOX"), *labelled("s", "Sent")], MAILBOXES) == [
        moved(None, "Junk", "a", account=GMAIL)
    ]


def test_under_labels_a_move_takes_one_away_and_puts_one_on() -> None:
    assert plan.move(labelled("a", "INBOX"), [], place(GMAIL, "Lists"), MAILBOXES) == [
        moved("INBOX", "Lists", "a", account=GMAIL)
    ]
    assert plan.move(labelled("a"), [], place(GMAIL, "Lists"), MAILBOXES) == [moved("All", "Lists", "a", account=GMAIL)]
    assert plan.trash([at("Junk", "a", account=GMAIL)], MAILBOXES) == [moved("Junk", "Trash", "a", account=GMAIL)]


def test_under_labels_nothing_is_deleted_for_ever_but_from_trash_and_junk() -> None:
    with pytest.raises(Refused, match="not_in_trash"):
        plan.delete(labelled("a", "INBOX"), MAILBOXES, confirmed=True)
