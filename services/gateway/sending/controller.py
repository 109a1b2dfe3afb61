"""Sending drafts: now or later, taking them back, and what became of them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar import Controller, Response, delete, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from projections.mail.errors import BadCursor
from projections.mail.reader import decode, keyset
from services import positions
from services.gateway.actions.controller import Key
from services.gateway.deps import CurrentUser, Db, Parts, as_user
from services.gateway.drafts.errors import StaleError, stale
from services.gateway.errors import bad_cursor, not_found
from services.gateway.security import signed_in
from services.gateway.sending import changing, queuing
from services.gateway.sending.shown import one, opened, page
from services.gateway.sending.structs import Queued, Send, SendChange, SendList, SendWish, Undone

Which = Annotated[Literal["open", "all"], QueryParameter(name="state")]  # `state` itself is the framework's word
Limit = Annotated[int, QueryParameter(ge=1, le=200)]


class SendController(Controller):
    """What is asked here is in the log before it is answered; another process sends it when it is due.

    A header `Idempotency-Key` makes a repetition the same send. 202: not yet in the read model.
    """

    path = "/send"
    tags = ("sending",)
    guards = (signed_in,)
    exception_handlers = {StaleError: stale}  # noqa: RUF012 - Litestar's own shape

    @post(operation_id="SendDraft", status_code=200)
    async def send(
        self, *, user: CurrentUser, parts: Parts, data: JSONBody[SendWish], key: Key = None
    ) -> Response[Queued]:
        """400 `no_recipients`, `bad_address` (names it), `bad_time`. 409 `newer_revision` (with that `draft`), `being_sent`, more."""
        return await queuing.queue(parts, user, data.draft_id, data.revision, due=data.due, key=key)

    @get(operation_id="ListSends")
    async def sends(
        self,
        *,
        user: CurrentUser,
        db: Db,
        parts: Parts,
        which: Which = "open",
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> SendList:
        """`open`: queued, attempted, and what failed or is unconfirmed until it is sent again or set aside; all on one page.

        `all`: also what is sent or taken back, until its content is forgotten. Pages may be shorter than `limit`.
        """
        position = await positions.folded(db, user.user_id, parts.settings.partitions, queuing.SCHEMAS)
        if which == "open":
            return SendList(sends=await opened(db, user.user_id), next_cursor=None, position=position)
        found = await page(db, user.user_id, before=_before(cursor), limit=limit)
        next_cursor = keyset(found.after.queued_at, found.after.id) if found.after else None
        return SendList(sends=found.sends, next_cursor=next_cursor, position=position)

    @get("/{outbox_id:uuid}", operation_id="GetSend")
    async def show(self, *, user: CurrentUser, db: Db, outbox_id: FromPath[UUID]) -> Send:
        found = await one(db, user.user_id, outbox_id)
        if found is None:
            raise not_found("mail")
        return found

    @patch("/{outbox_id:uuid}", operation_id="RescheduleSend")
    async def reschedule(
        self, *, user: CurrentUser, parts: Parts, outbox_id: FromPath[UUID], data: JSONBody[SendChange]
    ) -> Send:
        """While it waits. 409 `already_sent`, `not_queued`."""
        due = await changing.put_off(parts, user.user_id, outbox_id, data.due)
        async with as_user(parts.db, user.user_id) as db:
            found = await one(db, user.user_id, outbox_id)
        if found is None:
            raise not_found("mail")
        return msgspec.structs.replace(found, due=due, undo_until=due)

    @delete("/{outbox_id:uuid}", operation_id="SetSendAside")
    async def set_aside(self, *, user: CurrentUser, parts: Parts, outbox_id: FromPath[UUID]) -> None:
        """Spoken of no more; its draft stays. 409 `being_sent` while it is on its way."""
        await changing.set_aside(parts, user.user_id, outbox_id)

    @post("/{outbox_id:uuid}/undo", operation_id="UndoSend", status_code=200)
    async def undo(self, *, user: CurrentUser, parts: Parts, outbox_id: FromPath[UUID]) -> Response[Undone]:
        """409 `already_sent` when it was too late."""
        return await changing.take_back(parts, user.user_id, outbox_id)

    @post("/{outbox_id:uuid}/retry", operation_id="RetrySend", status_code=200)
    async def retry(
        self, *, user: CurrentUser, parts: Parts, outbox_id: FromPath[UUID], key: Key = None
    ) -> Response[Queued]:
        """What failed or is unconfirmed: its draft as it is now, as a further send. 409 `not_failed`, `being_sent`."""
        return await changing.again(parts, user, outbox_id, key)


def _before(cursor: str | None) -> tuple[datetime, UUID] | None:
    if cursor is None:
        return None
    try:
        return decode(cursor)
    except BadCursor:
        raise bad_cursor() from None
