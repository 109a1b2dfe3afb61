"""Finding threads by their words. Trash and Junk are not looked at."""

from datetime import UTC, datetime
from uuid import UUID

from projections import sql
from projections.mail import reader as mail
from projections.search.query import Wanted, wanted
from projections.search.rows import SearchPage
from projections.sql import Connection

query = sql.Statements("projections.search", "read.sql")

WINDOW = 1_000  # messages to look at before the index of words is asked
ENOUGH = 5  # matches for each thread of a page
COMMON = 50  # matches among so many: not worth asking the index for alone
LAST = UUID(int=2**128 - 1)
END = (datetime(9999, 12, 31, tzinfo=UTC), LAST)

Found = list[tuple[UUID, datetime]]
"""Threads and their newest match, newest first."""


async def threads(db: Connection, user_id: UUID, text: str, *, limit: int, cursor: str | None = None) -> SearchPage:
    """Threads with a message that holds all the words, by their newest such message. Raises BadCursor.

    Needs `app.user_id` to be set, as row-level security does.
    """
    after = END if cursor is None else mail.decode(cursor)
    asked = wanted(user_id, text)
    if asked is None:
        return SearchPage(threads=[], total=0, total_exact=True, next_cursor=None)
    found = await _among_newest(db, user_id, asked.words, after, most=limit * ENOUGH)
    if len(found) > limit:
        return await _page(db, user_id, found, limit)
    rows = await db.fetch(query.everywhere, user_id, asked.words, await _sure(db, user_id, asked))
    rest = [(row["thread_id"], row["at"]) for row in rows if (row["at"], row["thread_id"]) < after]
    return await _page(db, user_id, rest, limit, total=len(rows))


async def everything(db: Connection, user_id: UUID, text: str) -> list[UUID]:
    """All threads that `threads` would give, page after page."""
    asked = wanted(user_id, text)
    if asked is None:
        return []
    rows = await db.fetch(query.everywhere, user_id, asked.words, await _sure(db, user_id, asked))
    return [row["thread_id"] for row in rows]


async def _sure(db: Connection, user_id: UUID, asked: Wanted) -> str:
    """What to ask the index of words for: all words, or without the unfinished one when the others are rare enough."""
    if asked.sure == asked.words:
        return asked.words
    found = await db.fetchval(query.how_common, user_id, asked.sure, *END, WINDOW, COMMON)
    return asked.words if found == COMMON else asked.sure


async def _among_newest(db: Connection, user_id: UUID, words: str, after: tuple[datetime, UUID], *, most: int) -> Found:
    """By looking at the newest messages one by one, which finds enough of common words; no thread of an earlier page.

    Where looking ended, threads of the same time may be missing, so those of the last time are left out.
    """
    rows = await db.fetch(query.among_newest, user_id, words, after[0], LAST, WINDOW, most)
    found = [(row["thread_id"], row["at"]) for row in rows if row["at"] > rows[-1]["at"]]
    found = [(thread, at) for thread, at in found if (at, thread) < after]
    if after == END:
        return found
    newer = await db.fetch(query.newer_matches, user_id, words, [thread for thread, _ in found], after[0])
    shown = {row["thread_id"] for row in newer}
    return [(thread, at) for thread, at in found if thread not in shown]


async def _page(db: Connection, user_id: UUID, found: Found, limit: int, total: int | None = None) -> SearchPage:
    page = found[:limit]
    rows = await mail.threads(db, user_id, [thread for thread, _ in page])
    more = len(found) > limit
    return SearchPage(
        threads=[rows[thread] for thread, _ in page if thread in rows],
        total=len(found) if total is None else total,
        total_exact=total is not None,
        next_cursor=mail.keyset(page[-1][1], page[-1][0]) if more else None,
    )
