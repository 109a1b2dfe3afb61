"""Documents are fetched before a fold, since the fold itself touches nothing but its rows."""

from collections.abc import Iterable, Mapping
from typing import Protocol
from uuid import UUID

from contracts.facts import ContentChanged, Fact, MessageArrived
from projections.documents.document import Document


class Documents(Protocol):
    """Where documents come from: the memo, and on a miss the blob and the parser."""

    async def fetch(self, user_id: UUID, blobs: Mapping[str, str], *, texts: bool) -> Mapping[str, Document]:
        """A document for each blob (hex SHA-256, with the reason if a fact says that it is unreadable).

        Without `texts` the bodies may be left out. Raises when a blob is missing: that stops the partition.
        """


def blobs(facts: Iterable[Fact]) -> dict[str, str]:
    """The blobs whose documents these facts' fold may ask for, each with why it is unreadable, or empty."""
    found: dict[str, str] = {}
    for fact in facts:
        if isinstance(fact, MessageArrived):
            found[fact.blob] = found.get(fact.blob) or fact.unreadable
        elif isinstance(fact, ContentChanged):
            found.setdefault(fact.blob, "")
    return found
