"""Who is told in secret stands in the owner's own copy, and in nothing that anybody else gets (RFC 5322 §3.6.3)."""

import re

_BCC = re.compile(rb"^bcc[ \t]*:.*\r\n(?:[ \t].*\r\n)*", re.IGNORECASE | re.MULTILINE)


def header(raw: bytes) -> bytes:
    """Up to and including the end of its last line."""
    end = raw.find(b"\r\n\r\n")
    return raw if end < 0 else raw[: end + 2]


def without_bcc(raw: bytes) -> bytes:
    """A message with CRLF line ends, whose Bcc, wherever it stands and however often, is gone."""
    head = header(raw)
    return _BCC.sub(b"", head) + raw[len(head) :]
