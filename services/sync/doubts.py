"""Flags that outcomes wrote since the last poll of a server without a log of changes.

There a poll tells what differs from what was told last. Nothing does where somebody took an own change back, and yet the
read model has what the outcome says, which is newer to it. So what such a poll found of these flags is told in any case.
"""

from collections.abc import Collection

from contracts import uidset
from contracts.facts import Applied, RequestApplied
from contracts.provider import FlagChange, MailboxDelta
from services.sync.cursor import Cursor


async def doubted(cursor: Cursor, delta: MailboxDelta, as_of: int) -> set[int]:
    """UIDs of the mailbox, or of those that follow it, that outcomes since the last poll wrote flags of."""
    found: set[int] = set()
    after = cursor.mark.outcomes_seen if cursor.looked is None else cursor.looked
    if cursor.memory is None or delta.status.highestmodseq is not None or as_of <= after:
        return found
    mailboxes = {one.mailbox.id for one in (cursor, *cursor.followers)}
    async for facts in cursor.memory.outcomes(after, as_of):
        for _, fact in facts:
            if isinstance(fact, RequestApplied):
                found.update(_uid(one, cursor) for one in fact.results if (one.moved_to or one.mailbox_id) in mailboxes)
    return found - {0}


async def unchanged(cursor: Cursor, delta: MailboxDelta, uids: Collection[int]) -> list[FlagChange]:
    """Those of the UIDs whose flags the poll found to be as they were told."""
    if cursor.memory is None or not uids:
        return []
    changed = {change.uid for change in delta.flag_changes}
    gone = list(uidset.ranges(delta.expunged))
    left = [uid for uid in uids if uid not in changed and not any(low <= uid <= high for low, high in gone)]
    held = await cursor.memory.flags(cursor.mailbox.id, cursor.mark.generation, left, cursor.last_sequence)
    return [FlagChange(uid=uid, flags=flags) for uid, flags in sorted(held.items())]


def _uid(result: Applied, cursor: Cursor) -> int:
    """Where the message is in the listing that is told of, 0 if it isn't."""
    if result.moved_to is not None:
        return result.copy_uid if result.copy_uidvalidity == cursor.mark.uidvalidity else 0
    return result.uid if result.generation == cursor.mark.generation else 0
