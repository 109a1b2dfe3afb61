"""Publishes events: many at once as one atomic batch, which costs a third; what was published before is not repeated."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from uuid import uuid4

from services.log import api, headers
from services.log.connection import Connection
from services.log.errors import Refused

FEW = 3


class Message(NamedTuple):
    """`key` is the message id by which the stream knows a repeated one for two minutes."""

    subject: str
    data: bytes
    key: str


async def publish(nc: Connection, messages: Sequence[Message]) -> None:
    """Return when all are acknowledged. Raises Refused, Unavailable; then some may be published, and all may be again.

    A batch with one repeated message is refused whole (10201): then each goes by itself, and the stream drops the old.
    """
    if len(messages) > FEW:
        try:
            async with nc.batches:
                await _at_once(nc, messages)
        except Refused:
            await _one_by_one(nc, messages)
    else:
        await _one_by_one(nc, messages)


async def _one_by_one(nc: Connection, messages: Sequence[Message]) -> None:
    publishing = (api.publish(nc, one.subject, one.data, {headers.MESSAGE_ID: one.key}) for one in messages)
    await asyncio.gather(*publishing)


async def _at_once(nc: Connection, messages: Sequence[Message]) -> None:
    batch = uuid4().hex
    for number, one in enumerate(messages, 1):
        more = {headers.MESSAGE_ID: one.key, headers.BATCH_ID: batch, headers.BATCH_SEQUENCE: str(number)}
        if number == len(messages):
            await api.publish(nc, one.subject, one.data, more | {headers.BATCH_COMMIT: "1"})
        elif number == 1:
            await api.publish(nc, one.subject, one.data, more)
        else:
            await api.tell(nc, one.subject, one.data, more)
