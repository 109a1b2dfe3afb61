"""Tasks that end together, and never swallow the cancellation of whoever waits for them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def together() -> AsyncIterator[asyncio.TaskGroup]:
    """A task group whose owner, cancelled at the moment at which a child fails, is cancelled.

    Python's own, before 3.13, then raises only the child's error: a lost lease or a request to stop would be forgotten.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup:
        if task is not None and task.cancelling() > before:
            raise asyncio.CancelledError from None
        raise
