"""The whole product for a bench: what `webmail up` starts, in a folder of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.embedded.folder import DataFolder
from services.embedded.up import Installation


@contextmanager
def installation() -> Iterator[Installation]:
    """Running while the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix="wm-bench-"))
    folder.chmod(0o755)
    running = Installation(DataFolder(folder), {}, report=lambda _: None)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
