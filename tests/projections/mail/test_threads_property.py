"""Conversations of mail that nobody would write: whatever the order and the batches, the same groups and names."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from projections.documents.document import Document, read
from projections.mail.threads import Split
from tests.support.conversations import Mailbag, groups, raw

START = datetime(2025, 10, 1, tzinfo=UTC)
IDS = [f"<{n}@x.example>" for n in range(8)]
PEOPLE = ["a@x.example", "b@x.example", "c@x.example"]

LETTERS = st.lists(
    st.fixed_dictionaries(
        {
            "references": st.lists(st.sampled_from(IDS), max_size=3).map(" ".join),
            "in_reply_to": st.one_of(st.none(), st.sampled_from(IDS)),
            "subject": st.sampled_from(["Plan", "Re: Plan", "Fwd: Plan", "Other", "Re: Other", "Re:", ""]),
            "from": st.sampled_from(PEOPLE),
            "to": st.lists(st.sampled_from(PEOPLE), max_size=2),
            "days": st.integers(0, 12),
            "named": st.booleans(),
        }
    ),
    min_size=1,
    max_size=8,
)


def documents(letters: list[dict[str, Any]]) -> list[tuple[str, Document]]:
    """Every letter has its own Message-ID, or none: which of two keeps one that is used again is for the log to say."""
    found = []
    for n, letter in enumerate(letters):
        date = (START + timedelta(days=letter["days"])).isoformat()
        message_id = IDS[n] if letter["named"] else None
        found.append((f"{n}", read(raw({**letter, "key": f"{n}", "message_id": message_id, "date": date}))))
    return found


@settings(max_examples=300, deadline=None, derandomize=True)
@given(LETTERS, st.sampled_from(Split), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_order_nor_ids_on_batches(
    letters: list[dict[str, Any]], split: Split, dice: random.Random
) -> None:
    told = documents(letters)
    keys = [key for key, _ in told]
    at_once = Mailbag(split)
    at_once.tell(told)
    for _ in range(3):
        order = dice.sample(told, len(told))
        one_by_one, cut, whole = Mailbag(split), Mailbag(split), Mailbag(split)
        whole.tell(order)
        for one in order:
            one_by_one.tell([one])
        middle = dice.randint(0, len(order))
        cut.tell(order[:middle])
        cut.tell(order[middle:])
        assert one_by_one.groups(keys) == at_once.groups(keys)
        assert one_by_one.threads == cut.threads == whole.threads
        assert one_by_one.refs == cut.refs == whole.refs


def test_of_very_many_mentioned_ids_the_first_and_the_last_count() -> None:
    mentioned = [f"r{n}@x.example" for n in range(2_000)]
    plain = {"in_reply_to": None, "references": None, "subject": "Plan", "from": "a@x.example", "to": []}
    plain |= {"date": START.isoformat()}
    keys = ["own", "r0", "r1000", "r1999"]
    read_ = {key: read(raw({**plain, "key": key, "message_id": f"<{key}@x.example>"})) for key in keys}
    read_["own"] = replace(read_["own"], references=mentioned)
    bag = Mailbag()
    bag.tell(list(read_.items()))
    assert bag.groups(keys) == groups([["own", "r0", "r1999"], ["r1000"]])
