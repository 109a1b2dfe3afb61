"""Text to words, the same for what is indexed and for what is asked: folded, without marks, CJK in pairs."""

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

LONGEST = 40  # characters of one word
MOST = 50_000  # words of one text; tsvector ends at 1 MB
_TEXT = 400_000  # characters of one text that are looked at

_FOLDED = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "ħ": "h", "\u0131": "i", "æ": "ae", "œ": "oe"})
_MARKS = re.compile("[\u0300-\u036f]+")
_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_FIRST_CJK = "\u3040"
_RUN_OR_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IDEOGRAPH = re.compile(f"[{_CJK}]")
# Of ASCII: letters in lower case, digits as they are, all else a space.
_ASCII = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))


def words(text: str) -> list[str]:
    """The words in order. A run of CJK is its overlapping pairs, then its last character."""
    text = _composed(text[:_TEXT])
    found = _runs(text)
    if not text.isascii() and _IDEOGRAPH.search(text):
        found = [piece for run in found for piece in (pairs(run) if ideographic(run) else (run,))]
    if max(map(len, found), default=0) > LONGEST:
        found = [word[:LONGEST] for word in found]
    return found[:MOST]


def runs(text: str) -> list[str]:
    """Words and runs of CJK in order, each folded, of any length."""
    return _runs(_composed(text))


def _composed(text: str) -> str:
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


def _runs(text: str) -> list[str]:
    if text.isascii():
        return text.encode().translate(_ASCII).decode().split()
    found = _RUN_OR_WORD.findall(_MARKS.sub("", text.lower()))
    return [folded for run in found if (folded := run if run.isascii() else fold(run))]


@lru_cache(maxsize=1 << 15)
def fold(run: str) -> str:
    """Without case, accents and compatibility forms; Hangul and kana are put together again."""
    plain = unicodedata.normalize("NFKD", run.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", plain).translate(_FOLDED))


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
