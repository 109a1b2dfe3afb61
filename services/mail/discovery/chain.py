"""The ways from an address to its servers, tried in the order of how much they are worth; the first success counts."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from services.mail.discovery import autoconfig, presets, probe, srv
from services.mail.discovery.address import Address
from services.mail.discovery.candidates import Candidate, Discovery, Failed, Method, Nothing, Status, Step
from services.mail.discovery.outside import Outside

Look = Callable[[], Coroutine[Any, Any, Candidate]]


async def discover(address: Address, outside: Outside) -> Discovery:
    """Presets ask nobody. Then the domain, Thunderbird's database and DNS are asked at once. Knocking at doors comes last."""
    steps: list[Step] = []
    for ways in _rounds(address, outside):
        found = await _first(ways, steps)
        if found is not None:
            return Discovery(candidates=(found,), steps=tuple(steps))
    return Discovery(candidates=(), steps=tuple(steps))


def _rounds(address: Address, outside: Outside) -> tuple[Mapping[Method, Look], ...]:
    return (
        {"preset": lambda: presets.by_domain(address)},
        {
            "autoconfig": lambda: autoconfig.of_domain(address, outside.http),
            "ispdb": lambda: autoconfig.of_ispdb(address, outside.http),
            "srv": lambda: srv.look(address, outside.dns),
            "mx": lambda: presets.by_exchanger(address, outside.dns),
        },
        {"probe": lambda: probe.look(address, outside.reach, outside.trust)},
    )


async def _first(ways: Mapping[Method, Look], steps: list[Step]) -> Candidate | None:
    """All at once; an earlier one counts before a later one, and none is waited for that would not count."""
    looking = {method: asyncio.create_task(_looked(method, look())) for method, look in ways.items()}
    found: Candidate | None = None
    try:
        for task in looking.values():
            step, found = await task
            steps.append(step)
            if found is not None:
                return found
    finally:
        for task in looking.values():
            task.cancel()
        await asyncio.gather(*looking.values(), return_exceptions=True)
    return None


async def _looked(method: Method, look: Awaitable[Candidate]) -> tuple[Step, Candidate | None]:
    began = time.monotonic()
    found: Candidate | None = None
    status: Status
    try:
        found = await look
        status, detail = "found", found.imap.host
    except Nothing as reason:
        status, detail = "nothing", str(reason)
    except Failed as reason:
        status, detail = "failed", str(reason)
    return Step(method=method, status=status, detail=detail, ms=round((time.monotonic() - began) * 1000)), found
