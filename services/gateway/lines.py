"""What users type into fields of one line."""

import re

_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """Without line breaks and control characters: what is pasted may have some, and a header has none."""
    return _BREAKS.sub(" ", text).strip()
