"""`webmail projections rebuild|verify|status`: fold the log again beside the live rows, compare, or tell how far they are."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from projections import catalog
from projections.engine import control
from projections.engine.errors import VersionDiffers
from projections.engine.projection import Projection
from projections.engine.rebuild import load, progress, rebuild
from projections.sql import Pool
from services.admin.environment import data_option, perform
from services.admin.errors import CommandFailed
from services.admin.loading import load_in_processes
from services.admin.servers import Servers, connected
from services.runtime import Runtime

KNOWN = {projection.name: projection for projection in catalog.ALL}
POSITIONS = "SELECT partition, sequence FROM control.positions WHERE schema = $1 ORDER BY partition"

SMALL = 10_000
"""Facts that are folded sooner than processes are started."""

GLANCE = 0.5
"""Seconds between two looks at how far a rebuild is."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("rebuild", "verify", "status"))
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(KNOWN)} (default: all)")
    parser.add_argument("--changed", action="store_true", help="only those whose rows were made by another version")
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    async def work(runtime: Runtime) -> None:
        projections = _named(chosen.names)
        async with connected(runtime, range(runtime.settings.partitions)) as servers:
            if chosen.changed:
                projections = [projection for projection in projections if await _changed(servers.db, projection)]
            for projection in projections:
                if chosen.action == "status":
                    await _tell(projection, servers)
                else:
                    await fold_again(projection, servers, compare=chosen.action == "verify")

    return perform(chosen.data, work)


def _named(names: Sequence[str]) -> list[Projection]:
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise CommandFailed(f"there is no projection {', '.join(unknown)}: there are {', '.join(KNOWN)}")
    return [KNOWN[name] for name in names or KNOWN]


async def fold_again(projection: Projection, servers: Servers, *, compare: bool) -> None:
    """While live rows are served; with `compare` the new ones must equal them, or nothing changes."""

    async def loading(positions: Sequence[int]) -> None:
        telling = asyncio.create_task(_tell_progress(projection, servers.db))
        try:
            if sum(positions) < SMALL:
                await load(projection, servers.logs, servers.db, servers.documents, positions)
            else:
                await load_in_processes(projection, positions, servers.settings)
        finally:
            telling.cancel()

    await rebuild(projection, servers.logs, servers.db, servers.documents, loading=loading, compare=compare)
    sys.stdout.write(f"{projection.name}: {'verified, equal' if compare else 'rebuilt'}\n")


async def _tell_progress(projection: Projection, db: Pool) -> None:
    """A line for each tenth."""
    shown = 0
    while True:
        await asyncio.sleep(GLANCE)
        done, total = await progress(projection, db)
        if done * 10 // max(total, 1) > shown:
            shown = done * 10 // total
            sys.stderr.write(f"{projection.name}: {done:,} of {total:,} facts\n")


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
