"""What the log tells of an account, folded the plain way, to be compared with what the server holds."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from contracts import uidset
from contracts.facts import (
    Fact,
    FlagsChanged,
    GenerationOpened,
    MailboxFound,
    MailboxLost,
    MessageArrived,
    MessagesExpunged,
)

Placed = dict[int, tuple[str, frozenset[str]]]


def mailboxes(facts: Iterable[Fact]) -> dict[str, Placed]:
    """By path: UID to blob and flags, of the newest generation of each mailbox that can be read."""
    paths: dict[UUID, str] = {}
    generation: dict[UUID, int] = {}
    placed: dict[UUID, Placed] = {}
    for fact in facts:
        match fact:
            case MailboxFound():
                paths[fact.mailbox_id] = fact.path
            case MailboxLost():
                del paths[fact.mailbox_id]
            case GenerationOpened():
                generation[fact.mailbox_id], placed[fact.mailbox_id] = fact.generation, {}
            case MessageArrived() | FlagsChanged() | MessagesExpunged():
                if fact.generation == generation[fact.mailbox_id]:
                    _tell(placed[fact.mailbox_id], fact)
    return {path: placed[mailbox] for mailbox, path in paths.items() if mailbox in placed}


def _tell(here: Placed, fact: MessageArrived | FlagsChanged | MessagesExpunged) -> None:
    match fact:
        case MessageArrived():
            here[fact.uid] = fact.blob, frozenset(fact.flags)
        case FlagsChanged():
            for group in fact.groups:
                for uid in set(uidset.expand(group.uids)) & here.keys():
                    here[uid] = here[uid][0], frozenset(group.flags)
        case MessagesExpunged():
            for low, high in uidset.ranges(fact.uids):
                for uid in [uid for uid in here if low <= uid <= high]:
                    del here[uid]


def repeated(facts: Iterable[Fact]) -> list[object]:
    """Arrivals told more than once; there must be none."""
    arrivals = Counter((f.mailbox_id, f.generation, f.uid) for f in facts if isinstance(f, MessageArrived))
    return [arrival for arrival, count in arrivals.items() if count > 1]
