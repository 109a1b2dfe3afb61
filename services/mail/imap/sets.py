"""UIDs in portions that one command can name."""

from collections.abc import Iterable, Iterator

from contracts import uidset

MOST = 600
"""UIDs of ten digits and a comma each: a command line that every server takes (RFC 7162 §4)."""


def portions(uids: Iterable[int]) -> Iterator[list[int]]:
    """Ascending, each UID once."""
    ordered = sorted(set(uids))
    for start in range(0, len(ordered), MOST):
        yield ordered[start : start + MOST]


def text(uids: Iterable[int]) -> bytes:
    return uidset.compact(uids).encode("ascii")
