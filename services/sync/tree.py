"""Which listed mailbox is which known one, and what each is for: decided by what the server says, not by when it says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from contracts.facts import SpecialUse
from contracts.provider import RemoteMailbox
from services.sync.cursor import Cursor

Pair = tuple[Cursor, RemoteMailbox]


class Pairs(NamedTuple):
    """Mailboxes that are there, those listed for the first time, by path, and those listed no more, by id."""

    pairs: list[Pair]
    fresh: dict[str, RemoteMailbox]
    gone: dict[UUID, Cursor]

    def take(self, one: Cursor, remote: RemoteMailbox) -> None:
        self.pairs.append((one, remote))
        del self.fresh[remote.path], self.gone[one.mailbox.id]


def paired(listed: Iterable[RemoteMailbox], known: Iterable[Cursor]) -> Pairs:
    """By what the server calls a mailbox through renames (RFC 8474 §4); by path, where the numbering agrees; by a numbering
    that only one other has, which a rename keeps (RFC 3501 §6.3.5); and by path alone, numbered anew.
    """
    found = Pairs([], {remote.path: remote for remote in listed}, {one.mailbox.id: one for one in known})
    named = {one.mailbox.remote_id: one for one in found.gone.values() if one.mailbox.remote_id}
    for remote in list(found.fresh.values()):
        if remote.remote_id in named:
            found.take(named.pop(remote.remote_id), remote)
    _pair_by_path(found, lambda one, remote: _numbered_alike(one, remote) is not False)
    for remote in list(found.fresh.values()):
        before = [one for one in found.gone.values() if _numbered_alike(one, remote) and not _contradict(one, remote)]
        after = [other for other in found.fresh.values() if _validity(other) == _validity(remote)]
        if len(before) == len(after) == 1:
            found.take(before[0], remote)
    _pair_by_path(found, lambda _one, _remote: True)
    return found


def uses(
    listed: Sequence[RemoteMailbox], pairs: Iterable[Pair], chosen: Mapping[SpecialUse, UUID]
) -> Mapping[str, SpecialUse]:
    """By path: as the server says, then as the owner of the account chose, then as the names suggest."""
    said = {remote.path: remote.special_use for remote in listed if remote.special_use and not remote.guessed}
    paths = {one.mailbox.id: remote.path for one, remote in pairs if remote.selectable}
    for use, mailbox in chosen.items():
        path = paths.get(mailbox)
        if path is not None and path not in said and use not in said.values():
            said[path] = use
    for remote in listed:
        if remote.special_use and remote.path not in said and remote.special_use not in said.values():
            said[remote.path] = remote.special_use
    return said


def views(listed: Iterable[RemoteMailbox]) -> frozenset[str]:
    """Of a server with labels, the paths that show mail by something else: what is beside All Mail and has no use."""
    known = list(listed)
    everything = next((remote for remote in known if remote.special_use is SpecialUse.ALL), None)
    if everything is None or not everything.delimiter or everything.delimiter not in everything.path:
        return frozenset()
    beside = everything.path.rpartition(everything.delimiter)[0] + everything.delimiter
    return frozenset(remote.path for remote in known if remote.path.startswith(beside) and remote.special_use is None)


def _pair_by_path(found: Pairs, alike: Callable[[Cursor, RemoteMailbox], bool]) -> None:
    paths = {one.mailbox.path: one for one in found.gone.values()}
    for remote in list(found.fresh.values()):
        one = paths.get(remote.path)
        if one is not None and not _contradict(one, remote) and alike(one, remote):
            found.take(one, remote)


def _contradict(one: Cursor, remote: RemoteMailbox) -> bool:
    """The server calls them differently: one was deleted, and another made."""
    return bool(one.mailbox.remote_id and remote.remote_id) and one.mailbox.remote_id != remote.remote_id


def _numbered_alike(one: Cursor, remote: RemoteMailbox) -> bool | None:
    """None when nobody can say."""
    if not one.opened or remote.status is None or not remote.status.uidvalidity:
        return None
    return one.mark.uidvalidity == remote.status.uidvalidity and remote.status.uidnext > one.mark.high_uid


def _validity(remote: RemoteMailbox) -> int | None:
    return remote.status.uidvalidity if remote.status else None
