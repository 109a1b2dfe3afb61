"""What is shown of a message."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec


class Addr(msgspec.Struct, frozen=True, kw_only=True):
    """`name`: empty when the mail gives none."""

    name: str
    email: str


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """`inline`: the body shows it. `previewable`: a kind that is shown when asked for with `inline=1`."""

    id: UUID
    filename: str
    mime: str
    size: int
    inline: bool
    content_id: str | None
    previewable: bool


class RemoteImages(msgspec.Struct, frozen=True, kw_only=True):
    """How many the HTML wants to load, and whether this user allows them."""

    blocked: int
    allowed: bool


class Unsubscribe(msgspec.Struct, frozen=True, kw_only=True):
    """Where a mailing list can be left (RFC 2369). `one_click`: a POST of `List-Unsubscribe=One-Click` to `https` does it (RFC 8058)."""

    mailto: str | None
    https: str | None
    one_click: bool


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """`date`: the mail's own, or when the server got it. `designed`: HTML with colours of its own.

    `text`, `list_unsubscribe`: null unless `expanded`.
    """

    id: UUID
    thread_id: UUID
    account_id: UUID
    mailbox_ids: list[UUID]
    from_: list[Addr] = msgspec.field(name="from")
    sender: list[Addr]
    reply_to: list[Addr]
    to: list[Addr]
    cc: list[Addr]
    bcc: list[Addr]
    subject: str
    date: datetime
    internal_date: datetime
    unread: bool
    starred: bool
    answered: bool
    draft: bool
    forwarded: bool
    flags: list[str]
    size: int
    snippet: str
    expanded: bool
    text: str | None
    has_html: bool
    designed: bool
    remote_images: RemoteImages
    attachments: list[Attachment]
    warnings: list[str]
    message_id: str | None
    list_unsubscribe: Unsubscribe | None
    sanitizer_version: int


class AllowImages(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`once`: this message, for an hour. `sender`: all mail from this address."""

    scope: Literal["once", "sender"]


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """Always true."""

    allowed: bool
