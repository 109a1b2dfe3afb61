"""Tasks that end together, and never swallow the cancellation of whoever waits for them."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


class Together:
    """Tasks of one owner; the first that fails ends the others."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._errors: list[Exception] = []
        self._told = asyncio.Event()

    def create_task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def wait(self) -> None:
        """Until all have ended, or one has failed."""
        while self._tasks and not self._errors:
            self._told.clear()
            await self._told.wait()

    async def end(self) -> None:
        """Cancel those that are left, and wait for them, whatever comes meanwhile."""
        for task in self._tasks:
            task.cancel()
        cancelled = False
        while self._tasks:
            try:
                await asyncio.wait(self._tasks)
                await asyncio.sleep(0)  # what they have to say is said
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    def settle(self) -> None:
        """Raise what went wrong."""
        if self._errors:
            raise ExceptionGroup("tasks that belong together", self._errors)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._errors.append(error)
        self._told.set()


@asynccontextmanager
async def together() -> AsyncIterator[Together]:
    """A group whose owner, cancelled at the moment at which a child fails, is cancelled.

    Python's own, before 3.13, then raises only the child's error: a lost lease or a request to stop would be forgotten.
    The body creates tasks; what fails while it runs is raised when it ends.
    """
    group = Together()
    try:
        yield group
        await group.wait()
    finally:
        await group.end()
    group.settle()
