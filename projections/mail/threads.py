"""Which conversation a message belongs to (§7): decided from the messages alone, whatever the order they arrive in.

Messages are joined by every id that they are or mention, also ids never seen as a message; a reply that mentions none
is joined by its subject. So the conversations are the connected components of a graph. The graph is a function of the
set of messages (only which of two different mails keeps a reused Message-ID is decided by the log), and a conversation is
named after the first of its messages in the log.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID

from contracts import ids
from projections.documents.document import Document
from projections.mail import subject

FALLBACK = timedelta(days=7)
MOST_MENTIONS = 100  # of the References of one message: the first and the last ones


Refs = tuple[UUID, ...]
"""`ids.thread_ref`s."""


class Split(Enum):
    """When messages that name each other are kept apart all the same."""

    NEVER = auto()
    NEW_TOPIC = auto()  # another subject, and no prefix that says that it answers or forwards
    GMAIL = auto()  # another base subject


class Letter(NamedTuple):
    """What joining knows of one message."""

    user_id: UUID
    message_id: UUID
    sequence: int
    thread: UUID  # which it opens when it joins none
    own: Refs  # its Message-ID; empty without a usable one
    copy: str  # which only copies of the same bytes share
    mentions: Refs
    claims: frozenset[int]  # what two copies of one mail have in common, and two mails with one Message-ID have not
    sent_at: datetime
    base: int | None  # hash of the base subject; None when that is empty
    people: frozenset[int]  # hashes of its addresses, without mailing lists
    answering: bool  # to be joined by its subject

    @property
    def unique(self) -> UUID:
        """The ref of a letter that bears no Message-ID. A normalised id has no space, so no message can mention it."""
        return ids.thread_ref(self.user_id, f"copy of {self.copy}")


class Ref(NamedTuple):
    """An id that some message is or mentions. `claims`: of the message that is it; empty while it is only mentioned."""

    thread: UUID
    claims: frozenset[int]


class Neighbour(NamedTuple):
    """A stored message with the base subject of an arriving one. `answers`: what it was joined to by its subject."""

    message_id: UUID
    thread: UUID
    sent_at: datetime
    base: int
    people: frozenset[int]
    answering: bool
    answers: UUID | None
    answered_at: datetime | None


class Member(NamedTuple):
    """A stored message of a conversation that may have fallen apart."""

    message_id: UUID
    sequence: int
    keys: Sequence[UUID]
    answers: UUID | None


class State(NamedTuple):
    """What is stored about the arriving letters' refs, their `uniques` and subjects. `opened`: a thread's first sequence."""

    refs: Mapping[UUID, Ref]
    opened: Mapping[UUID, int]
    neighbours: Sequence[Neighbour] = ()


class Joined(NamedTuple):
    """What is to be stored."""

    threads: dict[UUID, UUID]  # by message, the arriving ones
    keys: dict[UUID, Refs]  # by message, the refs that it stands for
    refs: dict[UUID, Ref]  # new, or claimed now
    merged: dict[UUID, UUID]  # threads that are gone, to the one that took them
    answers: dict[UUID, tuple[UUID, datetime]]  # by message, new or changed: what it answers and when that was sent
    loosened: set[UUID]  # threads in which something no longer answers what it did: see `regroup`


def letter(
    user_id: UUID,
    message_id: UUID,
    document: Document,
    *,
    sequence: int,
    sent_at: datetime,
    split: Split = Split.NEVER,
) -> Letter:
    """What of a document counts. Ids are those that the parser left: with `@`, and no address of the message."""
    parsed = subject.parse(document.subject)
    mentioned = [*document.in_reply_to[:MOST_MENTIONS], *document.references]
    if len(mentioned) > MOST_MENTIONS:
        mentioned = [*mentioned[:2], *mentioned[2 - MOST_MENTIONS :]]
    refs = tuple({ids.thread_ref(user_id, one): None for one in mentioned})
    own: Refs = (ids.thread_ref(user_id, document.message_id),) if document.message_id else ()
    own, mentions = kept_apart(own, refs, parsed, split)
    base = digest(parsed.base) if parsed.base else None
    return Letter(
        user_id=user_id,
        message_id=message_id,
        sequence=sequence,
        thread=ids.thread_id(user_id, message_id),
        own=own,
        copy=document.synthetic_id or str(message_id),
        mentions=mentions,
        claims=claims(parsed.base, document),
        sent_at=sent_at,
        base=base,
        people=people(document),
        answering=parsed.reply and base is not None and not refs,
    )


def kept_apart(own: Refs, mentions: Refs, parsed: subject.Subject, split: Split) -> tuple[Refs, Refs]:
    """Refs that join only what `split` allows: a ref under a base subject joins messages of that subject."""
    if split is Split.NEVER:
        return own, mentions
    own_here, mentions_here = (tuple(ids.named(ref, parsed.base) for ref in refs) for refs in (own, mentions))
    if split is Split.GMAIL:
        return own_here, mentions_here
    return own + own_here, (mentions + mentions_here if parsed.reply or parsed.forward else mentions_here)


def claims(base: str, document: Document) -> frozenset[int]:
    """The sender with the subject, and with the text, which a list that changes the subject leaves alone.

    A list that writes its own address into From moves the sender's to Reply-To.
    """
    senders = {one.email.lower() for one in (*document.from_[:1], *document.reply_to[:1])} or {""}
    said = [f"subject:{base}", *([f"text:{document.snippet}"] if document.snippet else [])]
    return frozenset(digest(f"{sender}\n{words}") for sender in senders for words in said)


def people(document: Document) -> frozenset[int]:
    """Who wrote and who was written to. Everyone shares a list's address, so it says nothing (RFC 2369, RFC 2919)."""
    addresses = {one.email.lower() for one in (*document.from_, *document.to, *document.cc)} - {""}
    post = (document.list_post or "").lower()
    list_id = (document.list_id or "").lower()
    if post or list_id:
        addresses = {one for one in addresses if one not in post and f"<{one.replace('@', '.')}>" not in list_id}
    return frozenset(map(_digest_of_address, addresses))


