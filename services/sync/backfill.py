"""What a mailbox held when it was opened, newest first; resumed from its mark, wherever it was interrupted."""

from array import array
from collections.abc import AsyncIterator, Sequence

from contracts.facts import Fact
from contracts.provider import Batch, MailboxError, MailSource
from services.sync import poison
from services.sync.cursor import Cursor
from services.sync.errors import Superseded
from services.sync.generations import match
from services.sync.ingest import Ingest, Told
from services.sync.labels import parts
from services.sync.memory import Memory
from services.sync.reconcile import readable

WINDOW = 800
"""Messages asked for at once, ascending, of those that have to be fetched for a later generation."""


async def backfill(cursor: Cursor, source: MailSource, ingest: Ingest) -> None:
    """Return when the generation is committed. Raises ProviderError, Superseded.

    Of a mailbox that was told before under other numbers, what is known is told again, and only the rest is fetched.
    """
    generation = cursor.mark.generation
    try:
        with readable(cursor):
            if cursor.memory is not None and generation > 1:
                await _again(cursor, cursor.memory, source, ingest)
            else:
                await _first(cursor, source, ingest)
    except MailboxError as error:
        if cursor.mark.generation != generation:  # a poll was faster to see that it is numbered anew
            raise Superseded("the mailbox was opened anew") from error
        raise


async def _first(cursor: Cursor, source: MailSource, ingest: Ingest) -> None:
    generation = cursor.mark.generation

    async def write(told: Told) -> None:
        async for part, facts in parts(cursor, told, newest_first=True):
            if part.lowest > 1:
                count, floor = len(part.facts), part.lowest
                await cursor.append(
                    facts, generation, told=count, work=cursor.work, chunks=part.batches, floor_uid=floor
                )
            else:
                await _finish(cursor, generation, facts, part)

    await ingest.run(cursor, poison.backfilled(cursor, source), write)


async def _again(cursor: Cursor, memory: Memory, source: MailSource, ingest: Ingest) -> None:
    """The floor stays where it is until all is told: what was told before is in memory, in no order."""
    generation = cursor.mark.generation

    async def write(told: Told) -> None:
        async for part, facts in parts(cursor, told):
            await cursor.append(facts, generation, told=len(part.facts), work=cursor.work, chunks=part.batches)

    rest = await match(cursor, memory, source, write)
    await ingest.run(cursor, _newest_first(cursor, source, rest), write)
    await _finish(cursor, generation, [], Told([], 1, 1))


async def _newest_first(cursor: Cursor, source: MailSource, uids: "array[int]") -> AsyncIterator[Batch]:
    for end in range(len(uids), 0, -WINDOW):
        async for batch in poison.fetched(cursor, source, uids[max(0, end - WINDOW) : end]):
            yield batch


async def _finish(cursor: Cursor, generation: int, facts: Sequence[Fact], last: Told) -> None:
    """What changed while it was read may have been looked for before it was told: the next poll looks again, and at what
    all outcomes wrote. One that is under way ends first, or it would have the last word on what has been seen.
    """
    async with cursor.polling:
        seen = cursor.mark.modseq_before
        moved = {"floor_uid": 1, "done": True, "highestmodseq": seen}
        count = len(last.facts)
        await cursor.append(facts, generation, told=count, work=cursor.work, chunks=last.batches, **moved)
        cursor.seen = None
        cursor.looked = 0
