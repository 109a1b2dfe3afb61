"""One Gmail account's mail, in memory: one message a mail, and labels that look like mailboxes.

All Mail holds everything but Spam and Trash. A message has a UID of its own in each mailbox that shows it, and a new one
whenever it comes back. What goes to Trash or Spam loses its labels. Every change of flags or labels moves MODSEQ.
"""

import asyncio
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tests.support.dovecot import BASE_DATE

INBOX, ALL, SPAM, TRASH = "INBOX", "[Gmail]/All Mail", "[Gmail]/Spam", "[Gmail]/Trash"
SYSTEM = {  # path: the label that shows a message there, and what LIST says
    INBOX: ("\\Inbox", b"\\HasNoChildren"),
    ALL: ("", b"\\All \\HasNoChildren"),
    "[Gmail]/Sent Mail": ("\\Sent", b"\\Sent \\HasNoChildren"),
    "[Gmail]/Drafts": ("\\Draft", b"\\Drafts \\HasNoChildren"),
    "[Gmail]/Starred": ("\\Starred", b"\\Flagged \\HasNoChildren"),
    SPAM: ("\\Spam", b"\\Junk \\HasNoChildren"),
    TRASH: ("\\Trash", b"\\Trash \\HasNoChildren"),
}
HEADER = re.compile(rb"(?im)^(message-id|in-reply-to|references):[ \t]*(.*(?:\r?\n[ \t].*)*)")


@dataclass(eq=False)
class Message:
    r"""`place` is All Mail, Spam or Trash. `labels` are paths, system ones as `\Inbox`."""

    msgid: int
    thrid: int
    raw: bytes
    date: datetime
    flags: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    place: str = ALL
    modseq: int = 0

    def shown_in(self, path: str) -> bool:
        if path in (ALL, SPAM, TRASH):
            return self.place == path
        return self.place == ALL and label_of(path) in self.labels


def label_of(path: str) -> str:
    return SYSTEM[path][0] if path in SYSTEM else path


class Mailbox:
    def __init__(self, path: str, uidvalidity: int) -> None:
        self.path = path
        self.uidvalidity = uidvalidity
        self.uidnext = 1
        self.modseq = 1
        self.held: dict[int, Message] = {}
        self.deleted: set[int] = set()

    def uid(self, message: Message) -> int | None:
        return next((uid for uid, held in self.held.items() if held is message), None)


class Gmail:
    """Whoever changes mail does it here; `listeners` are set at every change."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.mailboxes = {path: Mailbox(path, number) for number, path in enumerate(SYSTEM, 1)}
        self.listeners: set[asyncio.Event] = set()
        self._counter = itertools.count(2)
        self._ids = itertools.count(1_700_000_000_000_000_001)

    def deliver(
        self, raw: bytes, *labels: str, flags: Iterable[str] = (), place: str = ALL, date: datetime = BASE_DATE
    ) -> Message:
        """A new message, in its thread; in the inbox if no label is given and it belongs to All Mail."""
        msgid = next(self._ids)
        thread = next((other.thrid for other in reversed(self.messages) if related(raw, other.raw)), msgid)
        message = Message(msgid, thread, raw, date, set(flags))
        self.messages.append(message)
        shown = set(labels) if labels or place != ALL else {"\\Inbox"}
        self.change(message, add=shown, place=place)
        return message

    def change(
        self, message: Message, *, add: Iterable[str] = (), remove: Iterable[str] = (), place: str | None = None
    ) -> None:
        r"""Labels, and where it is. `\Trash` and `\Spam` are places."""
        added = set(add)
        place = place or (TRASH if "\\Trash" in added else SPAM if "\\Spam" in added else None)
        if place is not None and place != message.place:
            message.labels.clear()
            message.place = place
        for label in added - {"\\Trash", "\\Spam"}:
            self.create(label)
            message.labels.add(label)
        message.labels.difference_update(remove)
        self.touch(message)

    def flag(self, message: Message, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        message.flags = (message.flags | set(add)) - set(remove)
        if "\\Flagged" in {*add, *remove}:
            (message.labels.add if "\\Flagged" in message.flags else message.labels.discard)("\\Starred")
        self.touch(message)

    def expunge(self, message: Message) -> None:
        """For ever."""
        self.messages.remove(message)
        message.place = ""
        self.touch(message)

    def create(self, label: str) -> None:
        if not label.startswith("\\") and label not in self.mailboxes:
            self.mailboxes[label] = Mailbox(label, len(self.mailboxes) + 1)

    def touch(self, message: Message) -> None:
        """Shows it where it belongs now, under a new UID where it was not, and tells everyone."""
        message.modseq = next(self._counter)
        for mailbox in self.mailboxes.values():
            uid = mailbox.uid(message)
            if uid is None and message.shown_in(mailbox.path):
                mailbox.held[mailbox.uidnext] = message
                mailbox.uidnext += 1
            elif uid is not None and not message.shown_in(mailbox.path):
                del mailbox.held[uid]
                mailbox.deleted.discard(uid)
            elif uid is None:
                continue
            mailbox.modseq = message.modseq
        for listener in self.listeners:
            listener.set()


def related(raw: bytes, other: bytes) -> bool:
    mentioned = b" ".join(value for name, value in HEADER.findall(raw) if name.lower() != b"message-id").split()
    return any(value.strip() in mentioned for name, value in HEADER.findall(other) if name.lower() == b"message-id")


def message_id(raw: bytes) -> bytes:
    return next((value for name, value in HEADER.findall(raw) if name.lower() == b"message-id"), b"")
