"""Requests of other processes, answered side by side, but no more than some at once."""

import asyncio
from collections.abc import Awaitable, Callable

from nats.aio.msg import Msg

from services.log.connection import Connection

QUEUE = "sync"
AT_ONCE = 20


async def serve(nc: Connection, subject: str, respond: Callable[[bytes], Awaitable[bytes]]) -> None:
    """Until cancelled. `respond` raises nothing."""
    turns = asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:

        async def answer(message: Msg) -> None:
            async with turns:
                await nc.publish(message.reply, await respond(message.data))

        async def asked(message: Msg) -> None:
            group.create_task(answer(message))

        await nc.subscribe(subject, QUEUE, asked)
        await asyncio.Event().wait()
