"""Conversations, decided from the messages alone: the vectors in every order of arrival, and 3,900 real messages."""

import json
import random
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from typing import Any

import pytest

from projections.documents.document import Document, read
from projections.mail.threads import Split
from tests.support.conversations import FIXTURES, Groups, Mailbag, groups, raw, split, vectors
from tests.support.corpus import messages

VECTORS = vectors()
MOST_ORDERS = 120

Keyed = tuple[str, Document]


@pytest.fixture(params=VECTORS, ids=lambda vector: vector["name"])
def vector(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param


def documents(vector: dict[str, Any]) -> list[Keyed]:
    return [(message["key"], read(raw(message))) for message in vector["messages"]]


def orders(told: Sequence[Keyed]) -> Iterator[Sequence[Keyed]]:
    """Every order of a few messages; of many, some at random that are always the same."""
    if len(told) <= 5:
        yield from islice(permutations(told), MOST_ORDERS)
        return
    yield from (told, told[::-1])
    for seed in range(MOST_ORDERS - 2):
        yield random.Random(seed).sample(told, len(told))


def test_a_vector_is_grouped_alike_in_every_order_of_arrival(vector: dict[str, Any]) -> None:
    expected = groups(vector["expected"])
    for order in orders(documents(vector)):
        one_by_one, at_once = Mailbag(split(vector)), Mailbag(split(vector))
        for told in order:
            one_by_one.tell([told])
        at_once.tell(order)
        keys = [key for key, _ in order]
        assert one_by_one.groups(keys) == at_once.groups(keys) == expected, keys
        assert one_by_one.threads == at_once.threads, "ids depend on the order of the log, not on batches"


def test_a_vector_is_grouped_as_gmail_does_when_any_other_subject_splits() -> None:
    for vector in VECTORS:
        expected = groups(vector.get("expected_gmail") or vector["expected"])
        if vector["name"] == "bridge-merges-two-threads":
            expected = {frozenset("1"), frozenset("23")}
        if vector["name"] == "new-topic-by-reply-button":
            expected = {frozenset("1"), frozenset("2")}
        for order in orders(documents(vector)):
            bag = Mailbag(Split.GMAIL)
            bag.tell(order)
            assert bag.groups(key for key, _ in order) == expected, vector["name"]


@pytest.fixture(scope="module")
def easy_ham() -> list[Keyed]:
    """The 3,900 messages that notmuch grouped, oldest first."""
    wanted = json.loads((FIXTURES / "easy_ham.files.json").read_text(encoding="utf-8"))
    found = [(one.date, one.name, read(one.raw)) for one in messages() if one.name in wanted]
    assert len(found) == len(wanted) == 3900
    return [(name, document) for _, name, document in sorted(found, key=lambda one: (str(one[0]), one[1])) if document]


@pytest.mark.parametrize("order", ["oldest first", "newest first", "shuffled"])
def test_real_mail_is_grouped_as_notmuch_groups_it(easy_ham: list[Keyed], order: str) -> None:
    told = {
        "oldest first": easy_ham,
        "newest first": easy_ham[::-1],
        "shuffled": random.Random(7).sample(easy_ham, len(easy_ham)),
    }[order]
    bag = Mailbag(fallback=False)
    for start in range(0, len(told), 1300):
        bag.tell(told[start : start + 1300])
    theirs = {one for one in of_notmuch() if len(one) > 1}
    ours = bag.groups(key for key, _ in told)
    assert len(theirs) == 571
    assert len(theirs & ours) / len(theirs) >= 0.989


def of_notmuch() -> Groups:
    wanted = json.loads((FIXTURES / "easy_ham.files.json").read_text(encoding="utf-8"))
    by_thread: dict[int, set[str]] = {}
    for name, (_, thread, _) in wanted.items():
        by_thread.setdefault(thread, set()).add(name)
    return groups(by_thread.values())
