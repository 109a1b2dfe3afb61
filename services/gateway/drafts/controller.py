"""Drafts: begin, list, save and delete them, and their files."""

from typing import Any
from uuid import UUID

from litestar import Controller, Response, delete, get, patch, post, put
from litestar.params import FromPath, FromQuery, JSONBody, RawBody

from services.gateway.attachments import serving
from services.gateway.deps import CurrentUser, Db, Parts, as_user
from services.gateway.drafts import beginning, continuing, ending, files, noticing, saving
from services.gateway.drafts.errors import MisplacedError, StaleError, misplaced, stale
from services.gateway.drafts.listing import listed
from services.gateway.drafts.shown import shown
from services.gateway.drafts.structs import Draft, DraftList, NewDraft, NewUpload, Saved, SaveDraft, Upload
from services.gateway.drafts.telling import tell_of_end
from services.gateway.errors import not_found
from services.gateway.openapi import BinaryBody
from services.gateway.security import BINARY, signed_in
from services.state import drafts


class DraftController(Controller):
    """Saved as they are written. What two write at once, the second is told of and nothing of it is lost."""

    path = "/drafts"
    tags = ("drafts",)
    guards = (signed_in,)
    exception_handlers = {StaleError: stale, MisplacedError: misplaced}  # noqa: RUF012 - Litestar's own shape

    @post(operation_id="BeginDraft", status_code=201)
    async def begin(self, *, user: CurrentUser, parts: Parts, data: JSONBody[NewDraft]) -> Response[Draft]:
        """Empty, or as an answer; 200: with `new` and a message of Drafts, the draft that went on from it before."""
        if data.kind == "new" and data.message_id is not None:
            await noticing.notice(parts, user.user_id)
            continued = await continuing.go_on(parts, user.user_id, data.message_id)
            return Response(continued.draft, status_code=201 if continued.made else 200)
        return Response(await beginning.begin(parts, user, data), status_code=201)

    @get(operation_id="ListDrafts")
    async def drafts(self, *, user: CurrentUser, db: Db, parts: Parts) -> DraftList:
        """Ours, and those that only the servers have: go on with these by their `message_id`."""
        await noticing.notice(parts, user.user_id)
        await ending.miss(parts, user.user_id)
        return DraftList(drafts=await listed(parts, db, user.user_id))

    @get("/{draft_id:uuid}", operation_id="GetDraft")
    async def draft(self, *, user: CurrentUser, db: Db, parts: Parts, draft_id: FromPath[UUID]) -> Draft:
        await noticing.notice(parts, user.user_id, draft_id)
        found = await drafts.find(db, user.user_id, draft_id)
        if found is None:
            raise not_found("draft")
        return await shown(parts, db, user.user_id, found)

    @put("/{draft_id:uuid}", operation_id="SaveDraft")
    async def save(
        self, *, user: CurrentUser, parts: Parts, draft_id: FromPath[UUID], data: JSONBody[SaveDraft]
    ) -> Saved:
        """409 `newer_revision` (with that `draft`) when it was saved meanwhile, here or by another program; `being_sent` while it is.

        409 `no_such_sender`: its identity is none of the user's any more.
        """
        await noticing.notice(parts, user.user_id, draft_id)
        return Saved(draft=await saving.save(parts, user, draft_id, data))

    @delete("/{draft_id:uuid}", operation_id="DeleteDraft")
    async def discard(self, *, user: CurrentUser, parts: Parts, draft_id: FromPath[UUID]) -> None:
        """With its files, and its copy on the server. Other tabs are told by `draft.saved`: whoever asks again gets 404."""
        async with as_user(parts.db, user.user_id) as db:
            await saving.check_changeable(db, user.user_id, draft_id)
            draft = await drafts.find(db, user.user_id, draft_id)
            await drafts.delete(db, user.user_id, draft_id)
        if draft is not None:
            await tell_of_end(parts, user.user_id, draft)

    @post("/{draft_id:uuid}/attachments", operation_id="BeginUpload", status_code=201)
    async def begin_upload(
        self, *, user: CurrentUser, parts: Parts, draft_id: FromPath[UUID], data: JSONBody[NewUpload]
    ) -> Upload:
        """Its bytes follow in pieces."""
        return await files.begin(parts, user.user_id, draft_id, data)

    @patch(
        "/{draft_id:uuid}/attachments/{upload_id:uuid}",
        operation_id="SendPiece",
        operation_class=BinaryBody,
        opt=BINARY,
    )
    async def send_piece(
        self,
        *,
        user: CurrentUser,
        parts: Parts,
        draft_id: FromPath[UUID],
        upload_id: FromPath[UUID],
        body: RawBody,
        offset: FromQuery[int] = 0,
    ) -> Upload:
        """The next bytes, at most a megabyte, as application/octet-stream. 409 `wrong_offset` (with the `upload`): go on from there."""
        return await files.receive(parts, user.user_id, draft_id, upload_id, piece=body, offset=offset)

    @get("/{draft_id:uuid}/attachments/{upload_id:uuid}", operation_id="GetUpload")
    async def upload(
        self,
        *,
        user: CurrentUser,
        parts: Parts,
        draft_id: FromPath[UUID],
        upload_id: FromPath[UUID],
        inline: FromQuery[int] = 0,
    ) -> Response[Any]:
        """Its bytes, once it is complete; `inline=1` as with what came with mail."""
        row = await files.whole(parts, user.user_id, draft_id, upload_id)
        return await serving.part(parts.blobs, user.user_id, row, inline=bool(inline))

    @delete("/{draft_id:uuid}/attachments/{upload_id:uuid}", operation_id="RemoveUpload")
    async def remove_upload(
        self, *, user: CurrentUser, parts: Parts, draft_id: FromPath[UUID], upload_id: FromPath[UUID]
    ) -> None:
        await files.remove(parts, user.user_id, draft_id, upload_id)
