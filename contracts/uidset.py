"""Sets of UIDs as RFC 9051 writes them (`sequence-set` without `*`): `1:3,7`."""

from collections.abc import Iterable, Iterator

UID_MAX = 2**32 - 1


def compact(uids: Iterable[int]) -> str:
    """The shortest ascending set; empty for no UIDs."""
    runs: list[tuple[int, int]] = []
    for uid in sorted(set(uids)):
        if runs and uid == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], uid)
        else:
            runs.append((uid, uid))
    return ",".join(str(low) if low == high else f"{low}:{high}" for low, high in runs)


def ranges(text: str) -> list[tuple[int, int]]:
    """The set as inclusive ranges, ascending within each; ValueError when it is no set of UIDs."""
    found: list[tuple[int, int]] = []
    for piece in text.split(",") if text else ():
        low, colon, high = piece.partition(":")
        if not (low.isascii() and low.isdigit() and (not colon or (high.isascii() and high.isdigit()))):
            raise ValueError(f"not a UID set: {piece[:40]!r}")
        first, last = sorted((int(low), int(high or low)))
        if first < 1 or last > UID_MAX:
            raise ValueError(f"not a UID: {piece[:40]!r}")
        found.append((first, last))
    return found


def expand(text: str) -> Iterator[int]:
    """Every UID of the set, in the order written. A range may be huge: bound it before, or use `ranges`."""
    for first, last in ranges(text):
        yield from range(first, last + 1)


def split(uids: Iterable[int], limit: int) -> Iterator[str]:
    """The set in pieces of at most `limit` bytes each."""
    piece: list[str] = []
    length = 0
    for text in filter(None, compact(uids).split(",")):
        if piece and length + len(text) + 1 > limit:
            yield ",".join(piece)
            piece, length = [], 0
        piece.append(text)
        length += len(text) + 1
    if piece:
        yield ",".join(piece)
