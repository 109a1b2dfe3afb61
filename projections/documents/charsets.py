"""Bytes to text whatever the label says: aliases, mislabelled UTF-8, and a guess where nothing else helps."""

import codecs
import re
from functools import lru_cache

import chardet
from chardet.enums import EncodingEra

_SAMPLE = 2_048
_ERAS = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO
_ALIASES = {
    "": "",
    "134": "gb18030",
    "ansi_x3.4-1968": "cp1252",
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "chinesebig5": "big5hkscs",
    "cp932": "cp932",
    "gb2312": "gb18030",
    "gb2312_charset": "gb18030",
    "gbk": "gb18030",
    "iso-2022-jp": "iso2022_jp_ext",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "latin1": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "tis-620": "cp874",
    "unicode-1-1-utf-7": "utf-7",
    "us-ascii": "cp1252",
    "utf8": "utf-8",
    "windows-874": "cp874",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# £ § © « ® ° » and the typographic marks of Windows: what is high in English mail.
_SYMBOLS = bytes(
    (0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0xA0, 0xA3, 0xA7, 0xA9, 0xAB, 0xAE, 0xB0, 0xB7, 0xBB)
)
_HIGH = bytes(range(128, 256))
_LOW = bytes(range(128))
_SURROGATE = re.compile("[\ud800-\udfff]")
_SAYS_NOTHING = frozenset(("us-ascii", "ascii", "utf-8", "utf8"))  # of bytes that are neither
_JAPANESE = re.compile(rb"\x1b\$[@B]")  # RFC 1468: what nothing else begins with
_STATEFUL = ("utf-7", "hz", "iso2022")  # seven-bit bytes that are not ASCII text


@lru_cache(maxsize=1024)
def codec(label: str) -> str:
    """The Python codec that a label means, or "" when it means none."""
    name = label.strip().strip("\"'").lower()
    name = _ALIASES.get(name, name)
    if not name or len(name) > 40:
        return ""
    if name.startswith("ks_c_5601"):
        return "cp949"
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    return found.name if found._is_text_encoding else ""  # noqa: SLF001 the standard library's own mark; rot13 and zip are codecs too


def decode(data: bytes, label: str) -> str:
    """Text without surrogates; never raises."""
    name = codec(label)
    if not name.startswith(_STATEFUL) and _JAPANESE.search(data):
        name = "iso2022_jp_ext"
    if data.isascii() and not name.startswith(_STATEFUL) and not name.startswith(("utf-16", "utf-32")):
        return data.decode("ascii")
    for bom, wide in _BOMS:
        if data.startswith(bom):
            return without_surrogates(data[len(bom) :].decode(wide, "replace"))
    if name == "utf-8" or not name or not name.startswith(("utf", *_STATEFUL)):
        try:
            return data.decode()
        except UnicodeDecodeError:
            if name in ("", "utf-8"):
                name = "utf-8" if _mostly_utf8(data, trusted=name != "") else ""
    name = name or guess(data)
    return without_surrogates(data.decode(name, "replace"))


def header_text(value: bytes, label: str) -> str:
    """Raw bytes of a header: UTF-8 (RFC 6532), else the body's charset, else a guess."""
    if value.isascii() and b"\x1b" not in value:
        return value.decode("ascii")
    return decode(value, "" if label.lower() in _SAYS_NOTHING else label)


def _mostly_utf8(data: bytes, *, trusted: bool) -> bool:
    """Fewer bad bytes than good characters are damage, and so are a few under a label that says UTF-8."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - bad - len(data.translate(None, _HIGH))
    return good > bad or (trusted and bad <= max(2, len(data) // 40))


def guess(data: bytes) -> str:
    """The likeliest codec of bytes that are no UTF-8."""
    high = data.translate(None, _LOW)
    if len(high) * 20 < len(data) and not high.translate(None, _SYMBOLS):
        return "cp1252"
    first = next(position for position, byte in enumerate(data) if byte > 127) if high else 0
    return _detect(data[max(0, first - 200) : first + _SAMPLE])


@lru_cache(maxsize=4096)
def _detect(sample: bytes) -> str:
    found = chardet.detect(sample, encoding_era=_ERAS)["encoding"]
    name = codec(found) if found else ""
    return name if name and not name.startswith(("utf", "ascii")) else "cp1252"


def without_surrogates(text: str) -> str:
    """Lone surrogates are no Unicode text: JSON writers and Postgres refuse them."""
    return _SURROGATE.sub("\ufffd", text) if not text.isascii() and _SURROGATE.search(text) else text
