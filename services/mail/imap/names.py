"""Mailbox names on the wire: modified UTF-7 (RFC 3501 §5.1.3) or UTF-8 (RFC 6855), quoting, and literals.

Whatever name a server lists can be asked for again: `encode(decode(name)) == name` for all bytes. Names that are no
modified UTF-7 (raw UTF-8, a lone `&`), or hold control characters, keep their odd bytes as characters of the private use area U+F700 to U+F7FF.
"""

import binascii
import re

PRIVATE = 0xF700
PLAIN = re.compile(rb"[\x20-\x7e]*+")
SHIFTED = re.compile(rb"&([A-Za-z0-9+,]*)-")
UNSHOWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")


class Literal:
    """An argument that can't be quoted (RFC 3501 §4.3). What is `before` and `after` it stands there without a space."""

    __slots__ = ("after", "before", "data")

    def __init__(self, data: bytes, *, before: bytes = b"", after: bytes = b"") -> None:
        self.data = data
        self.before = before
        self.after = after

    def __repr__(self) -> str:
        return f"Literal({len(self.data)} bytes)"


def astring(data: bytes, *, utf8: bool = False) -> bytes | Literal:
    """Bytes as an argument: quoted where that is allowed (UTF-8 by RFC 6855 §3), else a literal."""
    text = _as_utf8(data) if utf8 else None
    if PLAIN.fullmatch(data) or (text is not None and not UNSHOWABLE.search(text)):
        return b'"' + data.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    return Literal(data)


def decode(name: bytes, *, utf8: bool = False) -> str:
    """A path to show and to keep. INBOX, in whatever case, is `INBOX` (RFC 3501 §5.1)."""
    if name.upper() == b"INBOX":
        return "INBOX"
    path = _as_utf8(name) if utf8 else _decoded(name)
    if path and not UNSHOWABLE.search(path) and not _has_private(path) and encode(path, utf8=utf8) == name:
        return path
    return "".join(chr(byte) if 0x20 <= byte <= 0x7E and byte != 0x26 else chr(PRIVATE + byte) for byte in name)


def encode(path: str, *, utf8: bool = False) -> bytes:
    if _has_private(path):
        return b"".join(
            bytes((ord(character) - PRIVATE,)) if _is_private(character) else character.encode("utf-8", "replace")
            for character in path
        )
    return path.encode("utf-8", "replace") if utf8 else _encoded(path)


def _as_utf8(name: bytes) -> str | None:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _is_private(character: str) -> bool:
    return PRIVATE <= ord(character) <= PRIVATE + 0xFF


def _has_private(path: str) -> bool:
    return any(map(_is_private, path))


def _encoded(path: str) -> bytes:
    shifted = UNPRINTABLE.sub(lambda run: f"&{_base64(run[0])}-", path.replace("&", "&-"))
    return shifted.encode("ascii")


def _base64(text: str) -> str:
    encoded = binascii.b2a_base64(text.encode("utf-16-be", "surrogatepass"), newline=False)
    return encoded.rstrip(b"=").replace(b"/", b",").decode("ascii")


def _decoded(name: bytes) -> str | None:
    """None when it is no modified UTF-7."""
    if not PLAIN.fullmatch(name):
        return None
    try:
        pieces = SHIFTED.split(name)
        return "".join((_unbase64(piece) if index % 2 else piece.decode("ascii")) for index, piece in enumerate(pieces))
    except (ValueError, UnicodeDecodeError):
        return None


def _unbase64(text: bytes) -> str:
    if not text:
        return "&"
    padded = text.replace(b",", b"/") + b"=" * (-len(text) % 4)
    return binascii.a2b_base64(padded, strict_mode=True).decode("utf-16-be")
