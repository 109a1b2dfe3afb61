"""What pending requests make of a placement: shown at once, long before the server has done it (design §3)."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

DELETED = "\\Deleted"
"""What a server without MOVE has on a message while it is moved (RFC 6851 §3.3): of that nothing is shown."""


class Request(NamedTuple):
    """What one request asks of one message."""

    kind: str
    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    source: UUID | None = None
    target: UUID | None = None


class Effect(NamedTuple):
    """`wanted`: the flags with the requests applied, None when no request is about flags. `place`: None is nowhere."""

    wanted: list[str] | None
    place: UUID | None


def effect(
    flags: Collection[str], place: UUID | None, requests: Iterable[Request], mailboxes: Collection[UUID]
) -> Effect:
    """The requests applied in their order in the log to what the server has."""
    wanted: list[str] | None = None
    before = place
    for request in requests:
        if request.kind == "flags":
            wanted = flagged(flags if wanted is None else wanted, request)
        elif place is not None and request.source in (None, place):
            if request.kind == "delete":
                place = None
            elif request.target in mailboxes:
                place = request.target
    if place != before and DELETED in (flags if wanted is None else wanted):
        wanted = unmarked(flags if wanted is None else wanted)
    return Effect(wanted, place)


def unmarked(flags: Iterable[str]) -> list[str]:
    """The flags of what was moved, by those that it had where it was."""
    return sorted({*flags} - {DELETED})


def flagged(flags: Iterable[str], request: Request) -> list[str]:
    return sorted({*flags, *request.add} - {*request.remove})
