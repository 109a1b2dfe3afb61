"""What holds of the mail tables after any history: each statement finds the rows that break one rule."""

from collections.abc import AsyncIterator

import pytest

from projections.engine.follow import Folder
from projections.mail.projector import mail as mail_projection
from projections.sql import Pool
from tests.support.given import installed
from tests.support.histories import history
from tests.support.memory_log import MemoryDocuments, MemoryLog

BROKEN = {
    "a list's count is the number of its threads": """
        SELECT * FROM mail.scopes s FULL JOIN (
            SELECT user_id, scope_id, count(*) AS threads, count(*) FILTER (WHERE unread_count > 0) AS unread
            FROM mail.thread_scopes GROUP BY 1, 2) c USING (user_id, scope_id)
        WHERE (s.threads, s.unread) IS DISTINCT FROM (c.threads, c.unread)""",
    "an id belongs to the thread of every message that is or mentions it": """
        SELECT m.id FROM mail.messages m CROSS JOIN unnest(m.keys) key
        LEFT JOIN mail.thread_refs r ON r.ref = key AND r.user_id = m.user_id
        WHERE r.thread_id IS DISTINCT FROM m.thread_id""",
    "a reply is in the thread of what it answers": """
        SELECT m.id FROM mail.messages m LEFT JOIN mail.messages o ON o.id = m.answers
        WHERE m.answers IS NOT NULL AND o.thread_id IS DISTINCT FROM m.thread_id""",
    "a thread is opened by the first of its messages": """
        SELECT * FROM mail.threads t FULL JOIN (
            SELECT thread_id AS id, min(sequence) AS opened FROM mail.messages GROUP BY 1) m USING (id)
        WHERE t.opened IS DISTINCT FROM m.opened""",
    "a message is shown when a placement of it is": """
        SELECT m.id FROM mail.messages m WHERE coalesce(m.shown, false) <> EXISTS (
            SELECT FROM mail.placements p WHERE p.message_id = m.id AND p.place IS NOT NULL)""",
    "a message is listed exactly where its placements are": """
        SELECT * FROM (
            SELECT DISTINCT m.thread_id, unnest(b.scopes) AS scope_id FROM mail.placements p
            JOIN mail.messages m ON m.id = p.message_id JOIN mail.mailboxes b ON b.id = p.place) w
        FULL JOIN (SELECT s.thread_id, s.scope_id FROM mail.thread_scopes s
            WHERE s.scope_id IN (SELECT unnest(scopes) FROM mail.mailboxes)) l USING (thread_id, scope_id)
        WHERE w IS NULL OR l IS NULL""",
    "nothing is shown in a mailbox that is not there": """
        SELECT * FROM mail.placements p WHERE p.place IS NOT NULL AND NOT EXISTS (
            SELECT FROM mail.mailboxes b WHERE b.id = p.place)""",
}


@pytest.fixture
async def db(database: str) -> AsyncIterator[Pool]:
    async with installed(database, [mail_projection]) as pool:
        yield pool


@pytest.mark.parametrize("seed", [11, 12, 13])
async def test_the_tables_agree_with_each_other_all_along(db: Pool, seed: int) -> None:
    told = history(seed)
    folder = Folder(mail_projection, MemoryLog(told.facts), db, MemoryDocuments(told.documents))
    after = 0
    while (moved := await folder.advance(after, 40)) != after:
        after = moved
        for rule, statement in BROKEN.items():
            assert await db.fetch(statement) == [], f"{rule}, after {after} facts"
    assert after == len(told.facts)
