"""Content-Transfer-Encodings, as broken as they come: decoding never raises and never stops half way."""

import binascii
import re
from collections.abc import Iterator
from mmap import mmap

CHUNK = 1 << 20

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_JUNK = bytes(set(range(256)) - set(_ALPHABET))
_LOOSE_BREAK = re.compile(rb"=(?:[ \t]+(?:\r\n|\r|\n)|\r(?!\n))")
_TRAILING_BLANKS = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n)")


def decode(data: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return base64(data)
    if encoding == "quoted-printable":
        return quoted_printable(data)
    return data


def chunks(raw: bytes | mmap, offset: int, length: int, encoding: str) -> Iterator[bytes]:
    """The decoded bytes of a slice, about a megabyte at a time."""
    if encoding == "base64":
        yield from _base64_chunks(raw, offset, offset + length)
    elif encoding == "quoted-printable":
        yield from _quoted_printable_chunks(raw, offset, offset + length)
    else:
        for start in range(offset, offset + length, CHUNK):
            yield raw[start : min(start + CHUNK, offset + length)]


def base64(data: bytes) -> bytes:
    """RFC 2045 §6.8 with junk ignored, padding mended, and reading on behind a padded run."""
    runs = data.translate(None, _JUNK).split(b"=")
    if len(runs) == 1:
        return _run(runs[0])
    return b"".join(map(_run, runs))


def _run(run: bytes) -> bytes:
    rest = len(run) % 4
    if rest == 1:
        run = run[:-1]
    elif rest:
        run += b"=" * (4 - rest)
    return binascii.a2b_base64(run)


def _base64_chunks(raw: bytes | mmap, position: int, end: int) -> Iterator[bytes]:
    carry = b""
    while position < end:
        stop = min(position + CHUNK, end)
        data = carry + raw[position:stop].translate(None, _JUNK)
        tail = len(data) - data.rfind(b"=") - 1
        keep = tail % 4 if stop < end else 0
        carry = data[len(data) - keep :]
        yield base64(data[: len(data) - keep])
        position = stop


def quoted_printable(data: bytes) -> bytes:
    """RFC 2045 §6.7; an illegal escape stays as it is, blanks at the end of a line are padding."""
    if b"=" not in data:
        return data
    if b" \n" in data or b" \r" in data or b"\t\r" in data or b"\t\n" in data or b"=\r" in data:
        data = _LOOSE_BREAK.sub(b"=\n", data)
        data = _TRAILING_BLANKS.sub(b"", data)
    return binascii.a2b_qp(data)


def _quoted_printable_chunks(raw: bytes | mmap, position: int, end: int) -> Iterator[bytes]:
    """Cut behind a line end, or else before an escape that could be cut in two."""
    while position < end:
        stop = min(position + CHUNK, end)
        if stop < end:
            newline = raw.rfind(b"\n", position, stop)
            escape = raw.rfind(b"=", max(position + 1, stop - 2), stop)
            stop = newline + 1 if newline != -1 else escape if escape != -1 else stop
        yield quoted_printable(raw[position:stop])
        position = stop
