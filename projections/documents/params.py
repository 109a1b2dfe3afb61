"""Content-Type and Content-Disposition: a value and its parameters, RFC 2231 sections put together."""

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from projections.documents import charsets
from projections.documents.words import clean, decode_words

_MAX_PARAMS = 200
_TYPE = re.compile(r"\s*([A-Za-z0-9!#$&^_.+*'-]+)\s*/\s*([A-Za-z0-9!#$&^_.+*'-]+)")
_PARAM = re.compile(r';\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*+)"|([^;]*+))', re.DOTALL)
_QUOTED_PAIR = re.compile(r'\\(["\\])')
_SECTION = re.compile(r"([^*]+)\*(?:(\d{1,3})(\*)?)?")
_FREE_TEXT = frozenset(("name", "filename"))

Params = dict[str, str]


def content_type(value: bytes | None, default: str) -> tuple[str, Params]:
    """The media type in lower case; what can't be read is text/plain (RFC 2045 §5.2)."""
    if value is None:
        return default, {}
    return _content_type(value) if len(value) < 500 else _content_type.__wrapped__(value)


@lru_cache(maxsize=2048)
def _content_type(value: bytes) -> tuple[str, Params]:
    text = unfold(value)
    found = _TYPE.match(text)
    kind = f"{found[1]}/{found[2]}".lower() if found else "text/plain"
    return kind, parameters(text)


def disposition(value: bytes | None) -> tuple[str, Params]:
    """The disposition: attachment, inline or none; one that is not known is an attachment (RFC 2183 §2.8)."""
    if value is None:
        return "", {}
    text = unfold(value)
    word = text.partition(";")[0].strip().lower()
    if not word:
        return "", parameters(text)
    return ("inline" if word == "inline" else "attachment"), parameters(text)


def unfold(value: bytes) -> str:
    """RFC 5322 §2.2.3: the line break goes, the blank behind it stays."""
    return charsets.header_text(value, "").replace("\r", "").replace("\n", "")


def parameters(text: str) -> Params:
    """Every parameter, the first of a name; RFC 2231 sections in any order, RFC 2047 words and raw bytes in names."""
    plain: Params = {}
    sections: dict[str, dict[int, tuple[str, bool]]] = {}
    for count, found in enumerate(_PARAM.finditer(text)):
        if count == _MAX_PARAMS:
            break
        key = found[1].lower()
        quoted = found[2] is not None
        value = _QUOTED_PAIR.sub(r"\1", found[2]) if quoted else found[3].strip()
        extended = _SECTION.fullmatch(key)
        if extended:
            encoded = extended[2] is None or extended[3] is not None
            sections.setdefault(extended[1], {}).setdefault(int(extended[2] or 0), (value, encoded))
        elif key in _FREE_TEXT:
            plain.setdefault(key, decode_words(value, "") if "=?" in value else value)
        else:
            plain.setdefault(key, value if quoted else value.partition("(")[0].strip())
    for key, parts in sections.items():
        plain[key] = _assemble(parts)
    return plain


def _assemble(sections: dict[int, tuple[str, bool]]) -> str:
    """RFC 2231 §4.1: the first section names the charset; bytes are joined before they are decoded."""
    label, data = "", bytearray()
    for number in sorted(sections):
        value, encoded = sections[number]
        if encoded and number == min(sections) and value.count("'") >= 2:
            label, _, value = value.split("'", 2)
        data += unquote_to_bytes(value) if encoded else value.encode("utf-8", "replace")
    return charsets.decode(bytes(data), label)


def file_name(*values: str | None) -> str:
    """The first usable name: its last path part, without control and direction characters; never "." or ".."."""
    for value in values:
        if value:
            name = clean(re.split(r"[/\\]", value)[-1]).strip()
            if name.strip(". "):
                return name[:255]
    return ""
