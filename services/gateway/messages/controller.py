"""One message: what it says, its HTML in a frame, its inline images, its bytes."""

import asyncio
from typing import Any
from urllib.parse import quote
from uuid import UUID

from litestar import Controller, Request, Response, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from projections.documents.document import SANITIZER_VERSION, render
from projections.mail import reader
from projections.mail.rows import MessageRow
from projections.sql import Connection
from services.gateway.attachments import serving
from services.gateway.deps import CurrentUser, Db, Parts, as_user
from services.gateway.errors import Refused, not_found
from services.gateway.messages import documents, frame, shown
from services.gateway.messages.frame import Theme
from services.gateway.messages.structs import Allowed, AllowImages, Message
from services.gateway.security import signed_in
from services.state import images


class MessageController(Controller):
    """Messages that are shown somewhere; any other is not found."""

    path = "/messages/{message_id:uuid}"
    tags = ("messages",)
    guards = (signed_in,)

    @get(operation_id="GetMessage")
    async def message(self, *, user: CurrentUser, db: Db, parts: Parts, message_id: FromPath[UUID]) -> Message:
        """Expanded."""
        row = await _row(db, user.user_id, message_id)
        return (await shown.messages(parts, db, user.user_id, [row], {row.id}))[0]

    @get("/html", operation_id="GetMessageHtml", media_type="text/html")
    async def html(
        self,
        *,
        request: Request[Any, Any, Any],
        user: CurrentUser,
        parts: Parts,
        message_id: FromPath[UUID],
        v: FromQuery[int] = SANITIZER_VERSION,
        theme: FromQuery[Theme] = "light",
        remote: FromQuery[int] = 0,
    ) -> Response[bytes]:
        """The document for the message's frame. `remote=1` counts only where the user's own record allows it."""
        if remote and request.headers.get("sec-fetch-dest", "iframe") != "iframe":
            raise Refused(403, "not_a_frame", "A message with remote images is shown in a frame only.")
        async with as_user(parts.db, user.user_id) as db:  # given back before the long work begins
            row = await _row(db, user.user_id, message_id)
            allowed = bool(remote) and row.id in await images.allowed(db, user.user_id, {row.id: row.sender.email})
        document = await documents.whole(parts, user.user_id, row.blob)
        address = f"/api/messages/{row.id}/cid/"
        if allowed:
            fragment = await parts.cleaner.with_images(parts.blobs, user.user_id, row.blob, address)
        else:
            fragment = await asyncio.to_thread(render, document, lambda cid: address + quote(cid, safe=""))
        keep = v == SANITIZER_VERSION and allowed == bool(remote)
        return Response(
            frame.document(fragment, theme=theme, designed=document.designed),
            headers=frame.headers(remote=allowed, keep=keep),
        )

    @post("/allow-remote-images", operation_id="AllowRemoteImages", status_code=200)
    async def allow_images(
        self, *, user: CurrentUser, db: Db, message_id: FromPath[UUID], data: JSONBody[AllowImages]
    ) -> Allowed:
        """From here on `remote=1` counts for this message, or for all mail of its sender."""
        row = await _row(db, user.user_id, message_id)
        if data.scope == "sender" and row.sender.email:
            await images.allow_sender(db, user.user_id, row.sender.email)
        else:
            await images.allow_once(db, user.user_id, row.id)
        return Allowed(allowed=True)

    @get("/cid/{content_id:path}", operation_id="GetInlinePart")
    async def inline_part(
        self, *, user: CurrentUser, db: Db, parts: Parts, message_id: FromPath[UUID], content_id: FromPath[str]
    ) -> Response[Any]:
        """A part that the HTML names by its Content-ID (RFC 2392)."""
        row = await _row(db, user.user_id, message_id)
        wanted = content_id.removeprefix("/")
        found = next((one for one in row.attachments if one.content_id == wanted), None)
        if found is None:
            raise not_found("part")
        return await serving.part(parts.blobs, user.user_id, found, inline=True)


async def _row(db: Connection, user_id: UUID, message_id: UUID) -> MessageRow:
    row = await reader.message(db, user_id, message_id)
    if row is None:
        raise not_found("message")
    return row
