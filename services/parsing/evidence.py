"""What tells a message by its header alone: computed alike over a whole message and over what a server lists."""

import re

from contracts import ids

_BLANK_LINE = re.compile(rb"(?:^|\n)\r?\n")
_FIELDS = re.compile(rb"(?im)^(message-id|date|from)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)")


def evidence(raw: bytes) -> str:
    """Over the first field of each name, unfolded and trimmed: what any server gives as BODY[HEADER.FIELDS (…)]."""
    blank = _BLANK_LINE.search(raw)
    first: dict[bytes, bytes] = {}
    for field in _FIELDS.finditer(raw, 0, blank.end() if blank else len(raw)):
        first.setdefault(field[1].lower(), b" ".join(field[2].split()))
    return ids.evidence(first.get(b"message-id", b""), first.get(b"date", b""), first.get(b"from", b""))
