"""What folding again needs of a running installation."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from projections.engine.prefetch import Documents
from projections.sql import Pool
from services.blobs import open_blobs
from services.config import Settings
from services.log.reader import PartitionLog
from services.parsing.pool import ParsePool
from services.projector.documents import MemoDocuments
from services.runtime import Runtime


@dataclass(frozen=True)
class Servers:
    """Connections with an administrator's rights, and the settings by which another process makes its own."""

    settings: Settings
    db: Pool
    logs: Sequence[PartitionLog]
    documents: Documents


@asynccontextmanager
async def connected(runtime: Runtime, partitions: Iterable[int], *, durable: bool = True) -> AsyncIterator[Servers]:
    """For as long as the block lasts; `durable` as in `open_pool`. A parser starts at the first document that no memo has."""
    known = runtime.settings
    async with AsyncExitStack() as stack:
        nc = await runtime.connect_nats(within=5)
        stack.push_async_callback(nc.close)
        db = await stack.enter_async_context(await runtime.open_pool(durable=durable))
        pool = ParsePool(known.parse_concurrency)
        stack.push_async_callback(pool.close)
        logs = [PartitionLog(nc, partition) for partition in partitions]
        yield Servers(known, db, logs, MemoDocuments(db, open_blobs(known), pool))
