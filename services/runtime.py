"""What every process' main is given: settings, logs, the database, the log, and an end within ten seconds of SIGTERM."""

import asyncio
import gc
import logging
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import asyncpg
import structlog

from contracts.streams import Role
from projections import sql
from services.config import ConfigurationError, Process, Settings, from_environment, refuse_foreign_secrets, settings
from services.log import connection
from services.log.connection import Connection
from services.log.errors import Unavailable

GRACE = 5
"""Seconds between the request to stop and the end, whatever a process is doing; less than `webmail up` waits."""

AGAIN = 1.0
"""Seconds between two cancellations of work that goes on."""

ALLOCATIONS = 10_000
"""Between two looks for garbage: a batch's objects live as long as the batch, and the default would look at them for ever."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Runtime:
    """One process: which it is, and its settings."""

    process: Process
    settings: Settings

    async def connect_nats(self, *, within: float = 30) -> Connection:
        """A connection as this process' user, for as long as the process lives; waits for a log that is starting."""
        try:
            async with asyncio.timeout(within):
                return await connection.connect(self.settings.nats_url, Role(self.process))
        except TimeoutError:
            raise Unavailable(f"no answer from NATS_URL within {within:g} s") from None

    async def open_pool(self, *, size: int = 10, durable: bool = True) -> "asyncpg.Pool[asyncpg.Record]":
        """A pool of connections as this process' role; waits for a database that is still starting.

        `durable=False`: a commit doesn't wait for the disk. Only for rows that can be made again, and that are lost together
        with what says how far they were made, when Postgres' machine dies.
        """
        deadline = time.monotonic() + 30
        while True:
            try:
                return await asyncpg.create_pool(
                    self.settings.database_url,
                    min_size=1,
                    max_size=size,
                    init=sql.types,
                    reset=_keep,
                    server_settings={
                        "application_name": self.process,
                        "synchronous_commit": "on" if durable else "off",
                    },
                )
            except (OSError, asyncpg.CannotConnectNowError):
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.5)


def run(process: Process, main: Callable[[Runtime], Awaitable[None]]) -> None:
    """Run a process until it ends or is told to; an unknown error ends it with status 1, and its position is safe."""
    environ = from_environment()
    try:
        refuse_foreign_secrets(process, environ)
        known = settings(environ)
    except ConfigurationError as wrong:
        sys.exit(f"{process}: {wrong}")
    configure_logs(known, process)
    collect_seldom()
    try:
        asyncio.run(_until_told(main(Runtime(process, known))))
    except ConfigurationError as wrong:
        sys.exit(f"{process}: {wrong}")
    except Exception:
        log.exception("ended by an error")
        sys.exit(1)


async def _until_told(work: Awaitable[None]) -> None:
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stop, loop, task)
    log.info("started")
    try:
        await task
    except asyncio.CancelledError:
        log.info("stopped")


def _stop(loop: asyncio.AbstractEventLoop, task: "asyncio.Future[None]") -> None:
    """Cancel the work, again while it goes on: a task group whose child fails at that very moment loses the first one.

    What swallows every cancellation is ended by the alarm.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(GRACE)
    _cancel(loop, task)


def _cancel(loop: asyncio.AbstractEventLoop, task: "asyncio.Future[None]") -> None:
    if not task.done():
        task.cancel()
        loop.call_later(AGAIN, _cancel, loop, task)


def collect_seldom() -> None:
    """Look for cycles less often, which takes a fifth of the time off a fold; there are next to none."""
    gc.set_threshold(ALLOCATIONS)


def configure_logs(known: Settings, process: Process) -> None:
    """One line an event on stderr: JSON for machines, or coloured for people."""
    level = logging.getLevelNamesMapping()[known.log_level.upper()]
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer() if known.log_format == "json" else structlog.dev.ConsoleRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )
    structlog.contextvars.bind_contextvars(process=process)
    logging.basicConfig(
        level=max(level, logging.WARNING), stream=sys.stderr, format="%(levelname)s %(name)s %(message)s"
    )


async def _keep(_: object) -> None:
    """Nothing is set for a session anywhere, so nothing need be reset when a connection goes back: a round trip less.

    A transaction that is still open then is rolled back all the same.
    """
