"""UID SEARCH (RFC 3501 §6.4.4), as one compact set where the server can (RFC 4731)."""

from array import array
from itertools import pairwise

from contracts import uidset
from services.mail.imap import errors, parse
from services.mail.imap.names import Literal
from services.mail.imap.session import Session

MAX_MATCHES = 20_000_000  # 80 MB; a range of a hostile server may name four milliards


async def search(session: Session, *criteria: bytes | Literal) -> "array[int]":
    """UIDs that match, ascending, each once."""
    if session.can("ESEARCH"):
        return await session.using("ESEARCH", lambda: _extended(session, *criteria), lambda: _plain(session, *criteria))
    return await _plain(session, *criteria)


async def _extended(session: Session, *criteria: bytes | Literal) -> "array[int]":
    found = await _ask(session, b"RETURN (ALL)", *criteria)
    if found is None:  # which RFC 4731 §3.1 doesn't allow: nothing found is told too
        raise errors.protocol("a search without a result")
    return found


async def _plain(session: Session, *criteria: bytes | Literal) -> "array[int]":
    found = await _ask(session, *criteria)
    return array("I") if found is None else found


async def _ask(session: Session, *criteria: bytes | Literal) -> "array[int] | None":
    answer = await session.command("UID SEARCH", *criteria)
    found: array[int] | None = None
    for reply in answer.replies:
        _, name, rest = parse.head(reply)
        if name in ("SEARCH", "ESEARCH"):
            found = array("I") if found is None else found
            if name == "SEARCH":
                found.extend(_numbers(reply[0][rest:]))
            else:
                _expand(parse.values(reply, rest), found)
    if found is None or all(low < high for low, high in pairwise(found)):
        return found
    return array("I", sorted(set(found)))


def _numbers(text: bytes) -> list[int]:
    """CONDSTORE adds `(MODSEQ n)` at the end (RFC 7162 §3.1.5)."""
    words = text.partition(b"(")[0].split()
    if all(word.isdigit() and len(word) <= 10 for word in words):
        numbers = [int(word) for word in words]
        if max(numbers, default=0) <= uidset.UID_MAX:
            return numbers
    raise errors.protocol("a SEARCH reply that is no list of UIDs")


def _expand(values: list[parse.Value], found: "array[int]") -> None:
    """The set after ALL, if there is one: nothing found is told by its absence."""
    for name, value in pairwise(values):
        if isinstance(name, str) and name.upper() == "ALL":
            for first, last in ranges(parse.atom(value)):
                if len(found) + last - first >= MAX_MATCHES:
                    raise errors.protocol("a SEARCH reply with more matches than any mailbox has messages")
                found.extend(range(first, last + 1))


def ranges(text: str) -> list[tuple[int, int]]:
    """A server's UID set as ranges."""
    try:
        return uidset.ranges(text)
    except ValueError:
        raise errors.protocol("a UID set that is none") from None
