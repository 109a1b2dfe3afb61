"""Forgetting what nobody goes on with: drafts without a word in them, files that never became whole, contents sent long ago."""

import asyncio
from datetime import timedelta

import structlog

from services.database import UNAVAILABLE
from services.gateway.deps import Gateway
from services.state import drafts, sends

KEPT = timedelta(days=1)
SENT_KEPT = timedelta(days=30)
"""What is sent is in Sent, too; until then its list says to whom it went, and who was refused."""

EVERY = 3600

log = structlog.get_logger()


async def keep_forgetting(parts: Gateway) -> None:
    """At the start and now and then; a database that does not answer is asked again the next time."""
    while True:
        try:
            await drafts.forget_abandoned(parts.db, KEPT)
            await sends.forget_ended(parts.db, SENT_KEPT)
        except UNAVAILABLE as error:
            log.warning("nothing forgotten", error=type(error).__name__)
        await asyncio.sleep(EVERY)
