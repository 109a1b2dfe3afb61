"""Which listed mailbox is which known one, and what each is for: decided by what the server says, not by when it says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from contracts.facts import SpecialUse
from contracts.provider import RemoteMailbox
from services.sync.cursor import Cursor

Pair = tuple[Cursor, RemoteMailbox]


class Pairs(NamedTuple):
    """Mailboxes that are there, those listed for the first time, and those listed no more."""

    pairs: list[Pair]
    fresh: list[RemoteMailbox]
    gone: list[Cursor]


def paired(listed: Iterable[RemoteMailbox], known: Iterable[Cursor]) -> Pairs:
    """By what the server calls a mailbox through renames (RFC 8474 §4); by path, where the numbering agrees; by a numbering
    that only one other has, which a rename keeps (RFC 3501 §6.3.5); and by path alone, numbered anew.
    """
    found = Pairs([], list(listed), list(known))
    _pair(found, lambda one, remote: bool(remote.remote_id) and one.mailbox.remote_id == remote.remote_id)
    _pair(found, lambda one, remote: _named_alike(one, remote) and _numbered_alike(one, remote) is not False)
    for remote in list(found.fresh):
        before = [one for one in found.gone if _numbered_alike(one, remote) and not _contradict(one, remote)]
        after = [other for other in found.fresh if _validity(other) == _validity(remote)]
        if len(before) == len(after) == 1:
            _take(found, before[0], remote)
    _pair(found, _named_alike)
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


def _pair(found: Pairs, alike: Callable[[Cursor, RemoteMailbox], bool]) -> None:
    for remote in list(found.fresh):
        one = next((one for one in found.gone if alike(one, remote)), None)
        if one is not None:
            _take(found, one, remote)


def _take(found: Pairs, one: Cursor, remote: RemoteMailbox) -> None:
    found.pairs.append((one, remote))
    found.fresh.remove(remote)
    found.gone.remove(one)


def _named_alike(one: Cursor, remote: RemoteMailbox) -> bool:
    return one.mailbox.path == remote.path and not _contradict(one, remote)


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
