"""The list of drafts: ours, and those that only the servers have."""

from uuid import UUID

import asyncpg

from projections.documents import sanitize
from projections.documents.document import Document
from projections.documents.text import snippet
from projections.sql import Connection
from services.gateway.deps import Gateway
from services.gateway.drafts.shown import header, outbox, people, query
from services.gateway.drafts.structs import DraftSummary
from services.gateway.messages import documents
from services.gateway.messages.structs import Addr
from services.state import drafts

MOST = 200
"""Lines of either kind."""

_SNIPPET_OF = 4_000  # characters of HTML


async def listed(parts: Gateway, db: Connection, user_id: UUID) -> list[DraftSummary]:
    """Ours and those that only the servers have, newest first; one Message-ID is one draft."""
    copies = await db.fetch(query.in_drafts, user_id, MOST)
    by_header = {row["message_id"]: row for row in copies if row["message_id"]}
    by_id = {row["id"]: row for row in copies}
    ours = await drafts.newest(db, user_id, MOST)
    sources = await db.fetch(query.threads, user_id, [one.source_message_id for one in ours])
    threads = {row["id"]: row["thread_id"] for row in sources}
    lines = [
        _ours(one, by_header.get(header(one)) or by_id.get(one.continued_id), threads.get(one.source_message_id))
        for one in ours
    ]
    known = await drafts.known(db, user_id)
    mirrored: set[object] = {header(one) for one in known} | {one.continued_id for one in known}
    mirrored.discard(None)
    others = [row for row in copies if row["message_id"] not in mirrored and row["id"] not in mirrored]
    read = await documents.read(parts, db, user_id, {row["blob"] for row in others}, ())
    lines += [_elsewhere(row, read[row["blob"]]) for row in others]
    return sorted(lines, key=lambda line: line.updated_at, reverse=True)


def _ours(draft: drafts.Draft, copy: asyncpg.Record | None, thread_id: UUID | None) -> DraftSummary:
    """`thread_id`: of what it answers."""
    content = draft.content
    return DraftSummary(
        id=draft.id,
        message_id=copy["id"] if copy else None,
        account_id=draft.account_id,
        to=people(content.recipients.to),
        subject=content.subject,
        snippet=snippet(sanitize.plain(content.html[:_SNIPPET_OF])),
        updated_at=draft.updated_at,
        outbox_id=outbox(draft),
        thread_id=thread_id or (copy["thread_id"] if copy else None),
        kind=draft.kind,
    )


def _elsewhere(row: asyncpg.Record, document: Document) -> DraftSummary:
    return DraftSummary(
        id=None,
        message_id=row["id"],
        account_id=row["account_id"],
        to=[Addr(name=one.name, email=one.email) for one in document.to],
        subject=row["subject"],
        snippet=row["snippet"],
        updated_at=row["internal_date"],
        outbox_id=None,
        thread_id=row["thread_id"],
        kind="new",
    )
