"""How full a server is: kept as it was said last, shown to the account's owner, and gone when nobody says it any more."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from contracts.provider import Quota
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.blobs import FolderBlobs
from services.parsing.pool import ParsePool
from services.sync import quota
from services.sync.ingest import Ingest
from tests.services.sync.fleet import fleet
from tests.services.sync.mail_server import MailServer
from tests.support.postgres_server import Postgres
from tests.support.processes import Installation, until

Row = tuple[int, int]


class Counting(MailServer):
    """A server that counts."""

    said: Quota | None = None

    async def quota(self) -> Quota | None:
        return self.said


@pytest.fixture
async def db(postgres: Postgres, database: str) -> AsyncIterator[Pool]:
    """With the rights of sync."""
    async with asyncpg.create_pool(postgres.dsn_as("sync", database), min_size=1, max_size=2) as pool:
        yield pool


async def account(owner: "asyncpg.Connection[asyncpg.Record]", handle: str) -> AccountSubjects:
    user: UUID = await owner.fetchval("INSERT INTO users (handle, password_hash) VALUES ($1, '') RETURNING id", handle)
    statement = "INSERT INTO accounts (user_id, email, imap, status) VALUES ($1, $2, '{}', 'active') RETURNING id"
    return AccountSubjects(0, user, await owner.fetchval(statement, user, handle))


async def test_the_last_word_of_the_server_counts(db: Pool, database: str, postgres: Postgres) -> None:
    owner = await asyncpg.connect(database)
    gateway = await asyncpg.connect(postgres.dsn_as("gateway", database))
    mine, other, server = await account(owner, "anna"), await account(owner, "ben"), Counting()

    async def shown(user: UUID) -> list[Row]:
        async with gateway.transaction():
            await gateway.execute("SELECT set_config('app.user_id', $1, true)", str(user))
            return [tuple(row) for row in await gateway.fetch("SELECT used, allowed FROM account_quotas")]

    for used in (10, 20):
        server.said = Quota(used=used, limit=100)
        await quota.weigh(db, mine, server)
        assert await shown(mine.user_id) == [(used, 100)]
    assert await shown(other.user_id) == []
    server.said = None
    await quota.weigh(db, mine, server)
    assert await shown(mine.user_id) == []

    server.said = Quota(used=1, limit=2)
    await quota.weigh(db, mine, server)
    await owner.execute("UPDATE accounts SET status = 'removed' WHERE id = $1", mine.account_id)
    await owner.execute("DELETE FROM account_quotas")
    await quota.weigh(db, mine, server)
    assert await owner.fetchval("SELECT count(*) FROM account_quotas") == 0
    await owner.close()
    await gateway.close()


async def test_an_account_at_work_is_asked_once_in_a_while(
    installed: Installation, parsers: ParsePool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    async def said() -> Quota:
        asked.append(time.monotonic())
        return Quota(used=3, limit=4)

    async with fleet(installed, Ingest(installed.db, FolderBlobs(tmp_path / "blobs"), parsers)) as some:
        (account,) = await some.add()
        server = some.servers[account.account_id]
        monkeypatch.setattr(server, "quota", said)
        async with some.worker("one", POLL_WARM="1", TIER_HOT_ACTIVITY_H="0"):
            await until(lambda: len(server.looks) >= 3)
        statement = "SELECT used, allowed FROM account_quotas WHERE account_id = $1"
        assert tuple(await installed.db.fetchrow(statement, account.account_id)) == (3, 4)
    assert len(asked) == 1
