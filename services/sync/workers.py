"""How many sync processes live, and what each one's share of the accounts is: a heartbeat a process, beside its leases."""

import asyncio
import hashlib
import math
from typing import NoReturn

import structlog

from services.config import Settings
from services.log.connection import Connection
from services.log.errors import LeaseLost, LogError
from services.log.leases import owners, take
from services.owner import has_died

PAUSE = 1.0

log = structlog.get_logger()


class Workers:
    """`worker` names this process and no other."""

    def __init__(self, nc: Connection, settings: Settings, worker: str) -> None:
        self._nc = nc
        self._settings = settings
        self._worker = worker

    async def beat(self) -> NoReturn:
        """Be counted, until cancelled."""
        key = f"worker.{hashlib.sha256(self._worker.encode()).hexdigest()[:16]}"
        ttl, renew = self._settings.lease_ttl, self._settings.lease_renew
        while True:
            try:
                lease = await take(self._nc, key, self._worker, ttl, renew=renew)
                if lease is not None:
                    async with lease.hold():
                        await asyncio.Event().wait()
            except (LeaseLost, LogError) as error:
                log.warning("heartbeat missed", error=type(error).__name__)
            await asyncio.sleep(PAUSE)

    async def living(self) -> int:
        """This one included. Raises Unavailable."""
        others = set((await owners(self._nc, "worker.*")).values()) - {self._worker}
        return 1 + sum(not has_died(other) for other in others)


def most(accounts: int, workers: int, cap: int) -> int:
    """How many accounts one of so many processes keeps: a fifth and five above its share, so that nothing swings (§6.3)."""
    target = math.ceil(accounts / workers)
    return min(cap, math.floor(target * 1.2) + 5)
