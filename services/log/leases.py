"""Leases in the `leases` bucket: one owner a key for a while; coordination only, what a loser writes is refused by fences.

Each entry carries its own `Nats-TTL`, so it is the server that forgets a lease whose owner fell silent, by its own clock, and
accounts (60 s) and partitions (10 s) share a bucket. A bucket-wide TTL could not tell them apart, and an expiry inside the value
would compare the clocks of two machines.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import structlog

from contracts.streams import LEASES
from services.log import api, headers
from services.log.connection import Connection
from services.log.errors import LeaseLost, LogError, Refused, Unavailable

_STREAM = f"KV_{LEASES.name}"
_PREFIX = f"$KV.{LEASES.name}."
_RENEWALS = 3
"""Renewals tried within one TTL, where no other pace is asked for."""

_MARGIN = 0.9
"""Of the TTL, after which an owner that could not renew stops: it must have ended before the server forgets the lease."""

log = structlog.get_logger()


async def take(
    nc: Connection,
    key: str,
    owner: str,
    ttl: int,
    *,
    renew: float = 0,
    abandoned: Callable[[str], bool] = lambda _: False,
) -> "Lease | None":
    """Take a lease for `ttl` seconds if nobody has it, or its owner is known to have died. Raises Unavailable.

    `owner` must be of this process alone. `renew`: seconds between renewals while it is held.
    """
    since = asyncio.get_running_loop().time()
    held = await api.from_leader(nc, _STREAM, {"last_by_subj": _subject(key)})
    if held is not None and headers.KV_OPERATION not in held.headers and not abandoned(held.data.decode()):
        return None
    lease = Lease(nc, key, owner, ttl, renew or ttl / _RENEWALS, revision=held.sequence if held else 0, until=0)
    try:
        await lease.renew_since(since)
    except LeaseLost:
        return None
    return lease


async def owners(nc: Connection, under: str) -> dict[str, str]:
    """Who has which lease under a filter, by key; from any replica, so only a hint. Raises Unavailable."""
    found = await api.listed(nc, _STREAM, {"multi_last": [_subject(under)]})
    if not found.complete:
        raise Unavailable("the leases were not listed whole")
    return {
        one.subject.removeprefix(_PREFIX): one.data.decode()
        for one in found.messages
        if headers.KV_OPERATION not in one.headers
    }


@dataclass
class Lease:
    """A lease that was taken. `until`: the loop's time at which it must be taken for lost unless renewed before."""

    nc: Connection = field(repr=False)
    key: str
    owner: str
    ttl: int
    every: float
    revision: int
    until: float

    async def renew(self) -> None:
        """Keep it for another `ttl`. Raises LeaseLost, Unavailable."""
        await self.renew_since(asyncio.get_running_loop().time())

    async def renew_since(self, asked: float) -> None:
        more = {headers.TTL: f"{self.ttl}s", headers.EXPECTED: str(self.revision)}
        try:
            answer = await api.publish(self.nc, _subject(self.key), self.owner.encode(), more, timeout=self.ttl / 3)
            self.revision = int(answer["seq"])
        except Refused as refused:
            await self._recognise(refused)
        self.until = asked + self.ttl * _MARGIN

    async def release(self) -> None:
        """Let another take it at once; nothing happens when it is no longer ours."""
        more = {headers.TTL: "1s", headers.EXPECTED: str(self.revision), headers.KV_OPERATION: "DEL"}
        with suppress(Refused):
            await api.publish(self.nc, _subject(self.key), b"", more)

    @asynccontextmanager
    async def hold(self) -> AsyncIterator["Lease"]:
        """Renew in the background while the body runs, release after it.

        The body is cancelled, and LeaseLost raised, before anyone else can have the lease.
        """
        try:
            async with asyncio.timeout_at(self.until) as scope:
                renewing = asyncio.create_task(self._keep(scope))
                try:
                    yield self
                finally:
                    renewing.cancel()
                    await asyncio.wait({renewing})
        except TimeoutError as error:
            if not scope.expired():
                raise
            log.warning("lease lost", key=self.key)
            raise LeaseLost(f"the lease {self.key} was not renewed in time") from error
        finally:
            with suppress(LogError):
                await self.release()

    async def _keep(self, scope: asyncio.Timeout) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.every)
            try:
                await self.renew()
            except LeaseLost:
                scope.reschedule(loop.time())
                return
            except (Refused, Unavailable) as error:
                log.warning("lease not renewed", key=self.key, error=type(error).__name__)
                await asyncio.sleep(self.ttl / 20)
                continue
            if not scope.expired():
                scope.reschedule(self.until)

    async def _recognise(self, refused: Refused) -> None:
        """A refused renewal may be the second of one whose answer was lost: then the owner is still us."""
        if refused.code not in (api.WRONG_LAST_SEQUENCE, api.WRONG_LAST_SEQUENCE_IN_FLIGHT):
            raise refused
        held = await api.from_leader(self.nc, _STREAM, {"last_by_subj": _subject(self.key)})
        if held is None or headers.KV_OPERATION in held.headers or held.data.decode() != self.owner:
            raise LeaseLost(f"the lease {self.key} has another owner") from refused
        self.revision = held.sequence


def _subject(key: str) -> str:
    return f"{_PREFIX}{key}"
