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

    def __init__(self, phrase: list[str]) -> None:
        self.phrase = phrase
        self.behind: list[str] = []  # what follows the angle address: the next name, where a comma was forgotten
        self.quoted = False
        self.comments: list[str] = []
        self.angle: str | None = None

    def take(self, token: re.Match[str]) -> None:
        quoted, angle, atoms = token["quoted"], token["angle"], token["atoms"]
        words = self.phrase if self.angle is None else self.behind
        if quoted is not None:
            words.append(_QUOTED_PAIR.sub(r"\1", quoted))
            self.quoted = self.angle is None
        elif angle is not None:
            self.angle = angle
        elif atom := atoms.strip(" \t\r\n>"):
            words.append(atom)

    def is_complete(self) -> bool:
        return self.angle is not None and "@" in self.angle

    def names_a_group(self) -> bool:
        """RFC 5322 §3.4: a display name in front of a colon."""
        return self.angle is None and not any("@" in words for words in self.phrase)

    def addresses(self, label: str) -> Iterator[Address]:
        """One as a rule; more where the commas between bare addresses were forgotten."""
        phrase = _words(" ".join(self.phrase), label)
        comment = _words(" ".join(self.comments), label)
        if self.angle is not None and (email := _email(self.angle, label)):
            yield Address(name=phrase or comment, email=email)
            if any("@" in word for word in self.behind):
                yield from _Mailbox(self.behind).addresses(label)
            return
        if self.quoted and len(self.phrase) == 2 and self.phrase[1].startswith("@"):  # "quoted local part"@domain
            yield Address(name=comment, email=_email(phrase, ""))
            return
        words = phrase.split(" ")
        bare = [word for word in words if "@" in word.strip("@")]
        others = " ".join(word for word in words if word not in bare)
        if bare:
            yield from (Address(name=others or comment, email=_email(word, "")) for word in bare)
        elif phrase or comment:
            yield Address(name=phrase or comment, email="")


def _mailboxes(text: str, label: str) -> Iterator[Address]:
    current = _Mailbox([])
    position, comments_close = 0, True
    while token := _TOKEN.match(text, position):
        position = token.end()
        mark = token["mark"]
        if mark is None:
            if token["angle"] is not None and current.is_complete():
                behind, current.behind = current.behind, []
                yield from current.addresses(label)
                current = _Mailbox(behind)
            current.take(token)
        elif mark == "(":
            end = _comment_end(text, position) if comments_close else None
            comments_close = end is not None
            if end is not None:
                current.comments.append(_QUOTED_PAIR.sub(r"\1", text[position : end - 1]))
                position = end
        elif mark in ",;":
            yield from current.addresses(label)
            current = _Mailbox([])
        elif mark == ":" and current.names_a_group():
            current = _Mailbox([])
    yield from current.addresses(label)


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
