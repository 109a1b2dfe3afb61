"""A letter to a message: `multipart/mixed`, `related` and `alternative` around each other, each only where it is needed."""

import re
from collections.abc import Iterator
from email.utils import format_datetime
from html import unescape
from urllib.parse import quote, unquote

from projections.documents.charsets import without_surrogates
from projections.documents.sanitize import show_inline_images
from projections.documents.text import tidy
from services.mail.compose import fields, parts
from services.mail.compose.flowed import flow
from services.mail.compose.letter import File, Letter
from services.mail.compose.plaintext import text_of

_SHOWN = re.compile(r"<img\b[^<>]*?\ssrc=[\"']?cid:([^\"'<>\s]+)", re.IGNORECASE)
_CONTENT_ID = re.compile(r"[!-;=?-~]{1,200}")
_NOBODY = b"To: undisclosed-recipients:;\r\n"  # RFC 5322 Appendix A.1.3: everyone is in Bcc


def build(letter: Letter) -> bytes:
    """The whole message with CRLF line ends, Bcc too, which the owner's copy has and the wire must not. Raises `BadAddress`, `BadMessageId`."""
    return b"".join((*_header(letter), b"MIME-Version: 1.0\r\n", _body(letter)))


def shown_images(html: str) -> set[str]:
    """The content ids of the inline images that HTML shows."""
    return {unquote(unescape(found)) for found in _SHOWN.findall(html)}


def _header(letter: Letter) -> Iterator[bytes]:
    draft = letter.unfinished
    yield fields.fold("Date", [format_datetime(letter.date)])
    yield fields.addresses("From", [letter.from_])
    yield fields.addresses("Reply-To", letter.reply_to)
    yield fields.addresses("To", letter.to, unfinished=draft) or (b"" if letter.cc or draft else _NOBODY)
    yield fields.addresses("Cc", letter.cc, unfinished=draft)
    yield fields.addresses("Bcc", letter.bcc, unfinished=draft)
    yield fields.unstructured("Subject", letter.subject)
    yield fields.ids("Message-ID", [letter.message_id])
    if letter.in_reply_to:
        yield fields.ids("In-Reply-To", letter.in_reply_to)
    if letter.references:
        yield fields.ids("References", letter.references)


def _body(letter: Letter) -> bytes:
    text = _text(letter)
    files = [file for file in letter.attachments if not file.inline]
    body = parts.text("plain", flow(text), "format=flowed", "delsp=no")
    if not letter.plain:
        body = _with_html(letter, body)
    if not files:
        return body
    return parts.multipart("mixed", [body, *map(parts.file, files)], letter.message_id)


def _with_html(letter: Letter, text: bytes) -> bytes:
    html = _html(letter)
    body = parts.multipart("alternative", [text, parts.text("html", html)], letter.message_id)
    images = list(_images(letter.attachments, html))
    if not images:
        return body
    root = 'type="multipart/alternative"'  # RFC 2387 §3.1
    return parts.multipart("related", [body, *map(parts.file, images)], letter.message_id, root)


def _images(files: list[File], html: str) -> Iterator[File]:
    """What the HTML shows, each once: a second part of one content id would never be seen."""
    wanted = shown_images(html)
    for file in files:
        if file.inline and file.content_id in wanted and _CONTENT_ID.fullmatch(file.content_id):
            wanted.remove(file.content_id)
            yield file


def _text(letter: Letter) -> str:
    pieces = [text_of(letter.html), letter.quoted.text if letter.quoted else ""]
    return _sane("\n\n".join(filter(None, pieces)))


def _html(letter: Letter) -> str:
    pieces = [letter.html, f"<div><br></div>{letter.quoted.html}" if letter.quoted else ""]
    body = show_inline_images("\n".join(filter(None, pieces)), lambda cid: f"cid:{quote(cid, safe='@$!*+')}")
    return f'<html><head><meta charset="utf-8"></head><body>\n{_sane(body)}\n</body></html>'


def _sane(text: str) -> str:
    return without_surrogates(tidy(text))
