"""Flags that outcomes wrote since the last poll of a server without a log of changes.

There a poll tells what differs from what was told last. Nothing does where somebody took an own change back, and yet the
read model has what the outcome says, which is newer to it. So what such a poll found of these flags is told in any case.
"""

from contracts import uidset
from contracts.facts import Applied, RequestApplied
from contracts.provider import FlagChange, MailboxDelta
from services.sync.cursor import Cursor
from services.sync.memory import Memory


async def doubted(cursor: Cursor, delta: MailboxDelta, as_of: int, floor: int) -> list[FlagChange]:
    """Those that the poll found as they were told. `floor`: the lowest UID that was told when it began."""
    after = cursor.mark.outcomes_seen if cursor.looked is None else cursor.looked
    if cursor.memory is None or delta.status.highestmodseq is not None or as_of <= after:
        return []
    changed = {change.uid for change in delta.flag_changes}
    gone = list(uidset.ranges(delta.expunged))
    same = [
        uid
        for uid in await _written(cursor, cursor.memory, after, as_of)
        if uid >= floor and uid not in changed and not any(low <= uid <= high for low, high in gone)
    ]
    held = await cursor.memory.flags(cursor.mailbox.id, cursor.mark.generation, same, cursor.last_sequence)
    return [FlagChange(uid=uid, flags=flags) for uid, flags in sorted(held.items())]


async def _written(cursor: Cursor, memory: Memory, after: int, upto: int) -> set[int]:
    """UIDs of the mailbox that outcomes between two sequences wrote flags of."""
    found: set[int] = set()
    async for facts in memory.outcomes(after, upto):
        for _, fact in facts:
            if isinstance(fact, RequestApplied):
                found.update(_uid(one, cursor) for one in fact.results)
    return found - {0}


def _uid(result: Applied, cursor: Cursor) -> int:
    """Where the message is in the listing that is told of, 0 if it isn't."""
    if (result.moved_to or result.mailbox_id) != cursor.mailbox.id:
        return 0
    if result.moved_to is not None:
        return result.copy_uid if result.copy_uidvalidity == cursor.mark.uidvalidity else 0
    return result.uid if result.generation == cursor.mark.generation else 0
