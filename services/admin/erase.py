"""`webmail erase`: remove for ever what users removed; `--follow` goes on as a process of `webmail up`."""

import argparse
import asyncio
import sys

import structlog

from services.admin.environment import data_option, perform
from services.admin.erasure import Eraser
from services.blobs import open_blobs
from services.database import UNAVAILABLE
from services.log.errors import LogError
from services.runtime import Runtime

PAUSE = 5.0
"""Seconds between two looks; whatever was begun when a server went away is finished by the next."""

_PASSING: tuple[type[Exception], ...] = (*UNAVAILABLE, LogError)

log = structlog.get_logger()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--follow", action="store_true", help="go on and erase whatever is removed")
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    return perform(chosen.data, _follow if chosen.follow else _once)


async def _once(runtime: Runtime) -> None:
    erased = await (await _eraser(runtime)).erase_removed()
    sys.stdout.write(f"{erased} accounts erased\n")


async def _follow(runtime: Runtime) -> None:
    eraser = await _eraser(runtime)
    while True:
        try:
            await eraser.erase_removed()
        except _PASSING as error:
            log.warning("nothing erased", error=type(error).__name__)
        await asyncio.sleep(PAUSE)


async def _eraser(runtime: Runtime) -> Eraser:
    """Connected for as long as the process lives."""
    return Eraser(
        await runtime.connect_nats(),
        await runtime.open_pool(size=2),
        open_blobs(runtime.settings),
        runtime.settings.partitions,
    )
