"""Forgetting what nobody goes on with: drafts without a word in them, and files that never became whole."""

import asyncio
from datetime import timedelta

import structlog

from services.database import UNAVAILABLE
from services.gateway.deps import Gateway
from services.state import drafts

KEPT = timedelta(days=1)
EVERY = 3600

log = structlog.get_logger()


async def keep_forgetting(parts: Gateway) -> None:
    """At the start and now and then; a database that does not answer is asked again the next time."""
    while True:
        try:
            await drafts.forget_abandoned(parts.db, KEPT)
        except UNAVAILABLE as error:
            log.warning("nothing forgotten", error=type(error).__name__)
        await asyncio.sleep(EVERY)
