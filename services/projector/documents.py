"""The engine's documents: from the memo, and on a miss from the blob by the parser."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from uuid import UUID

from projections.documents import memo
from projections.documents.document import Document, unreadable
from projections.documents.memo import Encoded
from projections.sql import Pool
from services.blobs import Blobs
from services.parsing.pool import ParsePool

FILES_AT_ONCE = 50


class MemoDocuments:
    """Implements `projections.engine.prefetch.Documents`."""

    def __init__(self, db: Pool, blobs: Blobs, pool: ParsePool) -> None:
        self._db = db
        self._blobs = blobs
        self._pool = pool

    async def fetch(self, user_id: UUID, blobs: Mapping[str, str], *, texts: bool) -> Mapping[str, Document]:
        """Raises BlobMissing."""
        found = await memo.get(self._db, user_id, blobs, texts=texts)
        missing = [sha for sha in blobs if sha not in found]
        for start in range(0, len(missing), FILES_AT_ONCE):
            made = await self._make(user_id, missing[start : start + FILES_AT_ONCE], blobs)
            await memo.put(self._db, user_id, made)
            found |= {sha: encoded.document for sha, encoded in made.items()}
        return found

    async def _make(self, user_id: UUID, shas: Sequence[str], reasons: Mapping[str, str]) -> dict[str, Encoded]:
        """What sync made when it saw them: the parser is a function of the bytes, and what it gave up is in the fact."""
        async with AsyncExitStack() as stack:
            paths = {sha: await stack.enter_async_context(self._blobs.file(user_id, sha)) for sha in shas}
            made = {
                sha: memo.encode(unreadable(reasons[sha], path.stat().st_size))
                for sha, path in paths.items()
                if reasons[sha]
            }
            parsed = await self._pool.parse([path for sha, path in paths.items() if sha not in made])
            made |= zip((sha for sha in shas if sha not in made), (one.encoded for one in parsed), strict=True)
        return made
