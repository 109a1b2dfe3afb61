"""What a mailbox held when it was opened, newest first; resumed from its mark, wherever it was interrupted."""

from contracts.provider import MailSource
from services.sync.cursor import Cursor
from services.sync.ingest import Ingest, Told

BATCH = 200


async def backfill(cursor: Cursor, source: MailSource, ingest: Ingest) -> None:
    """Return when the generation is committed. Raises ProviderError, Superseded."""
    mark = cursor.mark

    async def write(told: Told) -> None:
        if told.lowest > 1:
            await cursor.append(told.facts, mark.generation, told=len(told.facts), floor_uid=told.lowest)
            return
        async with cursor.polling:
            # What changed while it was read may have been looked for before it was told: the next poll looks again. One
            # that is under way ends first, or it would have the last word on what has been seen.
            done = {"floor_uid": told.lowest, "done": True, "highestmodseq": mark.modseq_before}
            await cursor.append(told.facts, mark.generation, told=len(told.facts), **done)
            cursor.seen = None

    batches = source.backfill(cursor.mailbox.path, uidvalidity=mark.uidvalidity, below=mark.floor_uid, batch_size=BATCH)
    await ingest.run(cursor, batches, write)
