"""Which kind a file of a draft is sent as: by its first bytes, and where these say nothing by its name."""

from mimetypes import MimeTypes

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


def sent_as(filename: str, head: bytes) -> str:
    """What its name calls an image and its bytes do not is bytes."""
    named, encoding = _BY_NAME.guess_type(filename.lower(), strict=False)
    if named is None or encoding is not None:  # a.txt.gz is no text
        named = "application/gzip" if encoding == "gzip" else OTHER
    kind = served(named, head)
    return kind if kind != OTHER or named in PREVIEWABLE else named
