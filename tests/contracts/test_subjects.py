"""Where facts and events stand."""

from uuid import UUID, uuid4

import pytest

from contracts import subjects
from contracts.subjects import AccountSubjects

PLACE = AccountSubjects(3, UUID(int=1), UUID(int=2))
ROOT = "fact.3.00000000-0000-0000-0000-000000000001.00000000-0000-0000-0000-000000000002"


def test_every_subject_is_as_the_design_says() -> None:
    thing = UUID(int=9)
    assert [
        PLACE.account,
        PLACE.lease,
        PLACE.state,
        PLACE.mailbox(thing),
        PLACE.mark(thing),
        PLACE.request,
        PLACE.outcome,
        PLACE.send(thing),
    ] == [
        f"{ROOT}.account",
        f"{ROOT}.sync.lease",
        f"{ROOT}.sync.account",
        f"{ROOT}.sync.{thing}",
        f"{ROOT}.sync.{thing}.mark",
        f"{ROOT}.request",
        f"{ROOT}.outcome",
        f"{ROOT}.send.{thing}",
    ]
    assert PLACE.everything == f"{ROOT}.>"
    assert PLACE.sync == f"{ROOT}.sync.>"
    assert subjects.user(3, UUID(int=1)) == "fact.3.00000000-0000-0000-0000-000000000001.>"
    assert PLACE.timer("one") == f"timer.{ROOT.removeprefix('fact.')}.one"
    assert subjects.wake(3, "send") == "wake.3.send"
    assert subjects.event(UUID(int=1), "message.new") == "event.00000000-0000-0000-0000-000000000001.message.new"


def test_parsing_gives_back_what_a_subject_was_made_of() -> None:
    place = AccountSubjects(255, uuid4(), uuid4())
    for subject in (place.account, place.lease, place.mark(uuid4()), place.send(uuid4())):
        parsed = subjects.parse(subject)
        assert (parsed.partition, parsed.user_id, parsed.account_id) == (255, place.user_id, place.account_id)
        assert subject == f"{place.root}.{parsed.rest}"


@pytest.mark.parametrize(
    "subject",
    ["", "fact", "fact.1.2.3.4", f"x{ROOT}.account", ROOT, ROOT.replace("3", "three", 1) + ".account", "event.a.b.c.d"],
)
def test_what_is_no_facts_subject_is_refused(subject: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        subjects.parse(subject)
