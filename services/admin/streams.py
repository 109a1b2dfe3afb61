"""`webmail streams apply|check`: the streams and buckets of the log, as `contracts.streams` declares them."""

import argparse
import sys

from services.admin.environment import data_option, perform
from services.log.apply import apply, check
from services.runtime import Runtime


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("apply", "check"))
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    return perform(chosen.data, _apply if chosen.action == "apply" else _check)


async def _apply(runtime: Runtime) -> None:
    log = await runtime.connect_nats(within=5)
    try:
        await apply(log, runtime.settings.partitions, runtime.settings.replicas)
    finally:
        await log.close()
    sys.stdout.write("the streams are as declared\n")


async def _check(runtime: Runtime) -> None:
    log = await runtime.connect_nats(within=5)
    try:
        await check(log, runtime.settings.partitions)
    finally:
        await log.close()
    sys.stdout.write("the streams are as declared\n")
