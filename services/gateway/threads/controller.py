"""Lists of conversations and one conversation, always over the read models and never over a mail server (I-1)."""

from typing import Annotated, Literal
from uuid import UUID

from litestar import Controller, get
from litestar.params import FromPath, FromQuery, QueryParameter

from projections.mail import reader, scopes
from projections.mail.errors import BadCursor, UnknownView
from projections.mail.rows import MessageRow, ThreadRow
from projections.sql import Connection
from services.gateway import positions
from services.gateway.deps import CurrentUser, Db, Gateway, Parts
from services.gateway.errors import Refused, not_found
from services.gateway.messages import shown
from services.gateway.messages.structs import Addr
from services.gateway.security import signed_in
from services.gateway.threads.structs import Thread, ThreadPage, ThreadSummary

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
        cursor: FromQuery[str | None] = None,
        offset: Offset = 0,
        limit: Limit = 50,
    ) -> ThreadPage:
        """Newest first. `view`: unified, account:{id}, mailbox:{id}, special:{name}. A cursor goes before an offset."""
        scope = _scope(user.user_id, view)
        position = await _position(parts, db, user.user_id)
        try:
            page = await reader.newest(db, user.user_id, scope, limit=limit, cursor=cursor, offset=offset)
        except BadCursor:
            raise Refused(400, "bad_cursor", "This is no cursor of ours. Begin with the first page.") from None
        return ThreadPage(
            threads=[_summary(row) for row in page.threads],
            total=page.total,
            total_exact=True,
            next_cursor=page.next_cursor,
            position=position,
        )

    @get("/{thread_id:uuid}", operation_id="GetThread")
    async def thread(
        self,
        *,
        user: CurrentUser,
        db: Db,
        parts: Parts,
        thread_id: FromPath[UUID],
        sort: FromQuery[Literal["asc", "desc"]] = "asc",
        expand: Expand = 1,
        view: FromQuery[str | None] = None,
    ) -> Thread:
        """The `expand` newest messages and all unread ones carry their text. `view`: the list that it was opened from."""
        scope = _scope(user.user_id, view) if view else None
        position = await _position(parts, db, user.user_id)
        found = await reader.conversation(db, user.user_id, thread_id, scope_id=scope, newest_first=sort == "desc")
        if found is None:
            raise not_found("conversation")
        newest_first = found.messages if sort == "desc" else found.messages[::-1]
        messages = await shown.messages(parts, db, user.user_id, found.messages, _expanded(newest_first, expand))
        return Thread(id=found.id, subject=found.subject, messages=messages, position=position)


def _expanded(newest_first: list[MessageRow], newest: int) -> set[UUID]:
    wanted = [row.id for n, row in enumerate(newest_first) if n < newest or row.unread]
    return set(wanted[:EXPANDED])


def _scope(user_id: UUID, view: str) -> UUID:
    try:
        return scopes.view(user_id, view)
    except UnknownView as unknown:
        raise Refused(400, "unknown_view", f"{unknown}.") from None


async def _position(parts: Gateway, db: Connection, user_id: UUID) -> int:
    """Read before the rows, so that they are never older than it says."""
    return await positions.folded(db, user_id, parts.settings.partitions, ("mail",))


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
