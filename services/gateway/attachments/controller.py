"""Files that came with mail."""

from typing import Any
from uuid import UUID

from litestar import Controller, Response, get
from litestar.params import FromPath, FromQuery

from projections.mail import reader
from services.gateway.attachments import serving
from services.gateway.deps import CurrentUser, Db, Parts
from services.gateway.errors import not_found
from services.gateway.security import signed_in


class AttachmentController(Controller):
    """Saved, or shown where that is safe."""

    path = "/attachments"
    tags = ("messages",)
    guards = (signed_in,)

    @get("/{attachment_id:uuid}", operation_id="GetAttachment")
    async def attachment(
        self, *, user: CurrentUser, db: Db, parts: Parts, attachment_id: FromPath[UUID], inline: FromQuery[int] = 0
    ) -> Response[Any]:
        """`inline=1` counts for raster images, PDF and plain text; anything else is always saved."""
        row = await reader.attachment(db, user.user_id, attachment_id)
        if row is None:
            raise not_found("attachment")
        return await serving.part(parts.blobs, user.user_id, row, inline=bool(inline))
