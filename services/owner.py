"""The name under which a process takes leases, by which another on the same machine sees that it has died."""

import os
import platform
import secrets
from pathlib import Path

_PROC = Path("/proc")


def this_process() -> str:
    """Machine, boot, process and its start: never the same twice."""
    return "/".join([*_machine(), str(os.getpid()), _started(os.getpid()) or secrets.token_hex(8)])


def has_died(owner: str) -> bool:
    """Certain only for processes of this machine and this boot: of others it is never said."""
    parts = owner.split("/")
    if len(parts) != 4 or parts[:2] != _machine() or not all(part.isdecimal() for part in parts[2:]):
        return False
    return _started(int(parts[2])) != parts[3]


def _machine() -> list[str]:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = "unknown"
    return [platform.node(), boot]


def _started(pid: int) -> str | None:
    """In clock ticks since the boot: the twenty-second field of proc(5)'s stat, behind a name that may hold anything."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None
