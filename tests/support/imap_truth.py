"""What a mail server really holds, read by the standard library's client."""

import base64
import imaplib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Protocol

from tests.support.dovecot import User

_UID = re.compile(rb"UID (\d+)")
_FLAGS = re.compile(rb"FLAGS \(([^)]*)\)")
_LISTED = re.compile(rb'\(([^)]*)\) (?:"(?:\\.|[^"\\])*"|NIL) (.*)', re.DOTALL)
_SHIFTED = re.compile(r"&([^-]*)-")

Placed = dict[int, tuple[str, frozenset[str]]]


class Server(Protocol):
    """Listens on 127.0.0.1."""

    port: int


@contextmanager
def session(server: Server, user: User) -> Iterator[imaplib.IMAP4]:
    """Logged in; another client of the same mailbox."""
    with imaplib.IMAP4("127.0.0.1", server.port, timeout=60) as imap:
        imap.login(user.name, user.password)
        yield imap


def held(server: Server, user: User) -> dict[str, Placed]:
    r"""By path: UID to SHA-256 and flags without \Recent, of all mailboxes that can be selected, and are still there when they are."""
    with session(server, user) as imap:
        there = ((name, imap.select(quoted(name), readonly=True)[0]) for name in names(imap))
        return {decoded(name): _selected(imap) for name, answer in there if answer == "OK"}


def names(imap: imaplib.IMAP4) -> list[str]:
    """As they go over the wire, those that can be selected."""
    found = []
    for line in imap.list()[1]:
        head, literal = line if isinstance(line, tuple) else (line, None)
        if head:
            attributes, name = _LISTED.fullmatch(head).groups()
            if not {b"\\noselect", b"\\nonexistent"} & set(attributes.lower().split()):
                found.append((_unquoted(name) if literal is None else literal).decode("ascii"))
    return found


def quoted(name: str) -> str:
    """A mailbox name as an argument; imaplib leaves that to its callers."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def encoded(path: str) -> str:
    """Modified UTF-7 (RFC 3501 §5.1.3)."""
    return re.sub(r"&|[^ -~]+", _shift, path)


def decoded(name: str) -> str:
    return _SHIFTED.sub(_unshift, name)


def _selected(imap: imaplib.IMAP4) -> Placed:
    found: Placed = {}
    _, answer = imap.uid("FETCH", "1:*", "(UID FLAGS BODY.PEEK[])")
    for item, after in zip(answer, [*answer[1:], b""], strict=True):
        if isinstance(item, tuple):
            head, raw = item
            told = head + after if isinstance(after, bytes) else head  # what comes after the literal belongs to it
            flags = frozenset(_FLAGS.search(told)[1].decode().split()) - {"\\Recent"}
            found[int(_UID.search(told)[1])] = sha256(raw).hexdigest(), flags
    return found


def _unquoted(name: bytes) -> bytes:
    return re.sub(rb"\\(.)", rb"\1", name[1:-1]) if name.startswith(b'"') else name


def _shift(match: "re.Match[str]") -> str:
    if match[0] == "&":
        return "&-"
    return "&" + base64.b64encode(match[0].encode("utf-16-be")).decode().rstrip("=").replace("/", ",") + "-"


def _unshift(match: "re.Match[str]") -> str:
    text = match[1].replace(",", "/")
    return base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-16-be") if text else "&"
