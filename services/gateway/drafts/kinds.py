"""Which kind a file of a draft is sent as: by its first bytes, and where these say nothing by its name."""

from mimetypes import MimeTypes

from services.gateway.attachments.kinds import OTHER, PREVIEWABLE, served

_BY_NAME = MimeTypes()  # Python's own table: the same on every machine
HEAD = 4096


def sent_as(filename: str, head: bytes) -> str:
    """What its name calls an image and its bytes do not is bytes."""
    named = _BY_NAME.guess_type(filename, strict=False)[0] or OTHER
    kind = served(named, head)
    return kind if kind != OTHER or named in PREVIEWABLE else named
