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
WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_ASCII_WORD = re.compile("[a-z0-9]+")
_FIRST_CJK = "\u3040"
IDEOGRAPH = re.compile(f"[{_CJK}]")


def fold(text: str) -> str:
    """Without case, accents and compatibility forms; Hangul and kana are put together again."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", plain).translate(_FOLDED))


def words(text: str) -> list[str]:
    """The words in order. A run of CJK is its overlapping pairs, then its last character."""
    folded = fold(text[:_TEXT])
    if folded.isascii():
        return [word[:LONGEST] for word in _ASCII_WORD.findall(folded)[:MOST]]
    found: list[str] = []
    for word in WORD.findall(folded):
        if word[0] >= _FIRST_CJK and IDEOGRAPH.match(word):
            found += pairs(word)
        else:
            found.append(word[:LONGEST])
    return found[:MOST]


def pairs(run: str) -> list[str]:
    return [*(run[n : n + 2] for n in range(len(run) - 1)), run[-1]]


@lru_cache(maxsize=4096)
def salt(user_id: UUID) -> str:
    """Three characters before every lexeme, so that users don't share the index's lists; a collision costs only time."""
    number = int.from_bytes(blake2b(user_id.bytes, digest_size=4).digest(), "big")
    digits = "abcdefghijklmnopqrstuvwxyz0123456789"
    return "".join(digits[number // 36**n % 36] for n in range(3))
