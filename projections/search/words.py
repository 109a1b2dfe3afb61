"""Text to words, the same for what is indexed and for what is asked: folded, without marks, CJK in pairs."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

from projections.folding import MARKS, fold

LONGEST = 40  # characters of one word
MOST = 50_000  # words of one text; tsvector ends at 1 MB
_TEXT = 400_000  # characters of one text that are looked at

_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_FIRST_CJK = "\u3040"
_RUN_OR_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IDEOGRAPH = re.compile(f"[{_CJK}]")
# Of UTF-8: ASCII letters in lower case, digits as they are, other ASCII a space; what is not ASCII stays.
_ASCII = bytes(code if code > 127 else ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(256))
_MAX_CACHED = 60  # bytes


def words(text: str) -> list[bytes]:
    """The words in order, as UTF-8. A run of CJK is its overlapping pairs, then its last character."""
    found = _pieces(text[:_TEXT])
    if not text.isascii():
        found = [word for piece in found for word in ((piece,) if piece.isascii() else _foreign(piece))]
    if max(map(len, found), default=0) > LONGEST:
        found = [word[:LONGEST] if word.isascii() else word for word in found]
    return found if len(found) <= MOST else found[:MOST]


def runs(text: str) -> list[str]:
    """Words and runs of CJK in order, each folded, of any length."""
    return [run for piece in _pieces(text) for run in ((piece.decode(),) if piece.isascii() else _runs(piece))]


def _pieces(text: str) -> list[bytes]:
    """What stands between ASCII that is no letter and no digit."""
    if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return text.encode(errors="replace").translate(_ASCII).split()


def _foreign(piece: bytes) -> tuple[bytes, ...]:
    return _remembered(piece) if len(piece) < _MAX_CACHED else tuple(_words(piece))


@lru_cache(maxsize=1 << 15)
def _remembered(piece: bytes) -> tuple[bytes, ...]:
    return tuple(_words(piece))


def _words(piece: bytes) -> Iterator[bytes]:
    for run in _runs(piece):
        for word in pairs(run) if ideographic(run) else (run[:LONGEST],):
            yield word.encode()


def _runs(piece: bytes) -> list[str]:
    found = _RUN_OR_WORD.findall(MARKS.sub("", piece.decode().lower()))
    return [folded for run in found if (folded := run if run.isascii() else fold(run))]


def ideographic(run: str) -> bool:
    return run[0] >= _FIRST_CJK and _IDEOGRAPH.match(run) is not None


def pairs(run: str) -> list[str]:
    return [*(run[n : n + 2] for n in range(len(run) - 1)), run[-1]]


@lru_cache(maxsize=4096)
def salt(user_id: UUID) -> str:
    """Three characters before every lexeme, so that users don't share the index's lists; a collision costs only time."""
    number = int.from_bytes(blake2b(user_id.bytes, digest_size=4).digest(), "big")
    digits = "abcdefghijklmnopqrstuvwxyz0123456789"
    return "".join(digits[number // 36**n % 36] for n in range(3))
