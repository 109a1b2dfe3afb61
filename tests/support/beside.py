"""What runs on a loop, in a thread of its own, for tests that run none."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def beside(serving: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """Served until the block ends."""
    ready, over = threading.Event(), threading.Event()
    made: list[T] = []

    async def serve() -> None:
        async with serving as one:
            made.append(one)
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(20)
        yield made[0]
    finally:
        over.set()
        thread.join()
