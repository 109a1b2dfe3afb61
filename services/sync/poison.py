"""Batches, asked for again in halves where the server stumbles: one message that it can't give stops none of the others."""

from array import array
from bisect import bisect_right
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager

import structlog

from contracts import uidset
from contracts.provider import Batch, MailSource, ProviderConnectError, ProviderError, ProviderProtocolError
from services.sync.cursor import Caution, Cursor

TRIES = 3
"""How often one message alone may end the connection until it is left out."""

IN_A_ROW = 5
"""So many messages are left out one after the other, until the server is given time."""

SUSPECT = frozenset({"connection_lost", "timeout", "protocol", "unavailable"})
"""What a message can do to a connection, the last by a BYE. It may be the network too: then asking for the mailbox' status fails as well."""

log = structlog.get_logger()


async def backfilled(cursor: Cursor, source: MailSource) -> AsyncIterator[Batch]:
    """Everything below the mark's floor, newest first, as `MailSource.backfill` gives it."""
    path, uidvalidity, below = cursor.mailbox.path, cursor.mark.uidvalidity, cursor.mark.floor_uid
    caution = cursor.cautions["backfill"]
    while below > 1:
        try:
            asked = source.backfill(path, uidvalidity=uidvalidity, below=below, batch_size=caution.size)
            async with _closing(asked) as batches:
                async for batch in batches:
                    below = batch.floor
                    yield batch
                    if caution.eased():
                        break
                else:
                    return
        except (ProviderConnectError, ProviderProtocolError) as error:
            await _weigh(caution, error, cursor, source)
            if _gives_up(caution, error):
                _, held = await source.uids(path, uidvalidity=uidvalidity)
                uids = (min(last, below - 1) for first, last in uidset.ranges(held) if first < below)
                below = max(uids, default=1)
                yield _left_out(cursor, below)


async def fetched(cursor: Cursor, source: MailSource, uids: Iterable[int]) -> AsyncIterator[Batch]:
    """These messages, ascending, as `MailSource.fetch` gives them."""
    path, uidvalidity = cursor.mailbox.path, cursor.mark.uidvalidity
    wanted, at = array("I", sorted(set(uids))), 0
    caution = cursor.cautions["fetch"]
    while at < len(wanted):
        try:
            asked = source.fetch(path, wanted[at:], uidvalidity=uidvalidity, batch_size=caution.size)
            async with _closing(asked) as batches:
                async for batch in batches:
                    told = (*(message.uid for message in batch.messages), *batch.missing, *batch.unreadable)
                    at = bisect_right(wanted, max(told, default=0), lo=at)
                    yield batch
                    if caution.eased():
                        break
                else:
                    return
        except (ProviderConnectError, ProviderProtocolError) as error:
            await _weigh(caution, error, cursor, source)
            if _gives_up(caution, error):
                at += 1
                yield _left_out(cursor, wanted[at - 1])


async def _weigh(caution: Caution, error: ProviderError, cursor: Cursor, source: MailSource) -> None:
    """Ask for less. Raises the error when it isn't a message's doing, and whatever a server raises that is in trouble."""
    if error.code not in SUSPECT:
        raise error
    if caution.size > 1:
        caution.size //= 2
    else:
        caution.failures += 1
    log.info(
        "messages asked for in smaller batches", mailbox=str(cursor.mailbox.id), code=error.code, size=caution.size
    )
    await source.status(cursor.mailbox.path)


def _gives_up(caution: Caution, error: ProviderError) -> bool:
    """Whether the next message is left out. Raises the error instead, now and then, where every one of them fails: that is
    a server without its mail, and many placeholders would not help.
    """
    if caution.failures < TRIES:
        return False
    caution.failures = 0
    if caution.left_out == IN_A_ROW:
        caution.left_out = 0
        raise error
    caution.left_out += 1
    return True


def _left_out(cursor: Cursor, uid: int) -> Batch:
    log.warning("message left out", mailbox=str(cursor.mailbox.id), uid=uid)
    return Batch(uidvalidity=cursor.mark.uidvalidity, floor=uid, messages=(), unreadable=(uid,))


@asynccontextmanager
async def _closing(batches: AsyncIterator[Batch]) -> AsyncIterator[AsyncIterator[Batch]]:
    """The connection is free again at the end, also when this is cancelled."""
    try:
        yield batches
    finally:
        if isinstance(batches, AsyncGenerator):
            await batches.aclose()
