"""What a mailbox held when it was opened, newest first; resumed from its mark, wherever it was interrupted."""

from contracts.provider import MailSource
from services.sync.cursor import Cursor
from services.sync.ingest import Ingest, Told

BATCH = 200


async def backfill(cursor: Cursor, source: MailSource, ingest: Ingest) -> None:
    """Return when the generation is committed. Raises ProviderError, Superseded."""
    mark = cursor.mark

    async def write(told: Told) -> None:
        moved: dict[str, object] = {"floor_uid": told.lowest}
        if told.lowest <= 1:
            # What changed while it was read may have been looked for before it was told: the next poll looks again.
            moved |= {"done": True, "highestmodseq": mark.modseq_before}
        await cursor.append(told.facts, mark.generation, told=len(told.facts), **moved)

    batches = source.backfill(cursor.mailbox.path, uidvalidity=mark.uidvalidity, below=mark.floor_uid, batch_size=BATCH)
    await ingest.run(cursor, batches, write)
    cursor.seen = None
