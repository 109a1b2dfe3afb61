"""Facts and events to JSON and back; facts of any age decode to the shapes of today."""

import functools
import operator
from typing import Any

import msgspec

from contracts import retired, subjects
from contracts.events import CATALOG, Event
from contracts.facts import Catalog, Fact


class UnknownFact(ValueError):
    """The log holds what this version can't read; nothing is folded past it."""


class MisplacedFact(ValueError):
    """A fact's body names another user or account than its subject: its writer lies or is broken."""


_encoder = msgspec.json.Encoder()
_FACTS: Any = functools.reduce(operator.or_, Catalog.ALL)  # a union made at run time
_EVENTS: Any = functools.reduce(operator.or_, CATALOG)
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
    place = subjects.parse(subject)
    if fact.user_id != place.user_id or fact.account_id != place.account_id:
        raise MisplacedFact(f"{subject} holds a fact of another account")
    return fact


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
        return fact
    except msgspec.MsgspecError as broken:
        raise UnknownFact(f"not a fact: {broken}") from broken
