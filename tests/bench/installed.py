"""The whole product for a bench: what `webmail up` starts, in a folder of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.embedded.child import free_port
from services.embedded.folder import DataFolder
from services.embedded.up import Installation


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for everything that a bench writes, removed at its end and not before.

    ext4 looks past each inode that was freed within the last minute, so that creating files after a removal costs ten times
    what it costs people.
    """
    folder = Path(tempfile.mkdtemp(prefix="wm-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def installation(workplace: Path) -> Iterator[Installation]:
    """Running while the block lasts, in a new folder of the workplace."""
    folder = Path(tempfile.mkdtemp(prefix="up-", dir=workplace))
    folder.chmod(0o755)
    running = Installation(DataFolder(folder), {"HTTP_PORT": str(free_port())}, report=lambda _: None)
    try:
        running.start()
        yield running
    finally:
        running.stop()
