"""What tests fetch once and keep in the user's cache."""

import fcntl
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def once(name: str, make: Callable[[Path], Path]) -> Path:
    """The folder of this name; made when it is not there yet. Safe to call from many processes.

    `make` works in a folder of its own, and gives the one in it that is to be kept.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "webmail-tests"
    root = cache / name
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            with tempfile.TemporaryDirectory(dir=cache) as folder:
                make(Path(folder)).rename(root)  # complete or not there
    return root
