"""The sync process: answers whether accounts work, and syncs those whose lease it gets."""

import asyncio
import contextlib
import gc

import uvloop

from contracts.provider import KnownMessages, MailSource
from services import owner
from services.blobs import open_blobs
from services.config import ConfigurationError
from services.log.apply import check
from services.mail.budget import HostBudget
from services.mail.imap.provider import ImapProvider
from services.parsing.pool import parse_pool
from services.runtime import Runtime, run
from services.sync import connect
from services.sync.accounts import Login
from services.sync.claims import Claimer
from services.sync.connect import Connector
from services.sync.ingest import Ingest
from services.sync.runner import Parts
from services.vault import Vault

BULK = 4
"""Accounts that backfill at once: a bound on memory, and newcomers take turns."""


async def main(runtime: Runtime) -> None:
    """Refuses to start on a log that is not as declared."""
    settings = runtime.settings
    vault = Vault(_required(settings.master_key, "MASTER_KEY"))
    private_key = _required(settings.sync_private_key, "SYNC_PRIVATE_KEY")
    async with contextlib.AsyncExitStack() as stack:
        nc = await runtime.connect_nats()
        stack.push_async_callback(nc.close)
        await check(nc, settings.partitions)
        db = await stack.enter_async_context(await runtime.open_pool(size=2))
        caches = await stack.enter_async_context(await runtime.open_pool(durable=False))
        pool = await stack.enter_async_context(parse_pool(settings.parse_concurrency))
        blobs = open_blobs(settings)

        budget = HostBudget(settings.per_host_conn_cap)

        def source(login: Login, known: KnownMessages) -> MailSource:
            return ImapProvider(
                connect.endpoint(login.endpoint),
                connect.login(login.endpoint.username, login.credentials.imap_password),
                known=known,
                spool=blobs.spool,
                stream_above=settings.stream_parse_mb << 20,
                budget=budget,
            )

        parts = Parts(
            nc=nc,
            db=caches,
            ingest=Ingest(caches, blobs, pool),
            connect=source,
            poll_every=settings.poll_warm,
            bulk=asyncio.Semaphore(BULK),
        )
        gc.freeze()
        async with asyncio.TaskGroup() as group:
            group.create_task(Connector(nc, db, vault, private_key, settings.partitions).run())
            group.create_task(Claimer(parts, vault, settings, owner.this_process()).run())


def _required(key: bytes | None, name: str) -> bytes:
    if key is None:
        raise ConfigurationError(f"{name} is not set: sync needs it, as `webmail up` generates it")
    return key


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    run("sync", main)
