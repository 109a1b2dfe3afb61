"""What the processes of an installation cost: CPU and peak memory, read from /proc by the tree that a bench started."""

import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TICK = os.sysconf("SC_CLK_TCK")
NAMES = (
    "services.sync",
    "services.projector",
    "services.gateway",
    "services.admin",
    "postgres",
    "nats-server",
    "dovecot",
)
ALIKE = ("postgres", "dovecot")
"""Whose children are told of together with them."""


class Cost(NamedTuple):
    """CPU seconds of a process and its children, ended ones too; the highest peak of one of them and their number."""

    cpu: float
    peak_mib: float
    processes: int


def costs() -> dict[str, Cost]:
    """By the name of the process that the bench started; children of `services.sync` are `services.sync children`."""
    found: defaultdict[str, list[Cost]] = defaultdict(list)
    parents = {pid: int(stat[1]) for pid in _pids() if (stat := _stat(pid))}
    for pid in parents:
        name = _name(pid, parents)
        if name:
            found[name].append(_cost(pid))
    return {
        name: Cost(sum(one.cpu for one in many), max(one.peak_mib for one in many), len(many))
        for name, many in sorted(found.items())
    }


def since(before: Mapping[str, Cost]) -> dict[str, Cost]:
    """The same now, with the CPU seconds that were spent in between."""
    return {
        name: cost._replace(cpu=cost.cpu - (before[name].cpu if name in before else 0))
        for name, cost in costs().items()
    }


def _name(pid: int, parents: Mapping[int, int]) -> str:
    """The product's name for a descendant of this process; empty for a stranger."""
    line: list[int] = []
    while pid in parents and pid != os.getpid():
        line.append(pid)
        pid = parents[pid]
    if pid != os.getpid():
        return ""
    for depth, ancestor in enumerate(reversed(line)):
        words = _command(ancestor)
        known = next((name for name in NAMES if any(word.endswith(name) or f"/{name}" in word for word in words)), "")
        if known:
            inner = len(line) - 1 - depth
            return known if inner == 0 or known in ALIKE else f"{known} children"
    return ""


def _cost(pid: int) -> Cost:
    stat = _stat(pid)
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        status = ""
    if not (stat and status):  # it has ended meanwhile
        return Cost(0, 0, 0)
    peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
    return Cost(sum(map(int, stat[11:15])) / TICK, peak / 1024, 1)


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _stat(pid: int) -> list[str]:
    """From the state on: after the name, which may hold anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace(":", "\0").split("\0")
    except OSError:
        return []


def cpu_seconds(pid: int) -> float:
    """Of a running process, without its children."""
    return sum(map(int, _stat(pid)[11:13])) / TICK


def resident_mib(pid: int) -> float:
    """What a running process has in memory now."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
