"""Handles: `localpart@APP_DOMAIN`, mail-grade from the first day (§4), with the names that no person may take."""

import re

from projections.sql import text

LENGTH_MIN = 3
LENGTH_MAX = 30

_LOCALPART = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")

# RFC 2142 and what people take for the operator of a mail service.
RESERVED = frozenset(text("services.gateway.auth", "reserved.txt").split())


def normalised(localpart: str) -> str | None:
    """The localpart as it is kept, or None when it breaks the rules."""
    name = localpart.strip().lower()
    well_formed = LENGTH_MIN <= len(name) <= LENGTH_MAX and _LOCALPART.fullmatch(name) and ".." not in name
    return name if well_formed else None


def is_reserved(localpart: str) -> bool:
    """Whatever stands between the letters: `no.reply` and `noreply` are one name to whoever reads it."""
    letters = re.sub(r"[._-]", "", localpart)
    return any(letters == re.sub(r"[._-]", "", name) for name in RESERVED)


def full(localpart: str, domain: str) -> str:
    return f"{localpart}@{domain}"


def of_login(handle: str, domain: str) -> str:
    """What somebody types to sign in: the localpart, or all of it."""
    name = handle.strip().lower().replace("\0", "")  # which Postgres can't even look for
    return name if "@" in name else full(name, domain)
