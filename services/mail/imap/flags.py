"""FLAGS as a set that can be compared and stored (RFC 3501 §2.3.2)."""

import re
from collections.abc import Iterable

from services.mail.imap import parse

RECENT = "\\recent"
SYSTEM = {name.lower(): name for name in ("\\Seen", "\\Answered", "\\Flagged", "\\Deleted", "\\Draft")}
FLAG = re.compile(r"\\?[!-~]{1,255}")
STORABLE = re.compile(
    r"\\(?:Seen|Answered|Flagged|Deleted|Draft)|[!#$&'+-/0-9:-@A-Z\[^_`a-z|}~]{1,255}"
)  # RFC 3501 §9 atom
MOST = 500  # of one message; no program sets nearly as many


def read(value: parse.Value) -> frozenset[str]:
    r"""System flags in one spelling, keywords as they are, without \Recent and what is no flag at all."""
    told = (flag for flag in parse.atoms(value)[:MOST] if FLAG.fullmatch(flag))
    return frozenset(SYSTEM.get(flag.lower(), flag) for flag in told if flag.lower() != RECENT)


def write(flags: Iterable[str]) -> bytes:
    r"""`(\Seen $Forwarded)`, of flags that are storable."""
    return b"(" + " ".join(sorted(flags)).encode("ascii") + b")"
