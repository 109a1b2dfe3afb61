"""What a person types, to what Postgres looks for: all words, quoted ones in their order, the last by its beginning."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from projections.search import words

MOST_TERMS = 24
_LONGEST = 1_000

_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')


class Wanted(NamedTuple):
    """Two tsqueries as Postgres reads them. `sure`: without the unfinished word, when there are others.

    A beginning may stand for thousands of words, each a list in the index: it is cheaper to look whether what holds the
    other words holds one of them.
    """

    words: str
    sure: str


def wanted(user_id: UUID, text: str) -> Wanted | None:
    """None when there is nothing to look for. Never fails on odd text."""
    text = text[:_LONGEST]
    code = words.salt(user_id)
    terms: list[str] = []
    unfinished = False
    for match in list(_PIECE.finditer(text))[:MOST_TERMS]:
        typing = match.end() == len(text) and not match[0].endswith('"')
        term = list(terms_of(match[1] if match[2] is None else match[2], typing=typing))[:MOST_TERMS]
        if term:
            unfinished = any(prefix for _, prefix in term)
            terms.append(" <-> ".join(f"'{code}{word}'{':*' if prefix else ''}" for word, prefix in term))
    if not terms:
        return None
    sure = terms[:-1] if unfinished and len(terms) > 1 else terms
    return Wanted(*(" & ".join(f"({term})" for term in some) for some in (terms, sure)))


def terms_of(piece: str, *, typing: bool) -> Iterator[tuple[str, bool]]:
    """The lexemes of one word or phrase, each with whether it is only a beginning. `typing`: the last one is.

    A run of CJK is its pairs, without the last character that the index has too; a single one begins a pair.
    """
    found = words.runs(piece)
    for n, run in enumerate(found):
        if not words.ideographic(run):
            yield run[: words.LONGEST], typing and n == len(found) - 1
        elif len(run) == 1:
            yield run, True
        else:
            yield from ((pair, False) for pair in words.pairs(run)[:-1])
