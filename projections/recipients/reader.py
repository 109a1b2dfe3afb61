"""Whom somebody who types a few letters may mean."""

import re
from collections.abc import Collection
from uuid import UUID

from projections import sql
from projections.recipients.rows import RecipientRow
from projections.recipients.words import asked
from projections.sql import Connection

query = sql.Statements("projections.recipients", "read.sql")

FEW = 300
"""Words with a beginning up to which those whom they find are looked at one by one."""

_BEYOND = "\U0010ffff"
"""After everything that begins with what stands before it."""

_SPECIAL = re.compile(r"([\\%_])")


async def suggest(
    db: Connection, user_id: UUID, text: str, *, own: Collection[str] = (), limit: int = 10
) -> list[RecipientRow]:
    """Likeliest first: who was written to often and lately. `own` addresses, in lower case, come last.

    A rare beginning is looked up; a common one is soon met among the likeliest.
    """
    beginnings = asked(text)
    if not beginnings:
        return []
    span = (beginnings[0], beginnings[0] + _BEYOND)
    patterns = ["% " + _SPECIAL.sub(r"\\\1", beginning) + "%" for beginning in beginnings]
    most = limit + len(own)
    if await db.fetchval(query.how_common, user_id, *span, FEW) < FEW:
        rows = await db.fetch(query.among_few, user_id, *span, patterns, most)
    else:
        rows = await db.fetch(query.among_all, user_id, patterns, most)
    found = sorted((RecipientRow(**row) for row in rows), key=lambda one: one.email in own)
    return found[:limit]
