"""What a letter consists of before it is a message."""

from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from projections.documents import Address


class File(Struct, frozen=True, kw_only=True):
    """`inline`: goes out with the HTML that shows it as `cid:<content_id>`, and not at all when the HTML does not."""

    name: str
    mime: str  # what can't stand in a header is application/octet-stream; of parameters, charset and method go out
    content: bytes | Path
    inline: bool = False
    content_id: str | None = None  # without brackets


class Quoted(Struct, frozen=True, kw_only=True):
    """The original as it is appended: a fragment of clean HTML, and the same as text with its `>`."""

    html: str
    text: str


class Letter(Struct, frozen=True, kw_only=True):
    """All that a message is made of: the same letter gives the same bytes."""

    from_: Address
    reply_to: list[Address] = field(default_factory=list)
    to: list[Address]
    cc: list[Address] = field(default_factory=list)
    bcc: list[Address] = field(default_factory=list)
    subject: str
    html: str  # a clean fragment; inline images as `cid:` or as the sanitizer's `data-cid`
    plain: bool = False  # a text-only letter: `html` gives the text, and no HTML is sent
    date: datetime  # aware
    message_id: str  # this and the following ids with or without brackets
    in_reply_to: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    attachments: list[File] = field(default_factory=list)
    quoted: Quoted | None = None
    unfinished: bool = False  # the copy in Drafts: recipients may be no addresses yet
