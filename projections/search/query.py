"""What a person types, to what Postgres looks for: all words, quoted ones in their order, the last by its beginning."""

import re
from collections.abc import Iterator
from uuid import UUID

from projections.search import words

MOST_TERMS = 24
_LONGEST = 1_000

_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')


def tsquery(user_id: UUID, text: str) -> str:
    """A tsquery as Postgres reads it; empty when there is nothing to look for. Never fails on odd text."""
    text = text[:_LONGEST]
    code = words.salt(user_id)
    terms = []
    for match in list(_PIECE.finditer(text))[:MOST_TERMS]:
        typing = match.end() == len(text) and not match[0].endswith('"')
        term = list(terms_of(match[1] if match[2] is None else match[2], typing=typing))
        if term:
            terms.append(" <-> ".join(f"'{code}{word}'{':*' if prefix else ''}" for word, prefix in term[:MOST_TERMS]))
    return " & ".join(f"({term})" for term in terms)


def terms_of(piece: str, *, typing: bool) -> Iterator[tuple[str, bool]]:
    """The lexemes of one word or phrase, each with whether it is only a beginning. `typing`: the last one is.

    A run of CJK is its pairs, without the last character that the index has too; a single one begins a pair.
    """
    found = list(runs(piece))
    for n, (run, ideographic) in enumerate(found):
        if not ideographic:
            yield run, typing and n == len(found) - 1
        elif len(run) == 1:
            yield run, True
        else:
            yield from ((pair, False) for pair in words.pairs(run)[:-1])


def runs(piece: str) -> Iterator[tuple[str, bool]]:
    for match in words.WORD.finditer(words.fold(piece)):
        ideographic = words.IDEOGRAPH.match(match[0]) is not None
        yield (match[0] if ideographic else match[0][: words.LONGEST]), ideographic
