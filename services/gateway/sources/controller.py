"""A message as it came: its source to be saved or read, its header, all its files at once."""

from typing import Any
from uuid import UUID

import msgspec
from litestar import Controller, Response, get
from litestar.params import FromPath

from projections.mail import reader
from projections.mail.rows import MessageRow
from projections.sql import Connection
from services.gateway.attachments import serving
from services.gateway.deps import CurrentUser, Db, Parts
from services.gateway.errors import not_found
from services.gateway.messages import headers
from services.gateway.security import signed_in
from services.gateway.sources import archive


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """A field as a person reads it: unfolded and decoded."""

    name: str
    value: str


class Headers(msgspec.Struct, frozen=True, kw_only=True):
    """In the message's own order."""

    headers: list[Header]


class SourceController(Controller):
    """Of messages that are shown somewhere; any other is not found."""

    path = "/messages/{message_id:uuid}"
    tags = ("messages",)
    guards = (signed_in,)

    @get("/eml", operation_id="GetMessageFile")
    async def eml(self, *, user: CurrentUser, db: Db, parts: Parts, message_id: FromPath[UUID]) -> Response[Any]:
        """The message as the server gave it, byte for byte, to be saved."""
        row = await _row(db, user.user_id, message_id)
        return await serving.whole(parts.blobs, user.user_id, row, inline=False)

    @get("/raw", operation_id="GetMessageSource")
    async def raw(self, *, user: CurrentUser, db: Db, parts: Parts, message_id: FromPath[UUID]) -> Response[Any]:
        """The same bytes as text."""
        row = await _row(db, user.user_id, message_id)
        return await serving.whole(parts.blobs, user.user_id, row, inline=True)

    @get("/headers", operation_id="GetMessageHeaders")
    async def fields(self, *, user: CurrentUser, db: Db, parts: Parts, message_id: FromPath[UUID]) -> Headers:
        row = await _row(db, user.user_id, message_id)
        found = await headers.read(parts, user.user_id, row.blob)
        return Headers(headers=[Header(name=name, value=value) for name, value in found])

    @get("/attachments.zip", operation_id="GetAttachments")
    async def files(self, *, user: CurrentUser, db: Db, parts: Parts, message_id: FromPath[UUID]) -> Response[Any]:
        """All files that are not shown in the text, in one."""
        row = await _row(db, user.user_id, message_id)
        if not (attached := [one for one in row.attachments if not one.inline]):
            raise not_found("attachment")
        return archive.zipped(parts.blobs, user.user_id, row, attached)


async def _row(db: Connection, user_id: UUID, message_id: UUID) -> MessageRow:
    row = await reader.message(db, user_id, message_id)
    if row is None:
        raise not_found("message")
    return row
