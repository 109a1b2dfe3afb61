"""The original under an answer: who wrote it when, as HTML and as text."""

import mmap
import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from html import escape, unescape
from pathlib import Path
from typing import Literal

from msgspec import Struct

from projections.documents import Address, Attachment, Document, payload
from services.mail.compose.fields import one_line
from services.mail.compose.letter import File
from services.mail.compose.plaintext import html_of, text_of
from services.mail.compose.replying import Kind

Language = Literal["en", "pl"]

_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),  # noqa: SIM905 a wall of quotes reads worse
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia".split(),  # noqa: SIM905 a wall of quotes reads worse
}
_AT = {"en": "at", "pl": "o"}
_WROTE = {"en": "On {date}, {who} wrote:", "pl": "W dniu {date}, {who} napisał(a):"}
_WROTE_ONCE = {"en": "{who} wrote:", "pl": "{who} napisał(a):"}
_FORWARDED = {
    "en": "---------- Forwarded message ----------",
    "pl": "---------- Wiadomość przekazana dalej ----------",
}
_LABELS = {
    "en": ("From", "Date", "Subject", "To", "Cc"),
    "pl": ("Od", "Data", "Temat", "Do", "DW"),
}
_STYLE = "margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex"
# The sanitizer's HTML: "<" and ">" stand nowhere but around tags.
_IMAGE = re.compile(r"<img\b[^<>]*>")
_CID = re.compile(r' data-cid="([^"<>]*)"')
_ALT = re.compile(r' alt="([^"<>]*)"')


class QuotedImage(Struct, frozen=True, kw_only=True):
    """A part of the original that the quote shows under this content id."""

    content_id: str
    attachment: Attachment


class Quote(Struct, frozen=True, kw_only=True):
    html: str
    text: str
    images: list[QuotedImage]


def quote(document: Document, kind: Kind, language: Language, tz: tzinfo, date: datetime | None = None) -> Quote:
    """`date`: when the mail names none. Remote images are in it only if the document was cleaned with them."""
    images = _Images(document.attachments)
    content = html_of(document.text) if document.html is None else _IMAGE.sub(images.point, document.html)
    lines = _lines(document)
    written = document.date or date
    when = dated(written, language, tz) if written else ""
    if kind == "forward":
        head = _forward_header(document, language, when)
        html = (
            f"<div>{'<br>'.join(escape(line, quote=False) for line in head)}</div><div><br></div><div>{content}</div>"
        )
        text = "\n".join((*head, "", *lines))
    else:
        head = [_attribution(document, language, when)]
        html = (
            f'<div class="gmail_quote"><div class="gmail_attr">{escape(head[0], quote=False)}</div>'
            f'<blockquote class="gmail_quote" type="cite" style="{_STYLE}">{content}</blockquote></div>'
        )
        text = "\n".join((*head, *map(_marked, lines)))
    return Quote(html=html, text=text, images=images.shown())


def images(original: Path, shown: Sequence[QuotedImage]) -> list[File]:
    """The images of a quote, decoded from the bytes of its original."""
    if not shown:
        return []
    with original.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        return [
            File(
                name=one.attachment.filename,
                mime=one.attachment.mime,
                content=payload(raw, one.attachment),
                inline=True,
                content_id=one.content_id,
            )
            for one in shown
        ]


class _Images:
    """Inline images under new content ids, made of what they are: those of several mails never clash."""

    def __init__(self, attachments: Sequence[Attachment]) -> None:
        self.parts = {one.content_id: one for one in reversed(attachments) if one.content_id}
        self.found: dict[str, Attachment] = {}

    def point(self, image: re.Match[str]) -> str:
        """What can't be shown leaves its words."""
        cid = _CID.search(image[0])
        part = self.parts.get(unescape(cid[1])) if cid else None
        if cid and part:
            content_id = f"{part.sha256[:32]}@inline"
            self.found[content_id] = part
            return image[0].replace(cid[0], f' src="cid:{content_id}"')
        if not cid and " src=" in image[0]:
            return image[0]
        alt = _ALT.search(image[0])
        return alt[1] if alt else ""

    def shown(self) -> list[QuotedImage]:
        return [QuotedImage(content_id=cid, attachment=part) for cid, part in self.found.items()]


def _attribution(document: Document, language: Language, when: str) -> str:
    who = _who(document.from_[:1])
    return _WROTE[language].format(date=when, who=who) if when else _WROTE_ONCE[language].format(who=who)


def _forward_header(document: Document, language: Language, when: str) -> list[str]:
    values = (_who(document.from_), when, one_line(document.subject), _who(document.to), _who(document.cc))
    lines = (f"{label}: {value}" for label, value in zip(_LABELS[language], values, strict=True) if value)
    return [_FORWARDED[language], *lines]


def _who(people: Sequence[Address]) -> str:
    named = (f"{one.name} <{one.email}>" if one.name and one.email else one.name or one.email for one in people)
    return ", ".join(map(one_line, named))


def dated(date: datetime, language: Language, tz: tzinfo) -> str:
    """As people write it who speak the language and live there."""
    try:
        local = date.astimezone(tz)
    except OverflowError:  # at the edges of what years there are
        local = date.astimezone(UTC)
    return f"{local.day} {_MONTHS[language][local.month - 1]} {local.year} {_AT[language]} {local:%H:%M}"


def _lines(document: Document) -> list[str]:
    """Of the HTML, whose paragraphs aren't cut into lines yet. A blank at an end would flow it on (RFC 3676 §4.2)."""
    text = document.text if document.html is None else text_of(document.html)
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def _marked(line: str) -> str:
    return ">" + line if line.startswith(">") or not line else f"> {line}"
