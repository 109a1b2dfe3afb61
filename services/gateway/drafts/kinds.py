"""Which kind a file of a draft is sent as: by its first bytes, and where these say nothing by its name."""

import re
from codecs import getincrementaldecoder
from mimetypes import MimeTypes
from pathlib import Path

from projections.documents import charsets, params
from services.gateway.attachments.kinds import OTHER, PREVIEWABLE, served

HEAD = 4096

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
# What people attach and Python's own table, the same on every machine, does not know.
_MORE = {
    "7z": "application/x-7z-compressed",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "epub": "application/epub+zip",
    "gpx": "application/gpx+xml",
    "ics": "text/calendar",
    "m4a": "audio/mp4",
    "md": "text/markdown",
    "odp": f"{_OPEN}.presentation",
    "ods": f"{_OPEN}.spreadsheet",
    "odt": f"{_OPEN}.text",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "rar": "application/vnd.rar",
    "vcf": "text/vcard",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
_BY_NAME = MimeTypes()
for _ending, _kind in _MORE.items():
    _BY_NAME.add_type(_kind, f".{_ending}")


_METHOD = re.compile(
    rb"^METHOD:(PUBLISH|REQUEST|REPLY|ADD|CANCEL|REFRESH|COUNTER|DECLINECOUNTER)\r?$", re.IGNORECASE | re.MULTILINE
)  # RFC 5546 §1.4
_CHARSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")


def sent_as(filename: str, head: bytes, charset: str) -> str:
    """What its name calls an image and its bytes do not is bytes. With what `completed` adds."""
    named, encoding = _BY_NAME.guess_type(filename.lower(), strict=False)
    if named is None or encoding is not None:  # a.txt.gz is no text
        named = "application/gzip" if encoding == "gzip" else OTHER
    kind = served(named, head)
    return completed(kind if kind != OTHER or named in PREVIEWABLE else named, head, charset)


def completed(kind: str, head: bytes, charset: str) -> str:
    """With the parameters that whoever reads it needs: the charset that a text is said to have, unless its bytes deny it,
    and what a calendar says that it asks for (RFC 6047 §2.4).
    """
    said = f"; charset={charset}" if kind.startswith("text/") and _is_in(head, charset) else ""
    method = _METHOD.search(head) if kind == "text/calendar" else None
    return kind + said + (f"; method={method[1].decode().upper()}" if method else "")


def charset_of(mime: str) -> str:
    """What a type with parameters says; empty where it says nothing, or nothing that is known."""
    charset = params.parameters(mime).get("charset", "")
    return charset if _CHARSET.fullmatch(charset) and charsets.codec(charset) else ""


def head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _is_in(head: bytes, charset: str) -> bool:
    codec = charsets.codec(charset)
    if not codec:
        return False
    try:
        getincrementaldecoder(codec)().decode(head)
    except UnicodeError:
        return False
    return True
