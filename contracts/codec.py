"""Facts and events to JSON and back; facts of any age decode to the shapes of today."""

import functools
import operator
from typing import Any

import msgspec

from contracts import retired, subjects
from contracts.events import CATALOG, Event
from contracts.facts import Catalog, Fact, MailboxMarked


class UnknownFact(ValueError):
    """The log holds what this version can't read; nothing is folded past it."""


class MisplacedFact(ValueError):
    """A fact's body belongs on another subject than it stands on: its writer lies or is broken."""


_encoder = msgspec.json.Encoder()
_FACTS: Any = functools.reduce(operator.or_, Catalog.ALL)  # a union made at run time
_EVENTS: Any = functools.reduce(operator.or_, CATALOG)
_FIXED: dict[type[Fact], str] = {
    kind: rest
    for kinds, rest in (
        (Catalog.ACCOUNT, "account"),
        (Catalog.LEASE, "sync.lease"),
        (Catalog.STATE, "sync.account"),
        (Catalog.REQUEST, "request"),
        (Catalog.OUTCOME, "outcome"),
    )
    for kind in kinds
}
_facts: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(_FACTS)
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(_EVENTS)


def encode(message: Fact | Event) -> bytes:
    """JSON with its tag; fields that have their default are left out of facts."""
    return _encoder.encode(message)


def decode(data: bytes) -> Fact:
    """The fact in today's shape. Raises UnknownFact."""
    try:
        return _facts.decode(data)
    except msgspec.MsgspecError as error:
        return _decode_retired(data, error)


def decode_at(subject: str, data: bytes) -> Fact:
    """The fact that stands on `subject`. Raises UnknownFact, MisplacedFact."""
    fact = decode(data)
    check_place(subject, fact)
    return fact


def check_place(subject: str, fact: Fact) -> None:
    """Raise MisplacedFact unless the fact is of the subject's account and of a kind that stands there."""
    place = _place(subject)
    if fact.user_id != place.user_id or fact.account_id != place.account_id:
        raise MisplacedFact(f"{subject} holds a fact of another account")
    if not _stands_on(place.rest, fact):
        raise MisplacedFact(f"{subject} is no place for a {type(fact).__name__}")


@functools.lru_cache(maxsize=4096)
def _place(subject: str) -> subjects.Subject:
    """Consecutive facts mostly stand on few subjects."""
    return subjects.parse(subject)


def _stands_on(rest: str, fact: Fact) -> bool:
    kind = type(fact)
    fixed = _FIXED.get(kind)
    if fixed is not None:
        return rest == fixed
    if kind in Catalog.SEND:
        return rest == f"send.{fact.outbox_id}"  # type: ignore[attr-defined] # all sends have it
    if isinstance(fact, MailboxMarked):
        return rest == f"sync.{fact.mailbox_id}.mark"
    mailbox = getattr(fact, "mailbox_id", None)  # a changed content is of a message, wherever it was seen
    return rest == f"sync.{mailbox}" if mailbox else rest.startswith("sync.") and rest.count(".") == 1


def decode_event(data: bytes) -> Event:
    """An event of the catalog. Raises UnknownFact."""
    try:
        return _events.decode(data)
    except msgspec.MsgspecError as error:
        raise UnknownFact(f"no event of the catalog: {error}") from error


def _decode_retired(data: bytes, error: msgspec.MsgspecError) -> Fact:
    try:
        body = msgspec.json.decode(data, type=dict[str, object])
        tag = str(body.get("type"))
        upcast = retired.UPCASTS.get(tag)
        if upcast is None:
            raise UnknownFact(f"no fact of this version: {error}") from error
        fact: Fact = msgspec.convert(upcast(body), _FACTS)
    except msgspec.MsgspecError as broken:
        raise UnknownFact(f"not a fact: {broken}") from broken
    return fact
