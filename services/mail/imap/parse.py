"""Reads replies of RFC 3501 §7 into plain values. Raises nothing but ProviderProtocolError, whatever the bytes."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TypeAlias

from msgspec import Struct

from contracts.provider import ProviderProtocolError
from services.mail.imap.framer import Reply

Value: TypeAlias = "str | bytes | list[Value] | None"
"""An atom or number is str, a string or literal bytes, NIL None: so that a mailbox called "NIL" is not NIL."""

MAX_DEPTH = 50

HEAD = re.compile(rb"\* (?:(\d{1,10}) )?([A-Za-z][A-Za-z0-9-]{0,30})(?: |$)")
STATUS = re.compile(
    rb"(OK|NO|BAD|BYE|PREAUTH)(?: \[([A-Za-z0-9-]+)(?: ([^\]]*))?\])?(?: (.*))?$", re.IGNORECASE | re.DOTALL
)
# One token: "(", ")", quoted string, literal, atom. Possessive, so linear on any input. An atom may hold a section
# (`BODY[]<0>`), a brace, and the backslash of a flag.
TOKEN = re.compile(
    rb" *+(?:(\()|(\))|\"((?:[^\"\\]|\\.)*+)\"|~?(\{\d{1,19}\+?\})$|((?:[^ ()\"\[{]|\[[^\[\]]{0,400}+\]|\[|\{)++))",
    re.DOTALL,
)
OPEN, CLOSE, QUOTED, LITERAL, ATOM = 1, 2, 3, 4, 5
ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
BLANK = re.compile(rb" *+$")

# RFC 3501 §9 date-time; the day may be padded with a space.
DATE = re.compile(rb" ?(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$")
MONTHS = {name: number for number, name in enumerate(b"jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Status(Struct, frozen=True):
    """A status response (RFC 3501 §7.1): `kind` and `code` in upper case, `argument` of the code as it came."""

    kind: str
    code: str | None
    argument: bytes
    text: str


class Untagged(Struct, frozen=True):
    """Any other untagged reply: `* number NAME values…`."""

    name: str
    number: int | None
    values: list[Value]


def head(reply: Reply) -> tuple[int | None, str, int]:
    """Number, name in upper case, and where in the first line the rest begins."""
    found = HEAD.match(reply[0])
    if found is None:
        raise ProviderProtocolError("protocol", "a reply that has no name")
    return (None if found[1] is None else int(found[1])), found[2].decode("ascii").upper(), found.end()


def untagged(reply: Reply) -> Untagged:
    number, name, rest = head(reply)
    return Untagged(name, number, values(reply, rest))


def status(line: bytes) -> Status:
    """A status response without its tag or star."""
    found = STATUS.match(line)
    if found is None:
        raise ProviderProtocolError("protocol", "a reply without OK, NO or BAD")
    code = None if found[2] is None else found[2].decode("ascii").upper()
    return Status(found[1].decode("ascii").upper(), code, found[3] or b"", (found[4] or b"").decode("utf-8", "replace"))


def values(reply: Reply, position: int = 0) -> list[Value]:
    """All values from a position of the first line to the end of the reply."""
    top: list[Value] = []
    current = top
    outer: list[list[Value]] = []
    index = 0
    line = reply[0]
    while (token := TOKEN.match(line, position)) is not None:
        position = token.end()
        kind = token.lastindex
        if kind == ATOM:
            text = token[ATOM]
            current.append(None if text == b"NIL" else text.decode("latin-1"))
        elif kind == QUOTED:
            text = token[QUOTED]
            current.append(ESCAPED.sub(rb"\1", text) if b"\\" in text else text)
        elif kind == OPEN:
            inner: list[Value] = []
            current.append(inner)
            outer.append(current)
            current = inner
            _check(len(outer) <= MAX_DEPTH, "a reply nested too deep")
        elif kind == CLOSE:
            _check(bool(outer), "a parenthesis too many")
            current = outer.pop()
        else:
            _check(index + 2 < len(reply), "a literal that is not there")
            current.append(reply[index + 1])
            index, position = index + 2, 0
            line = reply[index]
    whole = BLANK.match(line, position) is not None and index == len(reply) - 1 and not outer
    _check(whole, "a reply that can't be read")
    return top


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ProviderProtocolError("protocol", otherwise)


def fetched(reply: Reply, position: int) -> dict[str, Value]:
    """The items of a FETCH reply (RFC 3501 §7.4.2) by their names in upper case, whatever their order."""
    match values(reply, position):
        case [list(items)] if len(items) % 2 == 0:
            return {atom(name).upper(): value for name, value in zip(items[::2], items[1::2], strict=True)}
    raise ProviderProtocolError("protocol", "a FETCH reply that is no list of pairs")


def atom(value: Value) -> str:
    if isinstance(value, str):
        return value
    raise ProviderProtocolError("protocol", "no atom where one belongs")


def number(value: Value) -> int:
    """A number below 2^63 (RFC 7162 §3.1.1 for MODSEQ; UIDs are smaller)."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 19 and int(value) < 2**63:
        return int(value)
    raise ProviderProtocolError("protocol", "no number where one belongs")


def uid(value: Value) -> int:
    """A UID or UIDVALIDITY: not zero, 32 bits (RFC 3501 §2.3.1.1)."""
    found = number(value)
    if not 0 < found < 2**32:
        raise ProviderProtocolError("protocol", "no UID where one belongs")
    return found


def atoms(value: Value) -> list[str]:
    if isinstance(value, list):
        return [atom(item) for item in value]
    raise ProviderProtocolError("protocol", "no list where one belongs")


def string(value: Value) -> bytes:
    """An astring (RFC 3501 §9): quoted, literal or atom; an atom that spells NIL is a string here."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("latin-1")
    if value is None:
        return b"NIL"
    raise ProviderProtocolError("protocol", "no string where one belongs")


def internal_date(value: Value) -> datetime:
    """INTERNALDATE in UTC; the epoch when it can't be read, since a message is worth more than its date."""
    found = DATE.match(value) if isinstance(value, bytes) else None
    if found is None:
        return EPOCH
    day, month, year, hour, minute, second, sign, hours, minutes = found.groups()
    try:
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        zone = timezone(-offset if sign == b"-" else offset)
        local = datetime(
            int(year), MONTHS.get(month.lower(), 0), int(day), int(hour), int(minute), min(int(second), 59), tzinfo=zone
        )
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return EPOCH
