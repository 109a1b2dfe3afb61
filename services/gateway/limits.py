"""Attempts that may be made only so often; the answer says how long to wait."""

from collections.abc import Mapping
from datetime import timedelta

from projections.sql import Connection, Pool
from services.gateway.errors import Refused
from services.state import attempts


async def count(pool: Pool, limits: Mapping[str, int], window: timedelta = attempts.WINDOW) -> None:
    """Count one attempt under every key, before it is made. Raises Refused when it is one too many for any of them."""
    async with pool.acquire() as db:
        await count_in(db, limits, window)


async def count_in(
    db: Connection,
    limits: Mapping[str, int],
    window: timedelta = attempts.WINDOW,
    *,
    code: str = "too_many_attempts",
    why: str = "Too many attempts.",
) -> None:
    """The same within a transaction: what comes to nothing does not count."""
    wait = max([await attempts.attempt(db, key, limit, window) for key, limit in limits.items()])
    if wait:
        message = f"{why} Wait {-(-wait // 60)} minutes and try again."
        raise Refused(429, code, message, {"Retry-After": str(wait)})
