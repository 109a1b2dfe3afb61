"""What asyncpg raises when the database is restarted, killed or full of work: worth another try, and nobody's fault here."""

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
