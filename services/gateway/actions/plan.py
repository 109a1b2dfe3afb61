"""What an action asks of which messages: requests by account and source mailbox, of only those that would change."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from contracts.facts import SpecialUse
from projections.mail.placements import Shown, Target
from services.gateway.actions.structs import Candidate
from services.gateway.errors import Refused, not_found

SETTABLE = re.compile(r"\\(?:Seen|Flagged|Answered)|[!#$&'+-/0-9:-@A-Z\[^_`a-z|}~]{1,100}")
r"""System flags that are the user's, and keywords (RFC 3501 §9 atom); \Deleted and \Draft are ours to set."""

DISCARDED = (SpecialUse.TRASH, SpecialUse.JUNK)
OWN = (SpecialUse.SENT, SpecialUse.DRAFTS)
"""What is the user's own stays there when a conversation is moved."""


class Wish(NamedTuple):
    """One request to be. `source`: None for wherever the messages are shown. `target`: None to delete them for ever."""

    account_id: UUID
    message_ids: list[UUID]
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    source: UUID | None = None
    target: UUID | None = None

    @property
    def flags(self) -> bool:
        return bool(self.add or self.remove)


class NoMailbox(Exception):
    """The account has none for this; nothing is moved by guess."""

    def __init__(self, use: SpecialUse, account_id: UUID, candidates: list[Candidate]) -> None:
        super().__init__(use)
        self.use = use
        self.account_id = account_id
        self.candidates = candidates


class Mailboxes:
    """Those of a user that can hold mail."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._by_id = {target.id: target for target in targets}

    def named(self, mailbox_id: UUID) -> Target:
        """Raises Refused for one that is not this user's, or can't hold mail."""
        if mailbox_id not in self._by_id:
            raise not_found("mailbox")
        return self._by_id[mailbox_id]

    def of(self, account_id: UUID, use: SpecialUse) -> Target | None:
        own = (one for one in self._by_id.values() if one.account_id == account_id and one.special_use is use)
        return next(own, None)

    def labels(self, account_id: UUID) -> bool:
        return any(one.labels for one in self._by_id.values() if one.account_id == account_id)

    def wanted(self, account_id: UUID, use: SpecialUse) -> Target:
        """Raises NoMailbox. Where mail is filed once, it is archived by being in no other mailbox."""
        found = self.of(account_id, use)
        if found is None and use is SpecialUse.ARCHIVE and self.labels(account_id):
            found = self.of(account_id, SpecialUse.ALL)
        if found is None:
            fit = (one for one in self._by_id.values() if one.account_id == account_id and one.special_use is None)
            raise NoMailbox(use, account_id, [Candidate(id=one.id, path=one.path) for one in fit])
        return found


def flags(
    placements: Sequence[Shown], add: Collection[str], remove: Collection[str], *, exact: bool = True
) -> list[Wish]:
    """A message changes by what one of its placements lacks or has too much; not `exact`: who knows, so by all of it."""
    if not (add or remove) or set(add) & set(remove) or not all(map(SETTABLE.fullmatch, (*add, *remove))):
        raise Refused(400, "invalid_flags", r"Name flags to add or to remove: \Seen, \Flagged, \Answered or keywords.")
    held: defaultdict[tuple[UUID, UUID], list[frozenset[str]]] = defaultdict(list)
    for one in placements:
        held[one.account_id, one.message_id].append(one.flags)
    changes: defaultdict[tuple[UUID, frozenset[str], frozenset[str]], list[UUID]] = defaultdict(list)
    for (account, message), each in held.items():
        missing = frozenset(add) - (frozenset.intersection(*each) if exact else frozenset())
        surplus = frozenset(remove) & (frozenset.union(*each) if exact else frozenset(remove))
        if missing or surplus:
            changes[account, missing, surplus].append(message)
    return [
        Wish(account, sorted(messages), add=missing, remove=surplus)
        for (account, missing, surplus), messages in changes.items()
    ]


def move(chosen: Sequence[Shown], threads: Sequence[Shown], target_id: UUID, mailboxes: Mailboxes) -> list[Wish]:
    """To one mailbox, whose account must be that of all that is moved."""
    target = mailboxes.named(target_id)
    if any(one.account_id != target.account_id for one in (*chosen, *threads)):
        raise Refused(409, "other_account", "Mail can be moved only within its account. Choose a mailbox of the same.")
    return moves([*chosen, *_movable(threads)], lambda _: target, mailboxes)


def archive(chosen: Sequence[Shown], threads: Sequence[Shown], mailboxes: Mailboxes) -> list[Wish]:
    """Of a conversation that was chosen in no mailbox's list, what is in the inbox goes first of all."""
    inbox = [one for one in threads if one.special_use is SpecialUse.INBOX]
    placements = [*chosen, *(_movable(threads) if any(one.listed for one in threads) else inbox or _movable(threads))]
    kept = [one for one in placements if one.special_use is SpecialUse.INBOX or not mailboxes.labels(one.account_id)]
    return moves(kept, lambda account: mailboxes.wanted(account, SpecialUse.ARCHIVE), mailboxes)


