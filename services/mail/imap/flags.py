"""FLAGS as a set that can be compared (RFC 3501 §2.3.2)."""

from services.mail.imap import parse

RECENT = "\\recent"
SYSTEM = {name.lower(): name for name in ("\\Seen", "\\Answered", "\\Flagged", "\\Deleted", "\\Draft")}


def read(value: parse.Value) -> frozenset[str]:
    r"""System flags in one spelling, keywords as they are, without \Recent."""
    return frozenset(SYSTEM.get(flag.lower(), flag) for flag in parse.atoms(value) if flag.lower() != RECENT)
