"""Addresses as they go on the wire: domains in ASCII, local parts quoted where they must be (RFC 5321 §4.1.2, RFC 6531)."""

import re
from typing import NamedTuple
from unicodedata import normalize

import idna

from projections.documents import Address
from services.mail.compose.errors import BadAddress
from services.mail.compose.letter import Letter

_LONGEST = 320  # octets: 64 of a local part, 255 of a domain and the "@" (RFC 5321 §4.5.3.1)
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
_DOT_ATOM = re.compile(rf"{_ATOM}(?:\.{_ATOM})*+")
_DOTTED = re.compile(rf"(?:\.|{_ATOM})++")  # dots in odd places, which some providers gave out
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_QUOTED_PAIR = re.compile(r"\\(.)")
_LITERAL = re.compile(r"\[(?:\d{1,3}(?:\.\d{1,3}){3}|(?i:IPv6):[0-9A-Fa-f:.]{2,45})\]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")


class Envelope(NamedTuple):
    """RFC 5321 §2.3.1: who is told of trouble, and everyone who gets the message."""

    mail_from: str
    recipients: list[str]


def check(email: str) -> str:
    """The address as it is written on the wire, or `BadAddress`."""
    local, _, domain = email.strip().rpartition("@")
    address = f"{_local(local) or ''}@{_domain(domain) or ''}"
    if address.startswith("@") or address.endswith("@") or len(address.encode()) > _LONGEST:
        raise BadAddress(email)
    return address


def is_address(email: str) -> bool:
    try:
        check(email)
    except BadAddress:
        return False
    return True


def key(email: str) -> str:
    """Equal for spellings of one mailbox: case counts nowhere in practice, whatever RFC 5321 §2.4 allows."""
    return (check(email) if is_address(email) else email.strip()).casefold()


def unique(addresses: list[Address]) -> list[Address]:
    """The first of each mailbox, in order."""
    return list({key(address.email): address for address in reversed(addresses)}.values())[::-1]


def envelope(letter: Letter) -> Envelope:
    """Raises `BadAddress` with the first that can't be used."""
    recipients = unique([*letter.to, *letter.cc, *letter.bcc])
    return Envelope(check(letter.from_.email), [check(one.email) for one in recipients])


def needs_utf8(letter: Letter) -> bool:
    """SMTPUTF8 (RFC 6531) is asked for only when a local part can't be had without it."""
    people = [letter.from_, *letter.reply_to, *letter.to, *letter.cc, *letter.bcc]
    return not all(check(one.email).isascii() for one in people if is_address(one.email))


def _local(text: str) -> str | None:
    text = normalize("NFC", text)  # RFC 6532 §3.1
    if not text.isprintable():
        return None
    if _DOT_ATOM.fullmatch(text):
        return text
    if quoted := _QUOTED.fullmatch(text):
        text = _QUOTED_PAIR.sub(r"\1", quoted[1])
        if _DOT_ATOM.fullmatch(text):
            return text
    elif not _DOTTED.fullmatch(text):
        return None
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _domain(text: str) -> str | None:
    if _LITERAL.fullmatch(text):
        return text
    text = text.removesuffix(".").lower()
    if not text.isascii():
        try:
            text = idna.encode(text, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return None
    labelled = len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))
    return text if labelled else None
