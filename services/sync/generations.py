"""A mailbox that the server numbers anew: what is known is told again without a download, the rest is still to be fetched."""

import time
from array import array
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from asyncpg import Record

from contracts import ids
from contracts.facts import MessageArrived
from contracts.provider import Listed, MailboxStatus, MailSource
from projections.sql import Statements
from services.sync.cursor import Cursor
from services.sync.ingest import Told
from services.sync.memory import Memory

query = Statements("services.sync", "generations.sql")

PAGE = 500
"""Messages of a listing matched and told at once."""

PAUSE, PAUSE_MOST = 5.0, 3600.0
"""Seconds before a mailbox that was numbered anew may be again, doubled each time: some servers never keep a number."""

NO_EVIDENCE = ids.evidence(b"", b"", b"")
"""Of a message that says nothing of itself: it could be any."""

Write = Callable[[Told], Awaitable[None]]


async def renumber(cursor: Cursor, status: MailboxStatus) -> bool:
    """Open the next generation, of the mailbox and of those that follow it: whether it was time to."""
    now = time.monotonic()
    if now < cursor.renumbered_at + cursor.renumber_pause:
        return False
    steady = now > cursor.renumbered_at + PAUSE_MOST
    cursor.renumber_pause = PAUSE if steady else min(cursor.renumber_pause * 2, PAUSE_MOST)
    await cursor.open(status)
    cursor.renumbered_at = now
    for follower in cursor.followers:
        if follower.opened:
            await follower.follow(cursor, _numbering(follower))
    return True


async def match(cursor: Cursor, memory: Memory, source: MailSource, write: Write) -> "array[int]":
    """Tell again what the listing shows to be known; UIDs that are still to be fetched, ascending."""
    mark = cursor.mark
    rows = await memory.db.fetch(query.every_mailbox, memory.user, memory.account)
    await memory.catch_up([row["mailbox_id"] for row in rows], cursor.last_sequence)
    told = await memory.uids(cursor.mailbox.id, mark.generation, cursor.last_sequence)
    rest = array("I")
    async for page in source.listing(cursor.mailbox.path, uidvalidity=mark.uidvalidity, batch_size=PAGE):
        fresh = [one for one in page if one.uid < mark.backfill_from and not _holds(told, one.uid)]
        known = {row["n"]: row for row in await _known(cursor, memory, fresh)}
        facts = [_again(cursor, fresh[n - 1], row) for n, row in sorted(known.items())]
        rest.extend(one.uid for n, one in enumerate(fresh, 1) if n not in known)
        if facts:
            labels = {one.uid: one.labels for one in fresh if one.labels}
            await write(Told(facts, facts[0].uid, facts[-1].uid, labels))
    return rest


async def _known(cursor: Cursor, memory: Memory, listed: Sequence[Listed]) -> list[Record]:
    columns = (
        [one.email_id or "" for one in listed],
        ["" if one.evidence in (None, NO_EVIDENCE) else one.evidence for one in listed],
        [one.size for one in listed],
        [one.internal_date for one in listed],
    )
    rows: list[Record] = await memory.db.fetch(query.match, memory.user, memory.account, cursor.mailbox.id, *columns)
    return rows


def _again(cursor: Cursor, listed: Listed, known: Record) -> MessageArrived:
    return MessageArrived(
        **cursor.who._asdict(),
        at=datetime.now(UTC),
        mailbox_id=cursor.mailbox.id,
        generation=cursor.mark.generation,
        uid=listed.uid,
        message_id=known["message_id"],
        blob=known["blob"],
        size=known["size"],
        internal_date=listed.internal_date,
        evidence=known["evidence"],
        flags=sorted(listed.flags),
        modseq=listed.modseq or 0,
        email_id=listed.email_id or known["email_id"],
        remote_thread=listed.thread_id or known["remote_thread"],
    )


def _holds(uids: "array[int]", uid: int) -> bool:
    at = bisect_left(uids, uid)
    return at < len(uids) and uids[at] == uid


def _numbering(follower: Cursor) -> MailboxStatus:
    """As its own mailbox was numbered when it was found."""
    mark = follower.mark
    return MailboxStatus(uidvalidity=mark.uidvalidity, uidnext=mark.high_uid + 1, messages=0)
