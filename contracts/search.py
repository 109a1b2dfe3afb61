"""The port of a search engine (§5.2), version 2: what is mutable or of a thread is joined from `mail`, not indexed."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

import msgspec


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """`text`: the free text. `user_id` is always set (I-7)."""

    user_id: UUID
    text: str


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """One message that matches; `date` orders hits, newest first."""

    message_id: UUID
    date: datetime


class SearchDoc(msgspec.Struct, frozen=True, kw_only=True):
    """What of a message is searched. `people`: names and addresses of From, To, Cc."""

    user_id: UUID
    account_id: UUID
    message_id: UUID
    date: datetime
    size: int
    subject: str
    body: str
    from_: list[str]
    to: list[str]
    attachment_names: list[str]


class SearchBackend(Protocol):
    """An engine that finds messages; every method is bound to one user."""

    async def index(self, user_id: UUID, docs: list[SearchDoc]) -> None:
        """Idempotent: a doc replaces the one of the same message."""

    async def delete(self, user_id: UUID, message_ids: list[UUID]) -> None:
        """Unknown ids are no error."""

    async def delete_user(self, user_id: UUID) -> None:
        """Everything of the user."""

    async def query(self, query: SearchQuery, *, limit: int, cursor: str | None) -> tuple[list[SearchHit], str | None]:
        """At most `limit` hits, newest first, and the cursor of the next page. Never raises on odd text."""
