"""Ids are in the log and in links for ever: these are the same on every machine and in every version."""

from collections.abc import Callable
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import ids

USER, ACCOUNT, THING = (UUID(int=number) for number in (10, 11, 12))

VECTORS: list[tuple[Callable[[], UUID], str]] = [
    (lambda: ids.mailbox_id(ACCOUNT, "INBOX/Übung", 7), "33b1193c-2a30-5533-8be2-b1b488e0299d"),
    (lambda: ids.message_id(ACCOUNT, "ab" * 32), "34b0b0b5-b4ca-5aa4-b2f9-6b01773c0f78"),
    (lambda: ids.message_id_by_email_id(ACCOUNT, "M1"), "73943771-7aa3-5b38-b731-253ec681e4ee"),
    (lambda: ids.message_id_by_place(ACCOUNT, THING, 7, 8), "26aac492-2124-5d7e-8142-1e766e5a9cf2"),
    (lambda: ids.thread_id(USER, THING), "e9e95fb2-3a0f-5dfa-8f94-10ed7b517301"),
    (lambda: ids.attachment_id(THING, 3), "9014dcee-a916-572c-8035-0ce5c8fe3730"),
    (lambda: ids.thread_ref(USER, "a@b"), "04c616c4-6d78-561b-a97a-a7224c530673"),
]


@pytest.mark.parametrize(("compute", "known"), VECTORS)
def test_an_id_never_changes(compute: Callable[[], UUID], known: str) -> None:
    assert str(compute()) == known


def test_ids_of_different_things_differ() -> None:
    assert len({known for _, known in VECTORS}) == len(VECTORS)
    assert ids.mailbox_id(ACCOUNT, "A", 1) != ids.mailbox_id(USER, "A", 1) != ids.mailbox_id(USER, "A", 2)


def test_evidence_is_over_the_three_headers_bytes() -> None:
    assert ids.evidence(b"<a@b>", b"today", b"x@y") == "4943de7876a416ab336a270236ae4ce2"
    assert ids.evidence(b"a", b"", b"") != ids.evidence(b"", b"a", b"")


def test_a_user_has_one_partition() -> None:
    assert [ids.partition(UUID(int=number), 4) for number in (0, 1, 5, 2**128 - 1)] == [0, 1, 1, 3]


@given(st.uuids(), st.text(st.characters(exclude_categories=["Cs"])))
def test_named_ids_are_version_5_uuids(namespace: UUID, name: str) -> None:
    assert ids.named(namespace, name) == uuid5(namespace, name)
