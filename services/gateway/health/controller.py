"""For whoever watches the process: alive, and ready for requests."""

import asyncio

import asyncpg
import msgspec
from litestar import get

from contracts.streams import facts_name
from projections.sql import Statements
from services.gateway.deps import Gateway, Parts
from services.gateway.errors import Refused
from services.log import api
from services.log.errors import LogError

PATIENCE = 2


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`status`: always `ok`; anything else is an error."""

    status: str


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """`lag`: facts that each projection has still to fold, by its name."""

    status: str
    lag: dict[str, int]


query = Statements("services.gateway.health", "read.sql")


@get(["/api/healthz", "/healthz"], tags=["health"], sync_to_thread=False)
def healthz() -> Health:
    """This process runs."""
    return Health(status="ok")


@get(["/api/readyz", "/readyz"], tags=["health"])
async def readyz(parts: Parts) -> Readiness:
    """Postgres and the log answer, and it is known how far the read models are behind."""
    try:
        async with asyncio.timeout(PATIENCE):
            return Readiness(status="ok", lag=await _lag(parts))
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, LogError):
        raise Refused(503, "not_ready", "The database or the log does not answer. Try again in a moment.") from None


async def _lag(parts: Gateway) -> dict[str, int]:
    partitions = range(parts.settings.partitions)
    infos = await asyncio.gather(*(api.ask(parts.log, f"STREAM.INFO.{facts_name(p)}") for p in partitions))
    heads = [int(info["state"]["last_seq"]) for info in infos]
    rows = await parts.db.fetch(query.behind, list(partitions), heads)
    return {row["schema"]: row["behind"] for row in rows}
