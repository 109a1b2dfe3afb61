"""Which installation an administrator's command speaks to, and how its errors are told."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import asyncpg
import nats.errors
import psycopg
import uvloop

from projections.engine.errors import EngineError
from services.admin.errors import CommandFailed
from services.config import ConfigurationError, Settings, from_environment, refuse_foreign_secrets, settings
from services.embedded.errors import EmbeddedError
from services.embedded.folder import DataFolder
from services.log.errors import LogError
from services.runtime import Runtime, collect_seldom, configure_logs
from services.state.errors import StateError

SERVERS = ("DATABASE_URL", "NATS_URL")
EXPECTED = (
    CommandFailed,
    ConfigurationError,
    EmbeddedError,
    EngineError,
    LogError,
    StateError,
    OSError,
    psycopg.Error,
    asyncpg.PostgresError,
    nats.errors.Error,
)


def data_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="the data folder (default: $DATA_DIR, or ./data)")


def data_folder(chosen: Path | None, environ: Mapping[str, str]) -> Path:
    return chosen or Path(environ.get("DATA_DIR", "").strip() or "data")


def administrator(chosen: Path | None) -> Settings:
    """The servers that the environment names, else those of the running `webmail up` on the data folder."""
    environ = from_environment()
    refuse_foreign_secrets("admin", environ)
    if not any(environ.get(name) for name in SERVERS):
        folder = data_folder(chosen, environ)
        running = DataFolder(folder).running_environment()
        if not running:
            raise CommandFailed(f"no webmail has run on {folder}: run `webmail up`, or set {' and '.join(SERVERS)}")
        environ = {**environ, **running}
    return settings(environ)


def perform(chosen: Path | None, work: Callable[[Runtime], Awaitable[None]]) -> int:
    """Run one command to its end; what is expected to go wrong is told in its own words."""
    try:
        known = administrator(chosen)
    except EXPECTED as error:
        return told(error)
    return carry_out(known, work)


def carry_out(known: Settings, work: Callable[[Runtime], Awaitable[None]]) -> int:
    """The same with settings that are known."""
    configure_logs(known, "admin")
    collect_seldom()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_awaited(work(Runtime("admin", known))))
    except EXPECTED as error:
        return told(error)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def told(error: Exception) -> int:
    """The exit status of a command that failed."""
    sys.stderr.write(f"webmail: {error}\n")
    return 1


async def _awaited(work: Awaitable[None]) -> None:
    await work
