"""How many connections this process holds to one mail host (`PER_HOST_CONN_CAP`), over all accounts and all it does."""

import asyncio
from collections import defaultdict
from collections.abc import Callable

from contracts.provider import ProviderConnectError


class HostBudget:
    """Shared by every provider of a process. Waiting connections count too."""

    def __init__(self, cap: int) -> None:
        self._free: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(cap))

    async def take(self, host: str, patience: float) -> Callable[[], None]:
        """A place at this host, given back by calling what is returned.

        Raises ProviderConnectError `too_many_connections` when none is free for that many seconds.
        """
        places = self._free[host.lower()]
        try:
            async with asyncio.timeout(patience):
                await places.acquire()
        except TimeoutError:
            detail = "as many connections to this host are open as one process may have"
            raise ProviderConnectError("too_many_connections", detail) from None
        return places.release
