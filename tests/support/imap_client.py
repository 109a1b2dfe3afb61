"""Another program at the same mailbox: changes mail through the standard library's client while ours looks on."""

import imaplib
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.dovecot import User


@contextmanager
def other_client(
    port: int, user: User, mailbox: str | None = "INBOX", host: str = "127.0.0.1"
) -> Iterator[imaplib.IMAP4]:
    with imaplib.IMAP4(host, port, timeout=20) as client:
        client.login(user.name, user.password)
        if mailbox is not None:
            client.select(mailbox)
        yield client
