"""Outbound sees which UID a message has, of the user that it names, and nothing that mail says; also after a rebuild."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import asyncpg
import pytest

from contracts.facts import SpecialUse
from projections import catalog
from projections.engine import control
from projections.engine.rebuild import rebuild
from projections.mail import placements
from tests.support.given import Account, Given, installed, mail
from tests.support.memory_log import MemoryDocuments


class Told:
    def __init__(self, given: Given, account: Account, message: UUID) -> None:
        self.given, self.account, self.message = given, account, message


@pytest.fixture
async def told(database: str) -> AsyncIterator[Told]:
    account, raw = Account(), mail(key="1")
    async with installed(database, catalog.ALL) as db:
        given = Given(db, catalog.ALL, account.documents)
        await given(account.connected(), account.mailbox("INBOX", SpecialUse.INBOX), account.arrived(raw))
        yield Told(given, account, account.message(raw))


async def seen(told: Told, user: UUID) -> int:
    """Placements that outbound finds when it works for somebody."""
    async with told.given.db.acquire() as db, db.transaction():
        await db.execute("SET LOCAL ROLE webmail_outbound")
        await db.execute("SELECT set_config('app.user_id', $1, true)", str(user))
        await placements.targets(db, told.account.user_id)
        await placements.message_ids(db, told.account.user_id, [told.message])
        return len(await placements.uids(db, told.account.user_id, told.account.account_id, [told.message]))


async def test_it_finds_placements_of_whom_it_works_for(told: Told) -> None:
    assert await seen(told, told.account.user_id) == 1
    assert await seen(told, uuid4()) == 0


async def test_a_rebuild_and_an_older_installation_leave_it_that(told: Told) -> None:
    projection = next(one for one in catalog.ALL if one.name == "mail")
    documents = MemoryDocuments(told.account.documents)
    await rebuild(projection, [told.given.log], told.given.db, documents, compare=True)
    assert await seen(told, told.account.user_id) == 1
    async with told.given.db.acquire() as db:
        await db.execute("REVOKE ALL ON SCHEMA mail FROM webmail_outbound")
        await db.execute("ALTER POLICY own ON mail.placements TO webmail_gateway")
        await control.install(db, [projection], partitions=1)
    assert await seen(told, told.account.user_id) == 1


@pytest.mark.parametrize(
    "what", ["mail.messages (subject)", "mail.threads (subject)", "search.docs (user_id)", "history.requests (id)"]
)
async def test_what_mail_says_is_not_its_business(told: Told, what: str) -> None:
    table, _, column = what.partition(" ")
    async with told.given.db.acquire() as db, db.transaction():
        await db.execute("SET LOCAL ROLE webmail_outbound")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await db.execute(f"SELECT {column} FROM {table}")
