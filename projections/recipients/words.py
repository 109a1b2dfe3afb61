"""By what a recipient is found: the beginnings of the address, of its pieces, and of every word of the name."""

import re

from projections.folding import fold

MOST = 24  # words of one recipient
LONGEST = 80  # characters of one of them
_TEXT = 400  # characters of a name that are looked at
_PIECE = re.compile(r"[^\W_]+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def words(email: str, name: str) -> list[str]:
    """Each once: the whole address, the pieces of its local part, the words of the name and the pieces of these."""
    local = email.rpartition("@")[0]
    named = [_EDGES.sub("", word) for word in fold(name[:_TEXT]).split()]
    found = [
        fold(email),
        *_PIECE.findall(fold(local)),
        *named,
        *(piece for word in named for piece in _PIECE.findall(word)),
    ]
    return list(dict.fromkeys(word[:LONGEST] for word in found if word))[:MOST]


def asked(text: str) -> list[str]:
    """What must all begin a word of who is looked for; the longest first, since it tells most."""
    found = {_EDGES.sub("", word) if "@" not in word else word for word in fold(text[:_TEXT]).split()}
    return sorted((word[:LONGEST] for word in found if word), key=lambda word: (-len(word), word))
