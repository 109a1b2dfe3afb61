"""The gateway's process: HTTP and sockets on `HTTP_HOST:HTTP_PORT`."""

import asyncio
import contextlib
from collections.abc import Iterator

import uvicorn
import uvloop

from services.blobs import open_blobs
from services.config import ConfigurationError, Settings
from services.gateway.accounts import connect
from services.gateway.accounts.proof import Proofs
from services.gateway.app import app
from services.gateway.auth.passwords import Passwords
from services.gateway.bulk.working import keep_working
from services.gateway.deps import Gateway
from services.gateway.drafts.abandoned import keep_forgetting
from services.gateway.drafts.ending import keep_ending
from services.gateway.messages.cleaning import Cleaner
from services.gateway.messages.opening import Opener
from services.gateway.proxies import BehindProxies
from services.gateway.realtime.hub import Hub
from services.gateway.sending import queuing
from services.gateway.static import bundle
from services.jobs.job import Limits
from services.jobs.jobs import Jobs
from services.log.apply import check
from services.parsing.pool import parse_pool
from services.positions import Positions
from services.runtime import Runtime, run

PARSERS = 1
"""Children for what the memo does not know; sync and projector have filled it long before."""

FRAME_LIMIT = 1024
"""Bytes that a browser may say at once over a socket: a ping."""


class Server(uvicorn.Server):
    """Uvicorn without its signal handlers: the runtime says when to end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def main(runtime: Runtime) -> None:
    """Refuses to start on a log that is not as declared."""
    settings = runtime.settings
    async with contextlib.AsyncExitStack() as stack:
        log = await runtime.connect_nats()
        stack.push_async_callback(log.close)
        await check(log, settings.partitions)
        db = await stack.enter_async_context(await runtime.open_pool(size=16))
        blobs = open_blobs(settings)
        gateway = Gateway(
            settings=settings,
            identity_key=_required(settings.identity_key, "IDENTITY_KEY"),
            sync_public_key=_required(settings.sync_public_key, "SYNC_PUBLIC_KEY"),
            db=db,
            log=log,
            blobs=blobs,
            hub=Hub(log, db, settings.database_url),
            positions=Positions(db, settings.database_url, settings.partitions),
            passwords=Passwords(),
            opener=Opener(blobs, await stack.enter_async_context(parse_pool(PARSERS, "opened"))),
            cleaner=Cleaner(),
            jobs=Jobs(log, Limits.of(settings)),
            proofs=Proofs(),
            bundle=await asyncio.to_thread(bundle.load, settings.web_root),
        )
        async with asyncio.TaskGroup() as group:
            beside = [
                group.create_task(work)
                for work in (
                    gateway.hub.listen(),
                    gateway.positions.listen(),
                    connect.keep_finishing(gateway),
                    queuing.keep_finishing(gateway),
                    keep_working(gateway),
                    keep_forgetting(gateway),
                    keep_ending(gateway),
                )
            ]
            await _serve(server(gateway))
            for task in beside:
                task.cancel()


def server(gateway: Gateway) -> Server:
    settings: Settings = gateway.settings
    return Server(
        uvicorn.Config(
            BehindProxies(app(gateway), settings.trusted_proxies),
            host=settings.http_host,
            port=settings.http_port,
            ws="websockets-sansio",
            ws_max_size=FRAME_LIMIT,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # ours know whom to believe
            timeout_graceful_shutdown=3,
        )
    )


async def _serve(serving: Server) -> None:
    """Until cancelled, or what runs beside it fails; then requests in flight are given a moment."""
    task = asyncio.create_task(serving.serve())
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        serving.should_exit = True
        await task
        raise


def _required(key: bytes | None, name: str) -> bytes:
    if key is None:
        raise ConfigurationError(f"{name} is not set: the gateway needs it, as `webmail up` generates it")
    return key


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    run("gateway", main)
