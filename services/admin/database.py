"""`webmail database migrate`: every table that a process expects to find."""

import argparse
import sys

from projections import catalog
from services.admin.environment import data_option, perform
from services.runtime import Runtime
from services.state.prepare import prepare


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("migrate",))
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    return perform(chosen.data, _migrate)


async def _migrate(runtime: Runtime) -> None:
    applied = await prepare(runtime.settings.database_url, catalog.ALL, runtime.settings.partitions)
    sys.stdout.write("".join(f"applied {name}\n" for name in applied) or "nothing to apply\n")
