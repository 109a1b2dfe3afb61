"""The parts of an e-mail address that discovery asks with, and the check of names that others give us."""

import re

import idna
from msgspec import Struct

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_LOCAL = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}")


class Address(Struct, frozen=True, kw_only=True):
    """`domain` as DNS has it: lower case, in ASCII (RFC 5890)."""

    local: str
    domain: str

    @property
    def whole(self) -> str:
        return f"{self.local}@{self.domain}"


def parse(email: str) -> Address | None:
    """None: no address of a mailbox in a domain."""
    local, _, domain = email.strip().rpartition("@")
    name = host(domain)
    if name is None or not _LOCAL.fullmatch(local):
        return None
    return Address(local=local, domain=name)


def host(name: str) -> str | None:
    """A host's name in ASCII; None for what is none, numbers for an address among them."""
    try:
        ascii_name = idna.encode(name.strip().rstrip("."), uts46=True, std3_rules=False).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        ascii_name = name.strip().rstrip(".").lower()  # an underscore is in no IDN, but in some hosts' names
    labels = ascii_name.split(".")
    if len(ascii_name) > 253 or len(labels) < 2 or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return None if _is_number(labels[-1]) else ascii_name


def belongs(name: str, domain: str) -> bool:
    """Whether a host is the domain or within it."""
    return name == domain or name.endswith(f".{domain}")


def _is_number(label: str) -> bool:
    """No top-level domain is a number, and what ends in one is an address to some resolvers (WHATWG URL §3.5)."""
    return label.isdecimal() or re.fullmatch(r"0x[0-9a-f]*", label) is not None
