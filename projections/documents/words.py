"""Header text: unfolding, RFC 2047 encoded-words, and the characters that a header may show."""

import binascii
import re

from projections.documents import charsets, transfer

_WORD_START = re.compile(r"=\?([^?\s=()<>]{0,60})\?([bBqQ])\?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Direction and join marks that make "exe.txt" of "txt.exe" (Unicode TR 36 §2.6), and the byte order mark.
_BIDI = re.compile(r"[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_PLAIN = re.compile(r"[ -~]*")


def clean(text: str) -> str:
    """Without control characters (each run is a space), direction marks and surrogates."""
    if _PLAIN.fullmatch(text):
        return text
    return charsets.without_surrogates(_BIDI.sub("", _CONTROL.sub(" ", text)))


def unstructured(value: bytes, label: str) -> str:
    """A header value as a person reads it (RFC 5322 §2.2.3, RFC 2047); `label` is the body's charset, for raw bytes."""
    if b"\n" in value or b"\r" in value:
        value = b" ".join(line.strip() for line in value.strip().replace(b"\r", b"\n").split(b"\n") if line)
    text = charsets.header_text(value, label)
    return clean(decode_words(text, label) if "=?" in text else text).strip()


def decode_words(text: str, label: str) -> str:
    """Encoded-words decoded; twice where a mailer encoded what was encoded."""
    for _ in range(2):
        decoded = _decode_once(text, label)
        if decoded == text:
            return text
        text = decoded
    return text


def _decode_once(text: str, label: str) -> str:
    """One left-to-right pass. Neighbours of one charset are joined as bytes: a character may be cut between them."""
    out: list[str] = []
    pending, charset, position = bytearray(), "", 0
    found = _WORD_START.search(text)
    while found:
        close = text.find("?=", found.end())
        if close == -1:
            break
        between = text[position : found.start()]
        name = found[1].partition("*")[0].lower()  # RFC 2231 §5: a language may follow
        if pending and (between.strip() or name != charset):
            out.append(charsets.decode(bytes(pending), charset or label))
            pending.clear()
            between = between if between.strip() else ""
        elif pending or (position and not between.strip()):
            between = ""
        out.append(
            between + " " if between.endswith("]") else between
        )  # a gateway's [tag], put in front without a blank
        charset = name
        pending += _word(found[2], text[found.end() : close])
        position = close + 2
        found = _WORD_START.search(text, position)
    if pending:
        out.append(charsets.decode(bytes(pending), charset or label))
    out.append(text[position:])
    return "".join(out)


def _word(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if encoding in "bB":
        return transfer.base64(data)
    return binascii.a2b_qp(data.replace(b"\n", b" ").replace(b" _", b"_"), header=True)  # folded inside the word
