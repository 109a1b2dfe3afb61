"""What asyncpg raises when the database is restarted, killed or full of work: worth another try, and nobody's fault here."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg

UNAVAILABLE: tuple[type[Exception], ...] = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that ended in the middle of an operation
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
)


@asynccontextmanager
async def hearing(database_url: str, channel: str, told: Callable[..., None]) -> AsyncIterator[asyncio.Event]:
    """A connection of its own on which a channel is heard (Postgres' LISTEN); `told` gets the payload last. Set when it is lost."""
    connection = await asyncpg.connect(database_url)
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    try:
        await connection.add_listener(channel, told)
        yield lost
    finally:
        connection.terminate()
