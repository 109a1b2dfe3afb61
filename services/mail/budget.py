"""How many connections this process holds to one mail host (`PER_HOST_CONN_CAP`), over all accounts and all it does."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from contracts.provider import ProviderConnectError

_WANTED = 20.0
"""Seconds for which a holder that was asked to give way counts as about to; then it is asked again."""


class Purpose(IntEnum):
    """What a connection is for; the lower, the sooner it gets a place, and the later it is asked to give one up."""

    INTERACTIVE = 0
    """Somebody waits for it: an account that is tried, a poll for who has just come."""
    POLL = 1
    BULK = 2
    WATCH = 3
    """IDLE, which a poll now and then can stand in for."""
    SPARE = 4
    """Open, and used by nobody just now."""


class Full(ProviderConnectError):
    """As many connections to the host are open as one process may have: our own doing, not the server's."""

    def __init__(self) -> None:
        super().__init__("too_many_connections", "as many connections to this host are open as one process may have")


class Places(Protocol):
    """Where a provider gets places for its connections."""

    async def take(self, host: str, patience: float) -> Callable[[], None]:
        """A place at this host, given back by calling what is returned. Raises Full after `patience` seconds."""


class Place:
    """One connection's. `wanted` is called when somebody with more need waits for it, and must not wait itself."""

    def __init__(self, host: "_Host", purpose: Purpose, wanted: Callable[[], None] | None) -> None:
        self._host = host
        self._purpose = purpose
        self.wanted = wanted
        self.since = asyncio.get_running_loop().time()
        self.asked = float("-inf")

    @property
    def purpose(self) -> Purpose:
        return self._purpose

    @purpose.setter
    def purpose(self, purpose: Purpose) -> None:
        """What an open connection is for may change without asking: it is open already."""
        if purpose is not self._purpose:
            self._purpose = purpose
            self.asked = float("-inf")
            self._host.serve()

    def release(self) -> None:
        """More than once is as good as once."""
        self._host.drop(self)


class HostBudget:
    """Shared by all that a process does. Connections that are being made count too.

    `rotate`: seconds for which one account may wait for news at a host before another, which can't, has its turn.
    """

    def __init__(self, cap: int, rotate: float = 180.0) -> None:
        self._cap = cap
        self._rotate = rotate
        self._hosts: dict[str, _Host] = {}

    async def take(self, host: str, patience: float) -> Callable[[], None]:
        """For who tries an account, or has no better word for what it does."""
        return (await self.place(host, patience, Purpose.INTERACTIVE)).release

    async def place(
        self, host: str, patience: float, purpose: Purpose, wanted: Callable[[], None] | None = None
    ) -> Place:
        """A place at this host, in turn. Raises Full when none is free for that many seconds."""
        name = host.lower()
        there = self._hosts.get(name)
        if there is None:
            there = self._hosts[name] = _Host(self._cap, self._rotate, lambda host: self._forget(name, host))
        return await there.place(patience, purpose, wanted)

    def share(self, purpose: Purpose, wanted: Callable[[], None]) -> "Share":
        """For the one connection of an account that is for this."""
        return Share(self, purpose, wanted)

    def _forget(self, name: str, unused: "_Host") -> None:
        if self._hosts.get(name) is unused:
            del self._hosts[name]


class Share:
    """Places for one connection at a time, whose purpose may change while it is open."""

    def __init__(self, budget: HostBudget, purpose: Purpose, wanted: Callable[[], None]) -> None:
        self._budget = budget
        self._purpose = purpose
        self._wanted = wanted
        self._place: Place | None = None

    async def take(self, host: str, patience: float) -> Callable[[], None]:
        place = self._place = await self._budget.place(host, patience, self._purpose, self._wanted)
        place.purpose = self._purpose  # it may have changed while we waited
        return place.release

    def use(self, purpose: Purpose) -> None:
        self._purpose = purpose
        if self._place is not None:
            self._place.purpose = purpose


@dataclass
class _Waiting:
    place: Place
    granted: asyncio.Future[None]


class _Host:
    """The places of one host, and who waits for one."""

    def __init__(self, cap: int, rotate: float, unused: "Callable[[_Host], None]") -> None:
        reserve = cap // 25 or (1 if cap >= 4 else 0)
        self._most = {
            Purpose.INTERACTIVE: cap,
            Purpose.POLL: max(1, cap - reserve),
            Purpose.BULK: max(1, cap - 2 * reserve),
            Purpose.WATCH: max(1, cap - 2 * reserve),
            Purpose.SPARE: max(1, cap - 2 * reserve),
        }
        self._bulk_most = max(1, cap // 2)
        self._rotate = rotate
        self._unused = unused
        self._held: set[Place] = set()
        self._waiting: list[_Waiting] = []

    async def place(self, patience: float, purpose: Purpose, wanted: Callable[[], None] | None) -> Place:
        one = _Waiting(Place(self, purpose, wanted), asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self.serve()
        try:
            async with asyncio.timeout(patience):
                await one.granted
        except TimeoutError:
            self._give_up(one)
            raise Full from None
        except BaseException:
            self._give_up(one)
            raise
        return one.place

    def drop(self, place: Place) -> None:
        if place in self._held:
            self._held.remove(place)
            self.serve()
            self._check_use()

    def serve(self) -> None:
        """Give what is free to who needs it most, in turn, and ask others to go where that is not enough."""
        self._waiting = [one for one in self._waiting if not one.granted.done()]  # cancelled, and not yet told
        self._waiting.sort(key=lambda one: one.place.purpose)  # stable: in turn among equals
        for one in list(self._waiting):
            if self._fits(one.place.purpose):
                self._waiting.remove(one)
                self._held.add(one.place)
                one.granted.set_result(None)
        self._ask()

    def _fits(self, purpose: Purpose) -> bool:
        bulk = sum(place.purpose is Purpose.BULK for place in self._held)
        return len(self._held) < self._most[purpose] and (purpose is not Purpose.BULK or bulk < self._bulk_most)

    def _ask(self) -> None:
        """One holder for each that waits, those with the least need first, then the longest served."""
        now = asyncio.get_running_loop().time()
        going = sum(place.asked > now - _WANTED for place in self._held)
        for one in self._waiting[going:]:
            less = [place for place in self._held if place.wanted and self._yields(place, one.place.purpose, now)]
            if not less:
                return
            place = min(less, key=lambda place: (-place.purpose, place.since))
            place.asked = now
            if place.wanted is not None:
                place.wanted()

    def _yields(self, place: Place, to: Purpose, now: float) -> bool:
        if place.asked > now - _WANTED:
            return False
        turn_over = place.purpose is to is Purpose.WATCH and now - place.since > self._rotate
        return place.purpose > to or turn_over

    def _give_up(self, one: _Waiting) -> None:
        if one in self._waiting:
            self._waiting.remove(one)
        self.drop(one.place)  # it may have been given at the same moment
        self._check_use()

    def _check_use(self) -> None:
        if not self._held and not self._waiting:
            self._unused(self)
