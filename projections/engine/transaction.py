"""What a fold may touch: its own rows of one user, the documents that were fetched before, and the events it announces."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from contracts.events import Event
from projections.documents.document import Document
from projections.sql import Connection


class Transaction:
    """One user's part of a batch. Every statement gets `user_id` as `$1`, so none can forget it (I-7)."""

    def __init__(self, db: Connection, user_id: UUID, documents: Mapping[str, Document]) -> None:
        self.user_id = user_id
        self.events: list[Event] = []
        self._db = db
        self._documents = documents

    async def fetch(self, statement: str, *args: Any) -> list[asyncpg.Record]:
        return await self._db.fetch(statement, self.user_id, *args)

    async def execute(self, statement: str, *args: Any) -> None:
        await self._db.execute(statement, self.user_id, *args)

    async def executemany(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._db.executemany(statement, [(self.user_id, *row) for row in rows])

    def document(self, blob: str) -> Document:
        """The document of a blob named by a fact of this batch; prefetched, so a miss is a fault of ours (KeyError)."""
        return self._documents[blob]

    def announce(self, *events: Event) -> None:
        """Tell browsers and plugins after the commit; the engine adds the position. Lost in rebuilds and refolds."""
        self.events.extend(events)
