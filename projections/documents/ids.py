"""Message ids (RFC 5322 §3.6.4), normalised so that two mailers' spellings of one id are equal."""

import re
from collections.abc import Collection

from projections.documents.words import unstructured

MAX_IDS = 1_000
_FIRST = 10  # of a longer list, the ids that are kept beside the last ones
_MAX_LENGTH = 998  # RFC 5322 §2.1.1
_BRACKETED = re.compile(r"<([^<>]*+)>")
_WHITE_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"\([^()]*+\)")
_SEPARATOR = re.compile(r"[\s,;]+")
_BARE = re.compile(r"[^\s@<>\"()]+@[^\s@<>\"()]+")


def parse(values: Collection[bytes], addresses: Collection[str] = ()) -> list[str]:
    """The ids of a field, in order, each once; an address of the message, or what has no "@", names no message.

    Of more than `MAX_IDS` the first and the last: the root of the conversation and what is nearest (RFC 5322 §3.6.4).
    """
    found: dict[str, None] = {}
    for value in values:
        for text in _candidates(unstructured(value, "")):
            if (usable := normalise(text)) and usable.lower() not in addresses:
                found[usable] = None
    return ends(list(found))


def ends(found: list[str]) -> list[str]:
    """All of them, or the first and the last of too many."""
    return found if len(found) <= MAX_IDS else [*found[:_FIRST], *found[_FIRST - MAX_IDS :]]


def _candidates(text: str) -> list[str]:
    """What stands in brackets; bare ids only when the whole value is ids."""
    if bracketed := _BRACKETED.findall(text):
        return bracketed
    bare = [word for word in _SEPARATOR.split(_COMMENT.sub(" ", text).strip("<> ")) if word]
    return bare if all(_BARE.fullmatch(word) for word in bare) else []


def normalise(text: str) -> str | None:
    """Without white space and needless quotes, the domain in lower case; the local part keeps its case."""
    local, at, domain = _WHITE_SPACE.sub("", text).rpartition("@")
    if not at or not local or len(local) + len(domain) > _MAX_LENGTH:
        return None
    if len(local) > 2 and local[0] == local[-1] == '"':
        local = local[1:-1]
    return f"{local}@{domain.lower()}"


def content_id(value: bytes | None) -> str | None:
    """A Content-ID (RFC 2045 §7), which links name without its brackets."""
    if value is None:
        return None
    return unstructured(value, "").strip().removeprefix("<").removesuffix(">").strip()[:_MAX_LENGTH] or None
