"""What tells a message by its header alone: computed alike over a whole message and over what a server lists."""

import re

from contracts import ids

_NAMES = (b"message-id", b"date", b"from")
_VALUE = re.compile(rb"[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)")


def evidence(raw: bytes) -> str:
    """Of a message or its header: the same from what any server gives as BODY[HEADER.FIELDS (…)]."""
    first = fields(raw)
    return ids.evidence(first.get(b"message-id", b""), first.get(b"date", b""), first.get(b"from", b""))


def fields(raw: bytes) -> dict[bytes, bytes]:
    """Message-ID, Date and From by their names in lower case: the first field of each, unfolded and trimmed.

    Names are looked for in lower case, since a pattern that ignores case is tried at every byte.
    """
    head = raw[: _end(raw)]
    lines = b"\n" + head.lower()
    first: dict[bytes, bytes] = {}
    for name in _NAMES:
        line = lines.find(b"\n" + name)
        while line != -1 and name not in first:
            if value := _VALUE.match(head, line + len(name)):
                first[name] = b" ".join(value[1].split())
            line = lines.find(b"\n" + name, line + 1)
    return first


def _end(raw: bytes) -> int:
    """Behind the first empty line; nothing is a header before one at the beginning."""
    if raw.startswith((b"\n", b"\r\n")):
        return 0
    crlf = raw.find(b"\n\r\n")
    lf = raw.find(b"\n\n", 0, len(raw) if crlf == -1 else crlf + 1)
    return lf + 2 if lf != -1 else crlf + 3 if crlf != -1 else len(raw)
