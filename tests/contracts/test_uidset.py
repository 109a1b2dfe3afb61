"""Sets of UIDs, as RFC 9051 writes them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import uidset

UIDS = st.sets(st.integers(1, 300) | st.integers(uidset.UID_MAX - 3, uidset.UID_MAX), max_size=60)


@given(UIDS)
def test_a_set_says_its_uids_and_no_others(uids: set[int]) -> None:
    assert list(uidset.expand(uidset.compact(uids))) == sorted(uids)


@given(UIDS)
def test_no_two_ranges_could_be_one(uids: set[int]) -> None:
    found = uidset.ranges(uidset.compact(uids))
    assert all(before[1] + 1 < after[0] for before, after in itertools.pairwise(found))


@given(st.lists(st.integers(1, 50)))
def test_order_and_repetition_do_not_matter(uids: list[int]) -> None:
    assert uidset.compact(uids) == uidset.compact(reversed(uids)) == uidset.compact(uids + uids)


@given(UIDS, st.integers(21, 80))
def test_pieces_are_short_and_together_the_whole(uids: set[int], limit: int) -> None:
    pieces = list(uidset.split(uids, limit))
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert [uid for piece in pieces for uid in uidset.expand(piece)] == sorted(uids)


def test_a_range_may_be_written_backwards() -> None:
    """RFC 9051 §9: 2:4 and 4:2 are the same."""
    assert list(uidset.expand("4:2,9")) == [2, 3, 4, 9]


def test_a_huge_range_is_not_expanded_to_be_read() -> None:
    assert uidset.ranges(f"1:{uidset.UID_MAX}") == [(1, uidset.UID_MAX)]


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "1,",
        ",1",
        "1:",
        ":1",
        "1:2:3",
        "*",
        "1:*",
        "-1",
        "1 ",
        "a",
        "\uff11",
        "\u00b2",
        "4294967296",
        "0:3",
        "9" * 5000,
    ],
)
def test_what_is_no_set_of_uids_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        uidset.ranges(text)


@given(st.text(alphabet="0123456789:,* -", max_size=30))
def test_any_text_is_a_set_or_refused(text: str) -> None:
    try:
        found = uidset.ranges(text)
    except ValueError:
        return
    assert all(1 <= low <= high <= uidset.UID_MAX for low, high in found)
