"""What a server of labels shows, as placements under All Mail's UIDs; and what must never be told."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from contracts import uidset
from contracts.facts import Fact, MailboxLost, MessageArrived, MessagesExpunged
from tests.support.gmail_store import ALL, SPAM, TRASH, Gmail

VIEWS = frozenset({"[Gmail]/Starred"})
"""What has no placements of its own."""


def truth(server: Gmail) -> Mapping[str, Mapping[int, frozenset[str]]]:
    """By path: UIDs and flags."""
    found: dict[str, dict[int, frozenset[str]]] = {}
    for path in server.mailboxes.keys() - VIEWS:
        place = server.mailboxes[path if path in (SPAM, TRASH) else ALL]
        shown = [message for message in server.messages if message.shown_in(path)]
        found[path] = {place.uid(message): frozenset(message.flags) for message in shown}
    return found


def counts(server: Gmail) -> Mapping[str, tuple[int, int]]:
    """By path: how many messages it shows, and how many of them are not read."""
    found = {}
    for path in server.mailboxes:
        shown = [one for one in server.messages if one.shown_in(path) and path not in VIEWS]
        found[path] = (len(shown), len([one for one in shown if "\\Seen" not in one.flags]))
    return found


def told_twice(facts: Iterable[Fact]) -> list[MessageArrived]:
    """Arrivals of what was there already. A label may come back, under the UID that it had."""
    there: set[tuple[UUID, int, int]] = set()
    twice = []
    for fact in facts:
        match fact:
            case MessageArrived():
                key = (fact.mailbox_id, fact.generation, fact.uid)
                twice += [fact] if key in there else []
                there.add(key)
            case MessagesExpunged():
                there -= {(fact.mailbox_id, fact.generation, uid) for uid in uidset.expand(fact.uids)}
            case MailboxLost():
                there = {key for key in there if key[0] != fact.mailbox_id}
    return twice
