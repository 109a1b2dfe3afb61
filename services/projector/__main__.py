"""The projector process: every partition of the log, into every projection of the catalog."""

import asyncio
import contextlib
import gc

import uvloop

from projections import catalog
from projections.engine import control
from services.blobs import open_blobs
from services.log.apply import check
from services.owner import this_process
from services.parsing.pool import parse_pool
from services.projector.documents import MemoDocuments
from services.projector.partitions import Parts, own
from services.runtime import Runtime, run

CONNECTIONS = 20


async def main(runtime: Runtime) -> None:
    """Refuses to start on a log that is not as declared, and on rows that other code made."""
    settings = runtime.settings
    async with contextlib.AsyncExitStack() as stack:
        nc = await runtime.connect_nats()
        stack.push_async_callback(nc.close)
        await check(nc, settings.partitions)
        db = await stack.enter_async_context(await runtime.open_pool(size=CONNECTIONS, durable=False))
        async with db.acquire() as connection:
            for projection in catalog.ALL:
                await control.current(connection, projection)
        pool = await stack.enter_async_context(parse_pool(settings.parse_concurrency))
        parts = Parts(
            nc=nc,
            db=db,
            documents=MemoDocuments(db, open_blobs(settings), pool),
            projections=catalog.ALL,
            worker=this_process(),
        )
        gc.freeze()
        async with asyncio.TaskGroup() as group:
            for partition in range(settings.partitions):
                group.create_task(own(parts, partition))


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    run("projector", main)
