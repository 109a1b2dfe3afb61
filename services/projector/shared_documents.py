"""Documents of one partition fetched once for all projections: those that follow closely are given what another just had."""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from projections.documents.document import Document
from projections.engine.prefetch import Documents

REMEMBERED = 16 << 20
"""Characters of text; a document counts as a thousand more."""


class SharedDocuments:
    """Implements `projections.engine.prefetch.Documents` over another. Texts always come along: some projection wants them."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._recent: dict[tuple[UUID, str], Document] = {}
        self._size = 0
        self._fetching = asyncio.Lock()

    async def fetch(
        self,
        user_id: UUID,
        blobs: Mapping[str, str],
        *,
        texts: bool,  # noqa: ARG002 - the protocol's; more than was asked for is no harm
    ) -> Mapping[str, Document]:
        """Raises what the other raises."""
        async with self._fetching:
            recent = self._recent
            wanted = {sha: reason for sha, reason in blobs.items() if (user_id, sha) not in recent}
            fetched = await self._documents.fetch(user_id, wanted, texts=True) if wanted else {}
            found = {sha: fetched[sha] if sha in fetched else recent[user_id, sha] for sha in blobs}
            self._remember(user_id, fetched)
        return found

    def _remember(self, user_id: UUID, documents: Mapping[str, Document]) -> None:
        """And forget the oldest."""
        for sha, document in documents.items():
            self._recent[user_id, sha] = document
            self._size += _weight(document)
        while self._size > REMEMBERED:
            oldest = next(iter(self._recent))
            self._size -= _weight(self._recent.pop(oldest))


def _weight(document: Document) -> int:
    return len(document.text) + 1_000
