"""Bytes to document: what parsing one message gives, a pure function of the bytes and VERSION; its HTML is cleaned when it is read."""

import mmap as mapping
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from projections.documents import (
    addresses,
    bodies,
    charsets,
    dates,
    flowed,
    ids,
    mime,
    quotes,
    sanitize,
    text,
    transfer,
    words,
)
from projections.documents.addresses import Address
from projections.documents.errors import HtmlRefusedError
from projections.documents.mime import Buffer, Header, Part

VERSION = 2
SANITIZER_VERSION = 1

MAX_TEXT = 4_000_000  # bytes of one body part; the rest is in the raw message
_META_CHARSET = re.compile(rb"<meta\s[^<>]*?charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
_TRACE = (b"received", b"return-path", b"delivered-to", b"x-")


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf that is not the body; `offset` and `length` are its encoded slice of the raw message."""

    index: int
    filename: str
    mime: str
    size: int  # decoded bytes
    offset: int
    length: int
    encoding: str
    charset: str | None
    content_id: str | None
    disposition: str
    inline: bool  # the body shows it, or another form of the body it is: not to be listed
    sha256: str  # of the decoded bytes
    subject: str | None  # of an attached message


class Document(msgspec.Struct, frozen=True, kw_only=True):
    subject: str
    from_: list[Address] = msgspec.field(name="from")
    sender: list[Address]
    reply_to: list[Address]
    to: list[Address]
    cc: list[Address]
    bcc: list[Address]
    date: datetime | None  # UTC; without one, the server's internal date stands in
    message_id: str | None
    synthetic_id: str  # the same for copies that went through different servers
    in_reply_to: list[str]
    references: list[str]
    list_id: str | None
    list_post: str | None
    list_unsubscribe: str | None
    auto_submitted: str | None
    precedence: str | None
    text: str
    has_html: bool
    html: str | None  # cleaned, remote images off, inline images as data-cid; None where it was not asked for
    blocked: int  # remote images that were taken out, and 0 without `html`
    designed: bool  # colours of its own: it keeps a light sheet; False without `html`
    snippet: str
    attachments: list[Attachment]
    calendar_method: str | None
    warnings: list[str]


def read(raw: Buffer, *, html: bool = True) -> Document:
    """Never raises, whatever the bytes. Cleaning HTML takes longer than all else, and most mail is never opened: `html` asks for it."""
    return _Reading(raw, remote=False, html=html).document()


def read_file(path: Path, *, html: bool = True) -> Document:
    """The same, with the message mapped and not read into memory."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return read(b"", html=html)
        with mapping.mmap(file.fileno(), 0, access=mapping.ACCESS_READ) as raw:
            return read(raw, html=html)


def unreadable(reason: str, size: int) -> Document:
    """What stands for a message whose parser died."""
    nobody: list[Address] = []
    return Document(
        subject="", from_=nobody, sender=nobody, reply_to=nobody, to=nobody, cc=nobody, bcc=nobody, date=None,
        message_id=None, synthetic_id="", in_reply_to=[], references=[], list_id=None, list_post=None, list_unsubscribe=None,
        auto_submitted=None, precedence=None, text="", has_html=False, html=None, blocked=0, designed=False, snippet="", attachments=[], calendar_method=None,
        warnings=[f"This message of {size} bytes could not be read: {words.clean(reason)}. Its source is kept."],
    )  # fmt: skip


def render(document: Document, cid_url: Callable[[str], str]) -> str:
    """The body fragment with remote images off, inline images on, and quoted mail folded."""
    if document.html is None:
        return sanitize.preformatted(document.text)
    return quotes.fold(sanitize.show_inline_images(document.html, cid_url))


def render_with_images(raw: Buffer, cid_url: Callable[[str], str]) -> str:
    """The same with remote images on: cleaned again from the raw message, nothing hidden is made active."""
    return render(_Reading(raw, remote=True).document(), cid_url)


def editable(raw: Buffer, cid_url: Callable[[str], str]) -> str:
    """The body fragment with all images on and nothing folded, for whoever goes on writing it; empty for text alone."""
    return sanitize.show_inline_images(html_with_images(raw), cid_url)


def html_with_images(raw: Buffer) -> str:
    """The document's HTML, with remote images on; empty for text alone."""
    return _Reading(raw, remote=True).document().html or ""


def payload(raw: Buffer, attachment: Attachment) -> bytes:
    return b"".join(payload_chunks(raw, attachment))


def payload_chunks(raw: Buffer, attachment: Attachment) -> Iterator[bytes]:
    """The decoded bytes of an attachment, about a megabyte at a time."""
    return transfer.chunks(raw, attachment.offset, attachment.length, attachment.encoding)


def headers(raw: Buffer) -> list[tuple[str, str]]:
    """Every field of the header as a person reads it, in order."""
    raw = mime.line_ends(raw)
    header = mime.header(raw, mime.leading_junk(raw), len(raw))
    return [
        (raw[start : start + len(name)].decode("ascii"), words.unstructured(value, ""))
        for name, value, start, _ in header.fields
    ]


def explain(document: Document) -> dict[str, Any]:
    """What `webmail document` prints: for bug reports, and for checking the parser from outside."""
    people = {"from": document.from_, "to": document.to, "cc": document.cc}
    return {
        "subject": document.subject,
        **{field: [{"name": one.name, "email": one.email} for one in group] for field, group in people.items()},
        "date": document.date.strftime("%Y-%m-%dT%H:%M:%SZ") if document.date else None,
        "message_id": document.message_id,
        "in_reply_to": document.in_reply_to,
        "references": document.references,
        "text": document.text,
        "html": document.html,
        "attachments": [{"filename": one.filename, "mime": one.mime, "size": one.size} for one in document.attachments],
        "warnings": document.warnings,
    }


class _Shown(NamedTuple):
    html: str
    text: str
    own: str  # without what is quoted


class _Reading:
    """One pass over one message."""

    def __init__(self, raw: Buffer, *, remote: bool, html: bool = True) -> None:
        self.raw = mime.line_ends(raw)
        self.remote = remote
        self.html = html
        self.cleans = html
        self.warnings: list[str] = []
        self.root = mime.parse(self.raw, self.warnings)
        self.header = self.root.header
        self.cids: set[str] = set()
        self.blocked = 0
        self.designed = False
        self.own: list[str] = []
        self.label = next((leaf.params["charset"] for leaf in self.root.leaves() if "charset" in leaf.params), "")

    def document(self) -> Document:
        chosen = bodies.choose(self.root)
        self.cleans = self.html or any(part.header.first(b"content-id") is not None for part in chosen.attachments)
        body, html = self.bodies(chosen.blocks)
        people = {name: self.people(name.encode()) for name in ("from", "sender", "reply-to", "to", "cc", "bcc")}
        own = {one.email.lower() for group in people.values() for one in group}
        message_ids = ids.parse(self.header.every(b"message-id")[:1], own)
        attachments = self.attachments(chosen.attachments)
        return Document(
            subject=self.line(b"subject") or "",
            from_=people["from"],
            sender=people["sender"],
            reply_to=people["reply-to"],
            to=people["to"],
            cc=people["cc"],
            bcc=people["bcc"],
            date=self.date(),
            message_id=message_ids[0] if message_ids else None,
            synthetic_id=synthetic_id(self.raw, self.header),
            in_reply_to=ids.parse(self.header.every(b"in-reply-to"), own),
            references=ids.parse(self.header.every(b"references"), own),
            list_id=self.line(b"list-id"),
            list_post=self.line(b"list-post"),
            list_unsubscribe=self.line(b"list-unsubscribe"),
            auto_submitted=self.line(b"auto-submitted"),
            precedence=self.line(b"precedence"),
            text=body,
            has_html=html is not None,
            html=html if self.html else None,
            blocked=self.blocked if self.html else 0,
            designed=self.designed and self.html,
            snippet=text.snippet("\n".join(self.own)) or text.snippet(body),
            attachments=attachments,
            calendar_method=self.calendar_method(),
            warnings=self.warnings,
        )

    def line(self, name: bytes) -> str | None:
        value = self.header.first(name)
        return None if value is None else words.unstructured(value, self.label)

    def people(self, name: bytes) -> list[Address]:
        """Of several fields the first that names anyone (a second From deceives)."""
        for value in self.header.every(name):
            if found := addresses.parse(value, self.label):
                return found
        return []

    def date(self) -> datetime | None:
        found = (dates.parse(words.unstructured(value, "")) for value in self.header.every(b"date"))
        return next((date for date in found if date), None)

    def calendar_method(self) -> str | None:
        for leaf in self.root.leaves():
            if leaf.type == "text/calendar" and leaf.params.get("method"):
                return words.clean(leaf.params["method"]).upper()[:40]
        return None

    def bodies(self, blocks: list[bodies.Block]) -> tuple[str, str | None]:
        """The text of every block, and the HTML when any block has one."""
        texts: list[str] = []
        htmls: list[str] = []
        has_html = False
        for block in blocks:
            written = [self.decoded(part) for part in block.texts]
            sources = [html for part in block.htmls if (html := self.decoded(part)).strip()]
            readable = [one for one in written if one.strip()]
            shown = [self.shown(source, wanted=not readable) for source in sources]
            texts += readable or [one.text for one in shown]
            self.own += readable or [one.own for one in shown]
            has_html = has_html or bool(shown)
            htmls += [one.html for one in shown] or [sanitize.preformatted(one) for one in readable]
        return "\n".join(texts), "\n".join(htmls) if has_html else None

    def decoded(self, part: Part) -> str:
        end = min(part.end, part.start + MAX_TEXT)
        if end < part.end:
            self.warn("The text is very long; only its beginning is shown.")
        data = transfer.decode(self.raw[part.start : end], encoding(part))
        label = part.params.get("charset") or (_named_inside(data) if part.type == "text/html" else "")
        written = text.tidy(charsets.decode(data, label))
        return flowed.unflow(written, part.params) if part.type == "text/plain" else written

    def shown(self, html: str, *, wanted: bool) -> _Shown:
        """HTML cleaned, if somebody asks for it or for which parts it shows, and its text where that is wanted."""
        try:
            cleaned = self.cleaned(html)
        except HtmlRefusedError as refusal:
            self.warn(f"The HTML is shown as plain text: {refusal}.")
            plain = text.tidy(sanitize.plain(html))
            return _Shown(sanitize.preformatted(plain), plain, plain)
        return _Shown(cleaned, *(text.from_html(html) if wanted else ("", "")))

    def cleaned(self, html: str) -> str:
        """Raises HtmlRefusedError."""
        if not self.cleans:
            sanitize.check(html)
            return ""
        result = sanitize.clean(html, remote=self.remote)
        self.cids |= result.cids
        self.blocked += result.blocked
        self.designed |= result.designed
        return result.html

    def attachments(self, parts: list[Part]) -> list[Attachment]:
        return [self.attachment(index, part) for index, part in enumerate(parts)]

    def attachment(self, index: int, part: Part) -> Attachment:
        how = encoding(part)
        length = part.end - part.start
        size, digest = 0, sha256()
        for chunk in transfer.chunks(self.raw, part.start, length, how):
            size += len(chunk)
            digest.update(chunk)
        cid = ids.content_id(part.header.first(b"content-id"))
        return Attachment(
            index=index,
            filename=bodies.name(part),
            mime=part.type,
            size=size,
            offset=part.start,
            length=length,
            encoding=how,
            charset=part.params.get("charset"),
            content_id=cid,
            disposition=bodies.disposition(part),
            inline=(cid is not None and cid in self.cids) or part.type == "text/x-amp-html",
            sha256=digest.hexdigest(),
            subject=self.inner_subject(part, how) if part.type == "message/rfc822" else None,
        )

    def inner_subject(self, part: Part, how: str) -> str | None:
        start = transfer.decode(self.raw[part.start : min(part.end, part.start + 65_536)], how)
        value = mime.header(start, mime.leading_junk(start), len(start)).first(b"subject")
        return words.unstructured(value, "") if value is not None else None

    def warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)


def _named_inside(html: bytes) -> str:
    """The charset that HTML without a label names in its own head."""
    found = None if html.isascii() else _META_CHARSET.search(html, 0, 4_096)
    return found[1].decode("ascii") if found else ""


def encoding(part: Part) -> str:
    """The encoding's name; an unknown one leaves the bytes as they are (RFC 2045 §6.4)."""
    value = part.header.first(b"content-transfer-encoding")
    if value is None or part.type.startswith("multipart/"):
        return ""
    name = value.strip().strip(b"\"'; ").lower()
    return {b"base64": "base64", b"quoted-printable": "quoted-printable"}.get(name, "")


def synthetic_id(raw: Buffer, header: Header) -> str:
    """An id over the bytes without the trace headers, in which two servers' copies of one message differ."""
    digest = sha256(b"".join([raw[start:end] for name, _, start, end in header.fields if not name.startswith(_TRACE)]))
    for start in range(header.body, len(raw), transfer.CHUNK):
        digest.update(raw[start : start + transfer.CHUNK])
    return f"{digest.hexdigest()[:40]}@synthetic.invalid"
