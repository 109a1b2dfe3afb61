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


def joined(spans: Iterable[tuple[int, int]]) -> str:
    """Ascending ranges as a UID set, joined where they touch; for more UIDs than one wants to hold."""
    runs: list[tuple[int, int]] = []
    for first, last in spans:
        if runs and first <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], max(last, runs[-1][1]))
        else:
            runs.append((first, last))
    return ",".join(str(first) if first == last else f"{first}:{last}" for first, last in runs)
