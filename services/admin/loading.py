"""Partitions are folded by several processes at once: folding is work for a processor, and Python uses one."""

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path

import msgspec

from projections import catalog
from projections.engine.projection import Projection
from projections.engine.rebuild import load
from services.admin.environment import carry_out
from services.admin.errors import CommandFailed
from services.admin.servers import connected
from services.config import Settings
from services.embedded.child import guarded
from services.runtime import Runtime

PROGRAM = [sys.executable, "-I", "-m", "services.admin.loading"]
MOST = 8


class Share(msgspec.Struct, frozen=True):
    """What a loader is told on its standard input: all that it needs, and nothing in its environment."""

    settings: Settings
    projection: str
    upto: dict[int, int]  # positions by partition


async def load_in_processes(projection: Projection, positions: Sequence[int], settings: Settings) -> None:
    """Load every partition up to its position. Raises CommandFailed when a loader fails; none is left, whatever happens."""
    most = min(os.cpu_count() or 1, MOST, len(positions))
    settings = msgspec.structs.replace(settings, parse_concurrency=max(1, settings.parse_concurrency // most))
    loaders: list[Process] = []
    try:
        for upto in shared_out(positions, most):
            loader = await _start(Share(settings, projection.name, upto))
            loaders.append(loader)
        for ended in asyncio.as_completed([loader.wait() for loader in loaders]):
            if status := await ended:
                raise CommandFailed(f"{projection.name}: a loader ended with {status}; the rows that are served stay")
    finally:
        for loader in loaders:
            if loader.returncode is None:
                loader.kill()
        await asyncio.gather(*(loader.wait() for loader in loaders))


def shared_out(positions: Sequence[int], most: int) -> list[dict[int, int]]:
    """Partitions and their positions for at most so many loaders, about as much for each."""
    shares: list[dict[int, int]] = [{} for _ in range(most)]
    for partition in sorted(range(len(positions)), key=lambda partition: -positions[partition]):
        if positions[partition]:
            min(shares, key=lambda share: sum(share.values()))[partition] = positions[partition]
    return [share for share in shares if share]


async def _start(share: Share) -> Process:
    """In a session of its own: a Ctrl-C reaches the parent alone. It ends its loaders, and they end at its death."""
    loader = await asyncio.create_subprocess_exec(
        *guarded(PROGRAM, at_parents_death=signal.SIGKILL), stdin=PIPE, env={}, start_new_session=True
    )
    if loader.stdin is not None:
        with contextlib.suppress(ConnectionError):  # it has ended, and its status says so
            loader.stdin.write(msgspec.json.encode(share, enc_hook=str))
            await loader.stdin.drain()
        loader.stdin.close()
    return loader


def _told(raw: bytes) -> Share:
    return msgspec.json.decode(raw, type=Share, dec_hook=lambda _, text: Path(text))


def main() -> int:
    """The exit status: 0 loaded, 1 failed, for a reason told on standard error."""
    share = _told(sys.stdin.buffer.read())
    projection = next(one for one in catalog.ALL if one.name == share.projection)

    async def work(runtime: Runtime) -> None:
        # The commit that switches to these rows waits for the disk, and so for all commits before it.
        async with connected(runtime, share.upto, durable=False) as servers:
            await load(projection, servers.logs, servers.db, servers.documents, list(share.upto.values()))

    return carry_out(share.settings, work)


if __name__ == "__main__":
    sys.exit(main())
