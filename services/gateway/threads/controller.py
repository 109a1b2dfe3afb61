"""Lists of conversations and one conversation, always over the read models and never over a mail server (I-1)."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.params import FromPath, FromQuery, QueryParameter

from projections.mail import reader, rows, scopes
from projections.mail.errors import BadCursor, UnknownView
from projections.mail.rows import MessageRow, ThreadRow
from projections.search import reader as search
from projections.search.rows import SearchPage
from projections.sql import Connection
from services import positions
from services.gateway.deps import CurrentUser, Db, Parts
from services.gateway.errors import Refused, bad_cursor, not_found
from services.gateway.messages import shown
from services.gateway.messages.structs import Addr
from services.gateway.security import signed_in
from services.gateway.threads.structs import Thread, ThreadPage, ThreadSummary

SEARCH = "search"
SEARCH_OFFSET = 1000
LIMIT = 200
EXPANDED = 100
"""Messages of one answer that carry their text; more are asked for one by one."""

Limit = Annotated[int, QueryParameter(ge=1, le=LIMIT)]
Offset = Annotated[int, QueryParameter(ge=0, le=2**31)]
Expand = Annotated[int, QueryParameter(ge=0, le=EXPANDED)]


class ThreadController(Controller):
    """Every view is a question to one index (I-3)."""

    path = "/threads"
    tags = ("threads",)
    guards = (signed_in,)

    @get(operation_id="ListThreads")
    async def list_threads(
        self,
        *,
        user: CurrentUser,
        db: Db,
        parts: Parts,
        view: FromQuery[str] = "unified",
        q: FromQuery[str] = "",
        cursor: FromQuery[str | None] = None,
        offset: Offset = 0,
        limit: Limit = 50,
    ) -> ThreadPage:
        """Newest first. `view`: unified, account:{id}, mailbox:{id}, special:{name}, or search for `q`.

        A cursor goes before an offset.
        """
        schemas = ("mail", "search") if view == SEARCH else ("mail",)
        position = await positions.folded(db, user.user_id, parts.settings.partitions, schemas)
        try:
            if view == SEARCH:
                return _found(await _search(db, user.user_id, q, limit=limit, cursor=cursor, offset=offset), position)
            scope = scopes.view(user.user_id, view)
            return _listed(
                await reader.newest(db, user.user_id, scope, limit=limit, cursor=cursor, offset=offset), position
            )
        except UnknownView as unknown:
            raise _unknown_view(unknown) from None
        except BadCursor:
            raise bad_cursor() from None

    @get("/{thread_id:uuid}", operation_id="GetThread")
    async def thread(
        self,
        *,
        user: CurrentUser,
        db: Db,
        parts: Parts,
        thread_id: FromPath[UUID],
        sort: FromQuery[Literal["asc", "desc"] | None] = None,
        expand: Expand = 1,
        view: FromQuery[str | None] = None,
    ) -> Thread:
        """In the user's own order unless one is wished. The `expand` newest messages and all unread ones carry their text.

        `view`: the list that it was opened from.
        """
        newest_is_first = (sort or user.settings.thread_order) == "desc"
        try:
            scope = scopes.view(user.user_id, view) if view and view != SEARCH else None
        except UnknownView as unknown:
            raise _unknown_view(unknown) from None
        position = await positions.folded(db, user.user_id, parts.settings.partitions, ("mail",))
        found = await reader.conversation(db, user.user_id, thread_id, scope_id=scope, newest_first=newest_is_first)
        if found is None:
            raise not_found("conversation")
        newest_first = found.messages if newest_is_first else found.messages[::-1]
        messages = await shown.messages(parts, db, user.user_id, found.messages, _expanded(newest_first, expand))
        return Thread(id=found.id, subject=found.subject, messages=messages, position=position)


def _expanded(newest_first: list[MessageRow], newest: int) -> set[UUID]:
    wanted = [row.id for n, row in enumerate(newest_first) if n < newest or row.unread]
    return set(wanted[:EXPANDED])


async def _search(db: Connection, user_id: UUID, q: str, *, limit: int, cursor: str | None, offset: int) -> SearchPage:
    """What is found has no places to jump to: an offset costs all that it skips."""
    if cursor is not None:
        return await search.threads(db, user_id, q, limit=limit, cursor=cursor)
    if offset > SEARCH_OFFSET:
        raise Refused(400, "offset_too_deep", "Go on from `next_cursor`, or search for more words.")
    page = await search.threads(db, user_id, q, limit=offset + limit)
    return msgspec.structs.replace(page, threads=page.threads[offset:])


def _unknown_view(unknown: UnknownView) -> Refused:
    return Refused(400, "unknown_view", f"{unknown}, or search with q.")


def _listed(page: rows.ThreadPage, position: int) -> ThreadPage:
    return ThreadPage(
        threads=[_summary(row) for row in page.threads],
        total=page.total,
        total_exact=True,
        next_cursor=page.next_cursor,
        position=position,
    )


def _found(page: SearchPage, position: int) -> ThreadPage:
    return ThreadPage(
        threads=[_summary(row) for row in page.threads],
        total=page.total,
        total_exact=page.total_exact,
        next_cursor=page.next_cursor,
        position=position,
    )


def _summary(row: ThreadRow) -> ThreadSummary:
    return ThreadSummary(
        id=row.id,
        subject=row.subject,
        snippet=row.snippet,
        participants=[Addr(name=one.name, email=one.email) for one in row.participants],
        account_ids=row.account_ids,
        message_count=row.message_count,
        unread_count=row.unread_count,
        starred=row.starred,
        has_attachments=row.has_attachments,
        last_message_at=row.last_message_at,
        mailbox_ids=row.mailbox_ids,
    )
