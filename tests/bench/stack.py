"""The servers of a bench: a real nats-server and Postgres in a temporary folder, as `webmail up` runs them."""

import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar
from uuid import UUID

import asyncpg

from contracts import ids, streams
from contracts.facts import Fact, MessageArrived
from contracts.subjects import AccountSubjects
from projections import sql
from projections.documents import memo
from projections.documents.document import Document
from projections.engine.projection import Projection
from projections.sql import Pool
from services.embedded.nats import NatsServer
from services.embedded.postgres import PostgresServer
from services.log.appender import AccountAppender
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.state.prepare import prepare
from tests.bench.population import Person, document_of

PARTITIONS = 4
T = TypeVar("T")


class Stack(NamedTuple):
    """Both servers with streams and tables made; connections with the administrator's rights."""

    nc: Connection
    db: Pool
    dsn: str
    url: str


@asynccontextmanager
async def stack(projections: Sequence[Projection]) -> AsyncIterator[Stack]:
    """Up while the block lasts. Acknowledged means on disk, as in the product."""
    with tempfile.TemporaryDirectory(prefix="wm-bench-") as folder:
        Path(folder).chmod(0o755)  # noqa: ASYNC240 - once, before anything runs
        postgres = PostgresServer(Path(folder) / "pg", password="bench")
        nats = NatsServer(Path(folder) / "nats")
        try:
            postgres.start()
            nats.start()
            await prepare(postgres.dsn(), projections, PARTITIONS)
            async with AsyncExitStack() as both:
                nc = await connect(nats.url, streams.Role.ADMIN)
                both.push_async_callback(nc.close)
                await apply(nc, PARTITIONS, 1)
                pool = asyncpg.create_pool(postgres.dsn(), min_size=1, max_size=10, init=sql.types)
                yield Stack(nc, await both.enter_async_context(pool), postgres.dsn(), nats.url)
        finally:
            nats.stop()
            postgres.stop()


class Remembered:
    """Documents from the memo, where all of them are."""

    def __init__(self, db: Pool) -> None:
        self._db = db

    async def fetch(self, user_id: UUID, blobs: Mapping[str, str], *, texts: bool) -> Mapping[str, Document]:
        return await memo.get(self._db, user_id, blobs, texts=texts)


async def tell(stack: Stack, person: Person) -> None:
    """All facts of a person into the log and all documents into the memo, as sync leaves them."""
    partition = ids.partition(person.user_id, PARTITIONS)
    appenders = {}
    for account in person.accounts:
        appenders[account] = AccountAppender(stack.nc, AccountSubjects(partition, person.user_id, account))
        await appenders[account].claim("bench")
    for facts in batched(person.facts(), 900):
        for account, appender in appenders.items():
            subjects = AccountSubjects(partition, person.user_id, account)
            mine = [(subjects.mailbox(mailbox_of(fact)), fact) for fact in facts if fact.account_id == account]
            if mine:
                await appender.append(mine)
        blobs = [fact.blob for fact in facts if isinstance(fact, MessageArrived)]
        await memo.put(stack.db, person.user_id, {blob: memo.encode(document_of(blob)) for blob in blobs})


def mailbox_of(fact: Fact) -> UUID:
    mailbox: UUID = fact.mailbox_id  # type: ignore[attr-defined]
    return mailbox


def batched(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(items, size)):
        yield batch
