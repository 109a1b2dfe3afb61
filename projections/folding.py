"""Letters as people type them when they look for something: without case, accents and compatibility forms."""

import re
import unicodedata

MARKS = re.compile("[\u0300-\u036f]+")
_PLAIN = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "ħ": "h", "\u0131": "i", "æ": "ae", "œ": "oe"})


def fold(text: str) -> str:
    """Hangul and kana are put together again."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", MARKS.sub("", plain).translate(_PLAIN))
