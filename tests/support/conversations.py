"""The vectors of `fixtures/threads`, and folding them with nothing but `projections.mail.threads`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from contracts import ids
from projections.documents.document import Document
from projections.mail import threads
from projections.mail.threads import Letter, Member, Neighbour, Ref, Split, State

FIXTURES = Path(__file__).parent.parent / "fixtures" / "threads"
USER = UUID(int=1)

Groups = set[frozenset[str]]


def vectors() -> list[dict[str, Any]]:
    return json.loads((FIXTURES / "vectors.json").read_text(encoding="utf-8"))


def groups(expected: Iterable[Iterable[str]]) -> Groups:
    return {frozenset(keys) for keys in expected}


def split(vector: Mapping[str, Any]) -> Split:
    """The mode that a vector is for."""
    return Split.NEW_TOPIC if vector.get("policy", "").startswith("split") else Split.NEVER


def message_id(key: str) -> UUID:
    return uuid5(USER, key)


def raw(message: Mapping[str, Any]) -> bytes:
    """The message as a server would have it."""
    fields = {
        "Message-ID": message["message_id"],
        "In-Reply-To": message["in_reply_to"],
        "References": message["references"],
        "Subject": message["subject"],
        "From": message["from"],
        "To": ", ".join(message["to"]),
        "Date": datetime.fromisoformat(message["date"]).strftime("%d %b %Y %H:%M:%S +0000"),
    }
    header = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"{header}\r\n{message['key']}\r\n".encode()


class Mailbag:
    """What the `mail` projection stores of conversations, kept in memory."""

    def __init__(self, split: Split = Split.NEVER, *, fallback: bool = True) -> None:
        self.split, self.fallback = split, fallback
        self.letters: dict[UUID, Letter] = {}
        self.threads: dict[UUID, UUID] = {}
        self.keys: dict[UUID, tuple[UUID, ...]] = {}
        self.refs: dict[UUID, Ref] = {}
        self.answers: dict[UUID, tuple[UUID, datetime]] = {}

    def tell(self, documents: Sequence[tuple[str, Document]]) -> None:
        """One batch."""
        start = len(self.letters)
        letters = [self.letter(message_id(key), start + n, document) for n, (key, document) in enumerate(documents)]
        joined = threads.join(letters, State(self.refs, self.opened(), self.neighbours(letters)))
        self.letters |= {one.message_id: one for one in letters}
        self.keys |= joined.keys
        self.answers |= joined.answers
        self.refs |= joined.refs
        self.threads |= joined.threads
        self.repoint(joined.merged)
        for thread in joined.loosened:
            self.regroup(thread)

    def letter(self, message: UUID, sequence: int, document: Document) -> Letter:
        assert document.date is not None
        one = threads.letter(USER, message, document, sequence=sequence, sent_at=document.date, split=self.split)
        return one if self.fallback else one._replace(answering=False)

    def opened(self) -> dict[UUID, int]:
        opened: dict[UUID, int] = {}
        for message, thread in self.threads.items():
            sequence = self.letters[message].sequence
            opened[thread] = min(opened.get(thread, sequence), sequence)
        return opened

    def neighbours(self, letters: Sequence[Letter]) -> list[Neighbour]:
        bases = {one.base for one in letters}
        return [
            Neighbour(
                one.message_id, self.threads[one.message_id], one.sent_at, one.base, one.people, one.answering,
                *self.answers.get(one.message_id, (None, None)),
            )
            for one in self.letters.values()
            if one.base is not None and one.base in bases
        ]  # fmt: skip

    def repoint(self, merged: Mapping[UUID, UUID]) -> None:
        self.threads = {message: merged.get(thread, thread) for message, thread in self.threads.items()}
        self.refs = {ref: one._replace(thread=merged.get(one.thread, one.thread)) for ref, one in self.refs.items()}

    def regroup(self, thread: UUID) -> None:
        members = [
            Member(message, self.letters[message].sequence, self.keys[message], self.answers.get(message, (None,))[0])
            for message, at in self.threads.items()
            if at == thread
        ]
        for message, first in threads.regroup(members).items():
            self.threads[message] = ids.thread_id(USER, first.message_id)
            for ref in self.keys[message]:
                self.refs[ref] = self.refs[ref]._replace(thread=self.threads[message])

    def groups(self, keys: Iterable[str]) -> Groups:
        by_thread: dict[UUID, set[str]] = {}
        for key in keys:
            by_thread.setdefault(self.threads[message_id(key)], set()).add(key)
        return groups(by_thread.values())