def junk(chosen: Sequence[Shown], threads: Sequence[Shown], mailboxes: Mailboxes) -> list[Wish]:
    return moves([*chosen, *_movable(threads)], lambda account: mailboxes.wanted(account, SpecialUse.JUNK), mailboxes)


def not_junk(placements: Sequence[Shown], mailboxes: Mailboxes) -> list[Wish]:
    spam = [one for one in placements if one.special_use is SpecialUse.JUNK]
    return moves(spam, lambda account: mailboxes.wanted(account, SpecialUse.INBOX), mailboxes)


def trash(placements: Sequence[Shown], mailboxes: Mailboxes) -> list[Wish]:
    """All of a conversation, the user's own letters too."""
    return moves(placements, lambda account: mailboxes.wanted(account, SpecialUse.TRASH), mailboxes)


def delete(placements: Sequence[Shown], mailboxes: Mailboxes, *, confirmed: bool) -> list[Wish]:
    """For ever: from Trash and Junk, from elsewhere only when that was confirmed."""
    gone = [
        one
        for one in placements
        if one.special_use in DISCARDED or (confirmed and not mailboxes.labels(one.account_id))
    ]
    if placements and not gone:
        raise Refused(409, "not_in_trash", "Only mail in Trash or Junk is deleted for ever. Move it there first.")
    return [
        Wish(account, messages, source=source)
        for (account, source), messages in _grouped(gone, lambda one: one.place).items()
    ]


def moves(placements: Iterable[Shown], target: Callable[[UUID], Target], mailboxes: Mailboxes) -> list[Wish]:
    """What is not there already, by where it is; to be thrown away under labels is to lose them all."""
    found = _once(placements)
    targets = {account: target(account) for account in sorted({one.account_id for one in found})}

    def source(one: Shown) -> UUID | None:
        away = targets[one.account_id].special_use in DISCARDED and one.special_use not in DISCARDED
        return None if away and mailboxes.labels(one.account_id) else one.place

    going = [one for one in found if one.place != targets[one.account_id].id]
    return [
        Wish(account, messages, source=source_id, target=targets[account].id)
        for (account, source_id), messages in _grouped(going, source).items()
    ]


def _movable(threads: Sequence[Shown]) -> Sequence[Shown]:
    """Of conversations: what the list has in which they were chosen, else what others sent, else all."""
    found = _once(threads)
    listed = [one for one in found if one.listed]
    theirs = [one for one in found if one.special_use not in (*DISCARDED, *OWN)]
    return listed or theirs or found


def _once(placements: Iterable[Shown]) -> list[Shown]:
    """Under labels a message is in the mailbox for all mail besides: that is where it is when it is nowhere else."""
    found = list(placements)
    labelled = {one.message_id for one in found if one.special_use is not SpecialUse.ALL}
    return [one for one in found if one.special_use is not SpecialUse.ALL or one.message_id not in labelled]


def _grouped(
    placements: Iterable[Shown], source: Callable[[Shown], UUID | None]
) -> Mapping[tuple[UUID, UUID | None], list[UUID]]:
    groups: defaultdict[tuple[UUID, UUID | None], set[UUID]] = defaultdict(set)
    for one in placements:
        groups[one.account_id, source(one)].add(one.message_id)
    return {key: sorted(messages) for key, messages in groups.items()}
