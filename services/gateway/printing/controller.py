"""A conversation as a document to be printed."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Controller, Request, Response, get
from litestar.params import FromPath

from projections.documents import Address, Document, render
from projections.mail import reader
from projections.mail.rows import MessageRow
from services.gateway.deps import CurrentUser, Gateway, Parts, as_user
from services.gateway.errors import Refused, not_found
from services.gateway.messages import documents
from services.gateway.printing.document import Printed, document, headers
from services.gateway.security import signed_in
from services.mail import compose
from services.state import images
from services.state.sessions import Session

MOST = 100
"""Messages of one document: the newest."""

_UNITS = ("B", "KB", "MB", "GB")


class PrintController(Controller):
    """For a frame of the page, which prints it."""

    path = "/threads"
    tags = ("threads",)
    guards = (signed_in,)

    @get("/{thread_id:uuid}/print", operation_id="PrintThread", media_type="text/html")
    async def printed(
        self, *, request: Request[Any, Any, Any], user: CurrentUser, parts: Parts, thread_id: FromPath[UUID]
    ) -> Response[bytes]:
        """In the user's order, language and time zone. Remote images only where the user's own record allows them."""
        newest_first = user.settings.thread_order == "desc"
        framed = request.headers.get("sec-fetch-dest", "iframe") == "iframe"
        async with as_user(parts.db, user.user_id) as db:  # given back before the long work begins
            found = await reader.conversation(db, user.user_id, thread_id, newest_first=newest_first)
            if found is None:
                raise not_found("conversation")
            rows = found.messages[:MOST] if newest_first else found.messages[-MOST:]
            wished = {row.id: row.sender.email for row in rows} if framed else {}
            allowed = await images.allowed(db, user.user_id, wished)
        pages = await asyncio.gather(*(_page(parts, user, row, remote=row.id in allowed) for row in rows))
        left_out = len(found.messages) - len(rows)
        content = document(found.subject, pages, left_out=left_out, language=user.settings.language)
        return Response(content, headers=headers(remote=bool(allowed)))


async def _page(parts: Gateway, user: Session, row: MessageRow, *, remote: bool) -> Printed:
    read = await documents.whole(parts, user.user_id, row.blob)
    fragment = await _fragment(parts, user.user_id, row, read, remote=remote)
    people = {"from": read.from_, "to": read.to, "cc": read.cc, "bcc": read.bcc}
    date = compose.dated(row.sent_at, user.settings.language, ZoneInfo(user.settings.tz))
    lines = [*((name, _named(found)) for name, found in people.items()), ("date", date), ("subject", row.subject)]
    files = [f"{one.filename or 'attachment'} ({_size(one.size)})" for one in row.attachments if not one.inline]
    return Printed(lines, fragment, files)


async def _fragment(parts: Gateway, user_id: UUID, row: MessageRow, read: Document, *, remote: bool) -> str:
    """What is too odd to be shown with images stands there without them."""
    address = f"/api/messages/{row.id}/cid/"
    if remote:
        with suppress(Refused):
            return await parts.cleaner.with_images(parts.blobs, user_id, row.blob, address)
    return await asyncio.to_thread(render, read, lambda cid: address + quote(cid, safe=""))


def _named(people: Sequence[Address]) -> str:
    return ", ".join(f"{one.name} <{one.email}>" if one.name and one.email else one.name or one.email for one in people)


def _size(size: float) -> str:
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if size >= 10 or not unit else f"{size:.1f} {_UNITS[unit]}"
