"""Address lists (RFC 5322 §3.4), also as broken mailers write them: every address is found, none is made up."""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from projections.documents import charsets
from projections.documents.words import clean, decode_words

MAX_ADDRESSES = 2_000
_MAX_LENGTH = 1_000

_TOKEN = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*+)"|<(?P<angle>[^<>]*+)>?|(?P<mark>[,;:("])|(?P<atoms>(?:[^",;:(<\\]|\\.)++|\\)',
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"\\.|[()]", re.DOTALL)
_QUOTED_PAIR = re.compile(r"\\(.)", re.DOTALL)
_COMMENT = re.compile(r"\([^()]*+\)")
_BLANKS = re.compile(r"\s+")
_SIMPLE = re.compile(r'\s*(?:"([^"\\<>=]*)"|([^"\\<>=,;:()@]*))\s*<([^\s<>"(),;:\\@=]+@[^\s<>"(),;:\\@=]+)>\s*')


class Address(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    email: str


def parse(value: bytes, label: str) -> list[Address]:
    """The mailboxes of a field, groups flattened, in order; `label` is the body's charset, for raw bytes."""
    return list(_cached(value, label) if len(value) < _MAX_LENGTH else _parse(value, label))


@lru_cache(maxsize=2048)
def _cached(value: bytes, label: str) -> tuple[Address, ...]:
    return tuple(_parse(value, label))


def _parse(value: bytes, label: str) -> list[Address]:
    text = charsets.header_text(value, label)
    if simple := _SIMPLE.fullmatch(text):
        return [Address(name=_words(simple[1] or simple[2] or "", label), email=clean(simple[3]))]
    found: list[Address] = []
    for mailbox in _mailboxes(text, label):
        found.append(mailbox)
        if len(found) == MAX_ADDRESSES:
            break
    reachable = [address for address in found if address.email]
    return reachable or found[:1]


class _Mailbox:
    """One mailbox while its tokens arrive."""

    def __init__(self) -> None:
        self.phrase: list[str] = []
        self.quoted = False
        self.comments: list[str] = []
        self.angle: str | None = None

    def take(self, token: re.Match[str]) -> None:
        quoted, angle, atoms = token["quoted"], token["angle"], token["atoms"]
        if quoted is not None:
            self.phrase.append(_QUOTED_PAIR.sub(r"\1", quoted))
            self.quoted = True
        elif angle is not None:
            self.angle = angle if self.angle is None or "@" not in self.angle else self.angle
        elif words := atoms.strip(" \t\r\n>"):
            self.phrase.append(words)

    def names_a_group(self) -> bool:
        """RFC 5322 §3.4: a display name in front of a colon."""
        return self.angle is None and not any("@" in words for words in self.phrase)

    def address(self, label: str) -> Address | None:
        phrase = _words(" ".join(self.phrase), label)
        comment = _words(" ".join(self.comments), label)
        if self.angle is not None and (email := _email(self.angle, label)):
            return Address(name=phrase or comment, email=email)
        words = phrase.split(" ")
        at = next((word for word in words if "@" in word.strip("@")), None)
        if at is not None:
            others = " ".join(word for word in words if word != at)
            return Address(name=others or comment, email=_email(at, label))
        if len(self.phrase) == 2 and self.quoted and phrase.replace(" ", "").count("@") == 1 and phrase[-1] != "@":
            return Address(name=comment, email=phrase.replace(" ", ""))  # "quoted local part"@domain
        if phrase or comment:
            return Address(name=phrase or comment, email="")
        return None


def _mailboxes(text: str, label: str) -> Iterator[Address]:
    current = _Mailbox()
    position, comments_close = 0, True
    while token := _TOKEN.match(text, position):
        position = token.end()
        mark = token["mark"]
        if mark is None:
            current.take(token)
        elif mark == "(":
            end = _comment_end(text, position) if comments_close else None
            comments_close = end is not None
            if end is not None:
                current.comments.append(_QUOTED_PAIR.sub(r"\1", text[position : end - 1]))
                position = end
        elif mark in ",;" or (mark == ":" and current.names_a_group()):
            if mark != ":" and (address := current.address(label)):
                yield address
            current = _Mailbox()
    if address := current.address(label):
        yield address


def _comment_end(text: str, position: int) -> int | None:
    depth = 1
    for edge in _COMMENT_EDGE.finditer(text, position):
        depth += {"(": 1, ")": -1}.get(edge[0], 0)
        if depth == 0:
            return edge.end()
    return None


def _words(text: str, label: str) -> str:
    text = _BLANKS.sub(" ", text)
    return _BLANKS.sub(" ", clean(decode_words(text, label) if "=?" in text else text)).strip().strip("'")[:_MAX_LENGTH]


def _email(text: str, label: str) -> str:
    """An addr-spec without white space; an obsolete route (RFC 5322 §4.4) is dropped."""
    if "=?" in text:
        text = decode_words(text, label)
    text = _BLANKS.sub("", _COMMENT.sub("", clean(text)))
    if text.startswith("@") and ":" in text:
        text = text.rpartition(":")[2]
    return text.strip("'<>,;")[:_MAX_LENGTH]