def digest(text: str) -> int:
    """Enough to compare by, and nothing of the mail: 64 bits, signed as Postgres has them."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


_digest_of_address = lru_cache(maxsize=10_000)(digest)  # the same few people write again and again


def uniques(letters: Sequence[Letter], refs: Mapping[UUID, Ref]) -> list[UUID]:
    """The refs of letters that may not bear their Message-ID: they have none, or another one has it too."""
    borne = Counter(ref for one in letters for ref in one.own)
    return [
        one.unique
        for one in letters
        if not one.own or any(borne[ref] > 1 or (ref in refs and refs[ref].claims) for ref in one.own)
    ]


def join(letters: Sequence[Letter], state: State) -> Joined:
    """Joins letters, in log order and none of them stored before, to what is stored and to each other."""
    forest = Forest(state.opened)
    known = dict(state.refs)
    threads: dict[UUID, UUID] = {}
    keys: dict[UUID, Refs] = {}
    refs: dict[UUID, Ref] = {}
    for one in letters:
        thread = threads[one.message_id] = forest.open(one)
        own = one.own if all(is_copy(known.get(ref), one) for ref in one.own) else ()
        keys[one.message_id] = tuple(dict.fromkeys((*(own or (one.unique,)), *one.mentions)))
        for ref in keys[one.message_id]:
            stored = known.get(ref)
            if stored is not None:
                forest.join(stored.thread, thread)
            if stored is None or (ref in own and not stored.claims):
                known[ref] = refs[ref] = Ref(thread, one.claims if ref in own else frozenset())
    answers, loosened = answered(letters, threads, state.neighbours, forest)
    return Joined(
        threads={message: forest.root(thread) for message, thread in threads.items()},
        keys=keys,
        refs={ref: Ref(forest.root(stored.thread), stored.claims) for ref, stored in refs.items()},
        merged={thread: forest.root(thread) for thread in state.opened if forest.root(thread) != thread},
        answers=answers,
        loosened={forest.root(thread) for thread in loosened},
    )


def is_copy(stored: Ref | None, one: Letter) -> bool:
    """Whether the Message-ID is this letter's to bear: nobody bears it yet, or a copy of the same mail."""
    return stored is None or not stored.claims or not stored.claims.isdisjoint(one.claims)


