"""Who changed what and when, what became of it, and taking it back."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.params import FromPath, FromQuery, QueryParameter

from projections.history import reader
from projections.history.rows import RequestRow
from projections.mail import reader as mail
from projections.sql import Connection
from services import positions
from services.gateway.actions.plan import Wish
from services.gateway.actions.requests import ask, caught_up
from services.gateway.actions.structs import Requested
from services.gateway.deps import CurrentUser, Db, Gateway, Parts, as_user
from services.gateway.errors import bad_cursor, not_found, unavailable
from services.gateway.history import undo
from services.gateway.history.shown import entry
from services.gateway.history.structs import Entry, HistoryPage
from services.gateway.security import signed_in

SCHEMAS = ("mail", "history")

UNTOLD = 10.0
"""Seconds until a request that was just asked for is in the history, also while an account's first mail is folded."""

Limit = Annotated[int, QueryParameter(ge=1, le=200)]


class HistoryController(Controller):
    """Requests of the user; those of others look like none."""

    path = "/"
    tags = ("history",)
    guards = (signed_in,)

    @get("/history", operation_id="ListHistory")
    async def history(
        self, *, user: CurrentUser, db: Db, parts: Parts, cursor: FromQuery[str | None] = None, limit: Limit = 50
    ) -> HistoryPage:
        """Newest first."""
        position = await positions.folded(db, user.user_id, parts.settings.partitions, SCHEMAS)
        rows = await reader.newest(db, user.user_id, before=_before(cursor), limit=limit + 1)
        page = rows[:limit]
        return HistoryPage(
            entries=[entry(row) for row in page],
            next_cursor=str(page[-1].sequence) if len(rows) > limit else None,
            position=position,
        )

    @get("/history/{request_id:uuid}", operation_id="GetRequest")
    async def request(self, *, user: CurrentUser, parts: Parts, request_id: FromPath[UUID]) -> Entry:
        """What became of one request, if it was only just asked for too. 503 while that is not known yet."""
        return entry(await _request(parts, user.user_id, request_id))

    @get("/threads/{thread_id:uuid}/history", operation_id="ListThreadHistory")
    async def thread_history(
        self, *, user: CurrentUser, db: Db, parts: Parts, thread_id: FromPath[UUID]
    ) -> HistoryPage:
        """What was asked of the messages of a conversation: the newest hundred."""
        position = await positions.folded(db, user.user_id, parts.settings.partitions, SCHEMAS)
        if not await mail.threads(db, user.user_id, [thread_id]):
            raise not_found("conversation")
        rows = await reader.of_thread(db, user.user_id, thread_id)
        return HistoryPage(entries=[entry(row) for row in rows], next_cursor=None, position=position)

    @post("/history/{request_id:uuid}/undo", operation_id="UndoRequest", status_code=200)
    async def undo(self, *, user: CurrentUser, parts: Parts, request_id: FromPath[UUID]) -> Response[Requested]:
        """A request that takes another one back. 409 `not_undoable`, with the reason, where that can't be done."""
        await caught_up(parts, user.user_id, SCHEMAS)  # so may be what takes it back already
        row = await _request(parts, user.user_id, request_id)
        async with as_user(parts.db, user.user_id) as db:
            origin = await undo.origin(db, user.user_id, row)

        async def plan(db: Connection, _: bool) -> Sequence[Wish]:
            return await undo.plan(db, user.user_id, row)

        return await ask(parts, user.user_id, plan, origin=origin)


async def _request(parts: Gateway, user_id: UUID, request_id: UUID) -> RequestRow:
    """It may be of a moment ago. Raises Refused: nobody asked for it, or that is not known yet."""
    row = await _row(parts, user_id, request_id)
    if row is None:
        known = await caught_up(parts, user_id, SCHEMAS, patience=UNTOLD)
        row = await _row(parts, user_id, request_id)
        if row is None:
            raise not_found("request") if known else unavailable()
    return row


async def _row(parts: Gateway, user_id: UUID, request_id: UUID) -> RequestRow | None:
    async with as_user(parts.db, user_id) as db:
        found = await reader.requests(db, user_id, [request_id])
    return found[0] if found else None


def _before(cursor: str | None) -> int:
    if cursor is None:
        return reader.NEWEST
    if not (cursor.isascii() and cursor.isdecimal()) or int(cursor) > reader.NEWEST:
        raise bad_cursor()
    return int(cursor)
