"""The sync process: answers whether accounts work, and syncs those whose lease it gets."""

import asyncio
import contextlib
import gc
from collections import defaultdict

import uvloop

from contracts.provider import KnownMessages, MailSource
from services import owner
from services.blobs import open_blobs
from services.config import ConfigurationError
from services.jobs.job import Limits
from services.jobs.jobs import Jobs
from services.log.apply import check
from services.mail.budget import HostBudget, Places
from services.mail.discovery.outside import Outside, outside
from services.mail.imap.provider import ImapProvider
from services.oauth.providers import PROVIDERS
from services.oauth.tokens import Endpoint
from services.parsing.pool import parse_pool
from services.runtime import Runtime, run
from services.state.logins import Login, endpoint
from services.sync import discover
from services.sync.bulk import Bulk
from services.sync.claims import Claimer
from services.sync.connect import Connector
from services.sync.cooldowns import Cooldowns
from services.sync.ingest import Ingest
from services.sync.oauth import Exchanger
from services.sync.oauth_refresh import Refresher
from services.sync.runner import Parts
from services.sync.tiers import Rules
from services.sync.trial import Trier
from services.vault import Vault

STARTING = 8
"""Accounts that begin at one host at once."""


async def main(runtime: Runtime, world: Outside | None = None) -> None:
    """Refuses to start on a log that is not as declared. `world`: other than the one that this machine is in."""
    settings = runtime.settings
    world = world or outside(settings.ssrf_allow)
    vault = Vault(_required(settings.master_key, "MASTER_KEY"), settings.master_key_previous)
    private_key = _required(settings.sync_private_key, "SYNC_PRIVATE_KEY")
    async with contextlib.AsyncExitStack() as stack:
        nc = await runtime.connect_nats()
        stack.push_async_callback(nc.close)
        await check(nc, settings.partitions)
        db = await stack.enter_async_context(await runtime.open_pool(size=2))
        caches = await stack.enter_async_context(await runtime.open_pool(durable=False))
        pool = await stack.enter_async_context(parse_pool(settings.parse_concurrency))
        blobs = open_blobs(settings)

        endpoints: dict[str, Endpoint] = {
            name: Endpoint(world.http, PROVIDERS[name], client) for name, client in settings.oauth.items()
        }
        refresher = Refresher(db, vault, endpoints)
        budget = HostBudget(settings.per_host_conn_cap, rotate=settings.poll_warm)

        def source(login: Login, known: KnownMessages, places: Places) -> MailSource:
            return ImapProvider(
                endpoint(login.endpoint),
                refresher.entrance(login),
                known=known,
                spool=blobs.spool,
                stream_above=settings.stream_parse_mb << 20,
                budget=places,
                trust=world.trust,
                reach=world.reach,
            )

        parts = Parts(
            nc=nc,
            db=caches,
            ingest=Ingest(caches, blobs, pool),
            connect=source,
            budget=budget,
            cooldowns=await stack.enter_async_context(Cooldowns(nc).followed()),
            rules=Rules.of(settings),
            starting=defaultdict(lambda: asyncio.Semaphore(STARTING)),
            size=settings.sync_job_chunk,
            most=settings.sync_job_chunks,
            audit_every=settings.audit_every,
        )
        bulk = Bulk(Jobs(nc, Limits.of(settings)), settings.bulk_concurrency)
        gc.freeze()
        async with asyncio.TaskGroup() as group:
            trier = Trier(world, budget)
            connector = Connector(nc, db, vault, private_key, trier, partitions=settings.partitions)
            group.create_task(connector.run())
            group.create_task(Exchanger(nc, private_key, endpoints, connector).run())
            group.create_task(refresher.run())
            group.create_task(trier.run(nc, private_key))
            group.create_task(discover.run(nc, world))
            group.create_task(bulk.run())
            group.create_task(Claimer(parts, bulk, vault, settings, owner.this_process()).run())


def _required(key: bytes | None, name: str) -> bytes:
    if key is None:
        raise ConfigurationError(f"{name} is not set: sync needs it, as `webmail up` generates it")
    return key


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    run("sync", main)
