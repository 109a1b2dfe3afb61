"""`webmail projections rebuild|verify|status`: fold the log again beside the live rows, compare, or tell how far they are."""

import argparse
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from projections import catalog
from projections.engine import control
from projections.engine.errors import VersionDiffers
from projections.engine.prefetch import Documents
from projections.engine.projection import Projection
from projections.engine.rebuild import rebuild
from projections.sql import Pool
from services.admin.environment import data_option, perform
from services.admin.errors import CommandFailed
from services.blobs import open_blobs
from services.log.reader import PartitionLog
from services.parsing.pool import parse_pool
from services.projector.documents import MemoDocuments
from services.runtime import Runtime

KNOWN = {projection.name: projection for projection in catalog.ALL}
POSITIONS = "SELECT partition, sequence FROM control.positions WHERE schema = $1 ORDER BY partition"


@dataclass(frozen=True)
class Servers:
    """What the three need of a running installation."""

    db: Pool
    logs: Sequence[PartitionLog]
    documents: Documents


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("rebuild", "verify", "status"))
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(KNOWN)} (default: all)")
    parser.add_argument("--changed", action="store_true", help="only those whose rows were made by another version")
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    async def work(runtime: Runtime) -> None:
        projections = _named(chosen.names)
        async with _servers(runtime) as servers:
            if chosen.changed:
                projections = [projection for projection in projections if await _changed(servers.db, projection)]
            for projection in projections:
                if chosen.action == "status":
                    await _tell(projection, servers)
                else:
                    await _fold_again(projection, servers, compare=chosen.action == "verify")

    return perform(chosen.data, work)


def _named(names: Sequence[str]) -> list[Projection]:
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise CommandFailed(f"there is no projection {', '.join(unknown)}: there are {', '.join(KNOWN)}")
    return [KNOWN[name] for name in names or KNOWN]


async def _fold_again(projection: Projection, servers: Servers, *, compare: bool) -> None:
    """While live rows are served; with `compare` the new ones must equal them, or nothing changes."""
    shown = -1

    def progress(done: int, total: int) -> None:
        nonlocal shown
        percent = done * 100 // max(total, 1)
        if percent // 10 != shown // 10:
            shown = percent
            sys.stderr.write(f"{projection.name}: {done:,} of {total:,} facts\n")

    await rebuild(projection, servers.logs, servers.db, servers.documents, progress=progress, compare=compare)
    sys.stdout.write(f"{projection.name}: {'verified, equal' if compare else 'rebuilt'}\n")


async def _tell(projection: Projection, servers: Servers) -> None:
    """How far each partition is folded, and how far the log goes."""
    version = "made by another version, rebuild it" if await _changed(servers.db, projection) else "current"
    sys.stdout.write(f"{projection.name}: version {projection.version}, {version}\n")
    for row in await servers.db.fetch(POSITIONS, projection.name):
        head = await servers.logs[row["partition"]].head()
        sys.stdout.write(f"  partition {row['partition']}: {row['sequence']:,} of {head:,}\n")


async def _changed(db: Pool, projection: Projection) -> bool:
    async with db.acquire() as connection:
        try:
            await control.current(connection, projection)
        except VersionDiffers:
            return True
    return False


@asynccontextmanager
async def _servers(runtime: Runtime) -> AsyncIterator[Servers]:
    known = runtime.settings
    async with AsyncExitStack() as stack:
        nc = await runtime.connect_nats(within=5)
        stack.push_async_callback(nc.close)
        db = await stack.enter_async_context(await runtime.open_pool())
        pool = await stack.enter_async_context(parse_pool(known.parse_concurrency))
        logs = [PartitionLog(nc, partition) for partition in range(known.partitions)]
        yield Servers(db, logs, MemoDocuments(db, open_blobs(known), pool))
