"""Header fields: folded (RFC 5322 §2.2.3), in ASCII (RFC 2047, RFC 2231), and with nothing in them that ends a line."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

from projections.documents import Address
from projections.documents.words import clean
from services.mail.compose import mailboxes
from services.mail.compose.errors import BadMessageId

_FOLD = 76  # RFC 2047 §2: of a line with an encoded-word on it
_WORD = 66  # an encoded-word stays on one line with the name of its field
_FRAME = len("=?utf-8?q??=")
_TOKEN = 70  # what is longer and has no blank can be folded only as encoded-words
_ID = re.compile(r"[!-;=?-~]+@[!-;=?-~]+")
_LONGEST_ID = 900
_BLANKS = re.compile(r" {2,}")
_PRINTABLE = re.compile(r"[!-~]+")
_PHRASE = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")  # RFC 5322 §3.2.5: atoms
_QUOTABLE = re.compile(r"[ !#-\[\]-~]{1,60}")  # needs no escape in a quoted-string, which not every mailer takes away
_UNESCAPED = "!#$&+-.^_`|~"  # RFC 2231 §7: attribute-char
_CHARSET = "utf-8''"
_Q_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/")  # RFC 2047 §5 (3)


def unstructured(name: str, text: str) -> bytes:
    """Only from the first word that needs it to the last one is encoded, so that prefixes stay readable."""
    words = one_line(text).split(" ")
    needy = [number for number, word in enumerate(words) if word and _must_be_encoded(word)]
    if needy:
        first, last = needy[0], needy[-1] + 1
        words[first:last] = encoded_words(" ".join(words[first:last]))
    return fold(name, words)


def addresses(name: str, people: Iterable[Address], *, unfinished: bool = False) -> bytes:
    """`unfinished`: what is no address yet stays as words. Else `BadAddress`."""
    tokens: list[str] = []
    for person in people:
        if mailbox := _mailbox(person, unfinished=unfinished):
            if tokens:
                tokens[-1] += ","
            tokens += mailbox
    return fold(name, tokens) if tokens else b""


def ids(name: str, values: Iterable[str]) -> bytes:
    return fold(name, [f"<{message_id(value)}>" for value in values])


def message_id(value: str) -> str:
    """Without its brackets."""
    bare = value.strip().removeprefix("<").removesuffix(">")
    if not is_message_id(bare):
        raise BadMessageId(f"{value!r} can't be a message's id")
    return bare


def is_message_id(value: str) -> bool:
    """RFC 5322 §3.6.4, but for what any mailer would take."""
    return len(value) <= _LONGEST_ID and _ID.fullmatch(value) is not None


def with_parameters(name: str, value: str, parameters: Iterable[list[str]]) -> bytes:
    """Each parameter is the tokens between which it may be folded."""
    tokens = [value]
    for parameter in parameters:
        tokens[-1] += ";"
        tokens += parameter
    return fold(name, tokens)


def parameter(name: str, value: str) -> list[list[str]]:
    """A parameter in as many sections as it takes (RFC 2231 §3, §4)."""
    if _is_quotable(value):
        return [[f'{name}="{value}"']]
    pieces = [_percent(piece) for piece in _cut(value, lambda one: len(_percent(one)), _TOKEN - len(name) - 15)]
    if len(pieces) == 1:
        return [[f"{name}*={_CHARSET}{pieces[0]}"]]
    return [[f"{name}*{number}*={'' if number else _CHARSET}{piece}"] for number, piece in enumerate(pieces)]


def name_parameter(value: str) -> list[str]:
    """Content-Type's old `name`, as those read it who know no RFC 2231 (Outlook): encoded-words in quotes."""
    if _is_quotable(value):
        return [f'name="{value}"']
    words = encoded_words(value)
    return [f'name="{words[0]}', *words[1:-1], f'{words[-1]}"'] if len(words) > 1 else [f'name="{words[0]}"']


def one_line(text: str) -> str:
    """Without line ends and other controls, and with single blanks: parsers differ in what they make of several."""
    return _BLANKS.sub(" ", clean(text)).strip()


def fold(name: str, tokens: Iterable[str]) -> bytes:
    """Tokens with a blank between them, lines no longer than they should be unless a token is."""
    lines = [f"{name}:"]
    for number, token in enumerate(tokens):
        if number and len(lines[-1]) + 1 + len(token) > _FOLD:
            lines.append("")
        lines[-1] += f" {token}"
    return "\r\n".join(lines).encode() + b"\r\n"


def encoded_words(text: str) -> list[str]:
    """RFC 2047 §2: none is longer than it may be, and none cuts a character."""
    if sum(map(_q_width, text)) <= sum(map(_b_width, text)):
        return [f"=?utf-8?q?{''.join(map(_q, piece))}?=" for piece in _cut(text, _q_width, _WORD - _FRAME)]
    return [f"=?utf-8?b?{b64encode(piece.encode()).decode()}?=" for piece in _cut(text, _b_width, _WORD - _FRAME)]


def _mailbox(person: Address, *, unfinished: bool) -> list[str]:
    if unfinished and not mailboxes.is_address(person.email):
        return _phrase(f"{person.name} {person.email}")
    address = mailboxes.check(person.email)
    name = _phrase(person.name)
    return [*name, f"<{address}>"] if name or address.startswith('"') else [address]


def _phrase(name: str) -> list[str]:
    name = one_line(name)
    if not name:
        return []
    if any(_must_be_encoded(word) for word in name.split(" ")):
        return encoded_words(name)
    if _PHRASE.fullmatch(name):
        return name.split(" ")
    quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return [quoted] if len(quoted) <= _TOKEN else encoded_words(name)  # not everyone unfolds inside of quotes


def _must_be_encoded(word: str) -> bool:
    return len(word) > _TOKEN or "=?" in word or not _PRINTABLE.fullmatch(word)


def _is_quotable(value: str) -> bool:
    return "=?" not in value and _QUOTABLE.fullmatch(value) is not None


def _percent(text: str) -> str:
    return quote(text, safe=_UNESCAPED)


def _q(character: str) -> str:
    if character in _Q_SAFE:
        return character
    return "_" if character == " " else "".join(f"={octet:02X}" for octet in character.encode())


def _q_width(character: str) -> float:
    return len(_q(character))


def _b_width(character: str) -> float:
    return len(character.encode()) * 4 / 3


def _cut(text: str, width: Callable[[str], float], limit: int) -> Iterator[str]:
    """Pieces that are no wider than the limit, cut behind a blank where there is one: some parsers put another there."""
    start = 0
    total = 0.0
    for end, character in enumerate(text):
        total += width(character)
        if total > limit:
            blank = text.rfind(" ", start + (end - start) // 2, end)
            cut = end if blank == -1 else blank + 1
            yield text[start:cut]
            start, total = cut, sum(map(width, text[cut : end + 1]))
    yield text[start:]
