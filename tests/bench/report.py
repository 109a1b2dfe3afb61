"""How a bench says what it measured: a small table, then one line of JSON; it fails unless its goal holds."""

import argparse
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn


def arguments(description: str) -> argparse.Namespace:
    """`--quick`: smaller data, over within 45 s."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="smaller data, over within 45 s")
    return parser.parse_args()


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """The first column to the left, numbers to the right."""
    lines = [list(map(str, header)), *(list(map(_shown, row)) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
    sys.stdout.flush()


def conclude(bench: str, goal: str, figure: object, *, certain: bool, measured: bool) -> NoReturn:
    """The last line, and the exit status.

    `certain`: what must hold on any machine (equality, counts, ratios of memory). `measured`: what depends on how busy this
    one is; with `CI=true` it is told and does not count.
    """
    passed = certain and (measured or os.environ.get("CI") == "true")
    said = {"bench": bench, "goal": goal, "figure": figure, "measured": measured, "pass": passed}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.exit(0 if passed else 1)


def p95(seconds: Sequence[float]) -> float:
    """In milliseconds."""
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1] * 1000


async def timed(times: int, ask: Callable[[int], Awaitable[object]]) -> list[float]:
    """Seconds of each call, after two that warm up."""
    taken = []
    for n in range(-2, times):
        started = time.perf_counter()
        await ask(max(n, 0))
        taken.append(time.perf_counter() - started)
    return taken[2:]


def peak_mib() -> float:
    """Of this process, so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _shown(cell: object) -> str:
    return f"{cell:,.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)
