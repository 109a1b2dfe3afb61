"""What a mail server really holds, read by the standard library's client."""

import imaplib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from tests.support.dovecot import Dovecot, User

_UID = re.compile(rb"UID (\d+)")
_FLAGS = re.compile(rb"FLAGS \(([^)]*)\)")
_NAME = re.compile(rb'" "?([^"]+)"?$')


@contextmanager
def session(dovecot: Dovecot, user: User) -> Iterator[imaplib.IMAP4]:
    """Logged in; another client of the same mailbox."""
    with imaplib.IMAP4("127.0.0.1", dovecot.port) as imap:
        imap.login(user.name, user.password)
        yield imap


def held(dovecot: Dovecot, user: User) -> dict[str, dict[int, tuple[str, frozenset[str]]]]:
    r"""By path: UID to SHA-256 and flags without \Recent. Names must be ASCII."""
    with session(dovecot, user) as imap:
        names = [_NAME.search(line)[1].decode() for line in imap.list()[1] if b"\\Noselect" not in line]
        return {name: _mailbox(imap, name) for name in names}


def _mailbox(imap: imaplib.IMAP4, name: str) -> dict[int, tuple[str, frozenset[str]]]:
    imap.select(f'"{name}"', readonly=True)
    found: dict[int, tuple[str, frozenset[str]]] = {}
    _, answer = imap.uid("FETCH", "1:*", "(UID FLAGS BODY.PEEK[])")
    for item in answer:
        if isinstance(item, tuple):
            head, raw = item
            flags = frozenset(_FLAGS.search(head)[1].decode().split()) - {"\\Recent"}
            found[int(_UID.search(head)[1])] = sha256(raw).hexdigest(), flags
    return found