def answered(
    letters: Sequence[Letter], threads: Mapping[UUID, UUID], neighbours: Sequence[Neighbour], forest: "Forest"
) -> tuple[dict[UUID, tuple[UUID, datetime]], set[UUID]]:
    """Join replies that mention no id to the newest earlier message of their subject that shares a person.

    An arriving message may be newer than what a stored reply was joined to: then that reply moves, and its thread is
    loosened. A stored reply was joined to the newest of what is stored, so only newer ones matter.
    """
    bases = {one.base for one in letters if one.answering} | {one.base for one in neighbours if one.answering}
    arriving = [
        Neighbour(one.message_id, threads[one.message_id], one.sent_at, one.base, one.people, one.answering, None, None)
        for one in letters
        if one.base is not None and one.base in bases
    ]
    by_base: dict[int, list[Neighbour]] = defaultdict(list)
    for one in sorted((*neighbours, *arriving), key=lambda one: (one.sent_at, one.message_id)):
        by_base[one.base].append(one)
    answers: dict[UUID, tuple[UUID, datetime]] = {}
    loosened: set[UUID] = set()
    for group in by_base.values():
        for at, reply in enumerate(group):
            if not reply.answering:
                continue
            original = newest_before(reply, group[:at])
            if original is None or original.message_id == reply.answers:
                continue
            answers[reply.message_id] = (original.message_id, original.sent_at)
            forest.join(original.thread, reply.thread)
            if reply.answers is not None:
                loosened.add(reply.thread)
    return answers, loosened


def newest_before(reply: Neighbour, earlier: Sequence[Neighbour]) -> Neighbour | None:
    for one in reversed(earlier):
        if reply.sent_at - one.sent_at > FALLBACK:
            return None
        if reply.answers and reply.answered_at and (one.sent_at, one.message_id) < (reply.answered_at, reply.answers):
            return None
        if not reply.people.isdisjoint(one.people):
            return one
    return None


def regroup(members: Iterable[Member]) -> dict[UUID, Member]:
    """The conversations that some messages make, each message mapped to the first of its own in the log."""
    members = sorted(members, key=lambda one: one.sequence)
    forest = Forest({one.message_id: one.sequence for one in members})
    first: dict[UUID, UUID] = {}
    for one in members:
        for key in one.keys:
            forest.join(first.setdefault(key, one.message_id), one.message_id)
    for one in members:
        if one.answers in forest.opened:
            forest.join(one.answers, one.message_id)
    by_id = {one.message_id: one for one in members}
    return {one.message_id: by_id[forest.root(one.message_id)] for one in members}


class Forest:
    """Disjoint sets of threads; the one opened first in the log stands for its set."""

    def __init__(self, opened: Mapping[UUID, int]) -> None:
        self.opened = dict(opened)
        self._parent: dict[UUID, UUID] = {}

    def open(self, one: Letter) -> UUID:
        """A thread of its own, to begin with."""
        self.opened[one.thread] = one.sequence
        return one.thread

    def root(self, thread: UUID) -> UUID:
        parent = self._parent
        root = thread
        while (above := parent.get(root)) is not None:
            root = above
        while thread != root:
            parent[thread], thread = root, parent[thread]
        return root

    def join(self, one: UUID, other: UUID) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            first, later = (one, other) if self.opened[one] < self.opened[other] else (other, one)
            self._parent[later] = first
