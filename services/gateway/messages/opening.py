"""Messages that somebody opens: parsed by a child with their HTML cleaned by the sanitizer of today, and kept for a moment.

Whoever asks for a conversation asks for its bodies next.
"""

from collections import OrderedDict
from uuid import UUID

from projections.documents.document import Document
from services.blobs import Blobs
from services.parsing.pool import ParsePool

KEPT = 8 << 20
"""Characters of text and HTML; a document counts as a thousand more."""


class Opener:
    """Shared by a whole process. `parser` gives documents with HTML."""

    def __init__(self, blobs: Blobs, parser: ParsePool) -> None:
        self._blobs = blobs
        self._parser = parser
        self._kept: OrderedDict[tuple[UUID, str], Document] = OrderedDict()
        self._size = 0

    async def document(self, user_id: UUID, blob: str) -> Document:
        """Whole. Raises BlobMissing."""
        known = self._kept.get((user_id, blob))
        if known is not None:
            self._kept.move_to_end((user_id, blob))
            return known
        async with self._blobs.file(user_id, blob) as path:
            (parsed,) = await self._parser.parse([path])
        document = parsed.encoded.document
        self._keep(user_id, blob, document)
        return document

    def _keep(self, user_id: UUID, blob: str, document: Document) -> None:
        """And forget those that were asked for longest ago; two may have asked for one at once."""
        before = self._kept.pop((user_id, blob), None)
        self._kept[user_id, blob] = document
        self._size += _weight(document) - (_weight(before) if before else 0)
        while self._size > KEPT and self._kept:
            self._size -= _weight(self._kept.popitem(last=False)[1])


def _weight(document: Document) -> int:
    return len(document.text) + len(document.html or "") + 1_000
