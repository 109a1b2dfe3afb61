"""Cyrus IMAP from Debian's packages, unpacked into the user's cache: installed it would displace Dovecot."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.support import cache

PACKAGES = ("cyrus-imapd", "cyrus-common", "sasl2-bin", "libsasl2-modules", "libsasl2-modules-db")
MOST_LAYERS = 4  # of libraries that need further ones
_LIBRARY = re.compile(r"^\s*(?:Pre)?Depends: (lib\S+)$", re.MULTILINE)


class CyrusMissing(Exception):
    """The packages could not be had: these tests need Debian's apt-get and its archive, and must not be left out."""


def fetch() -> Path:
    """Where the programs are, as below `/`. Raises CyrusMissing."""
    return cache.once("cyrus", _download)


def environ(root: Path) -> Mapping[str, str]:
    """What the unpacked programs need to find their libraries."""
    folders = [*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu")]
    sasl = next(root.glob("usr/lib/*/sasl2"), Path())
    return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(map(str, folders)), "SASL_PATH": str(sasl)}


def _download(folder: Path) -> Path:
    """The packages, and such libraries of theirs as this machine lacks."""
    root = folder / "root"
    root.mkdir()
    known: set[str] = set()
    wanted = {*PACKAGES}
    for _ in range(MOST_LAYERS):
        _apt(folder, "apt-get", "download", *sorted(wanted))
        for archive in folder.glob("*.deb"):
            _apt(folder, "dpkg", "-x", archive.name, root.name)
            archive.unlink()
        known |= wanted
        if not _lacking(root):
            return root
        wanted = _libraries(folder, known) - known
    raise CyrusMissing(f"libraries are missing: {', '.join(_lacking(root))}")


def _libraries(folder: Path, packages: AbstractSet[str]) -> set[str]:
    """What these depend on and this machine has not."""
    needed = {*_LIBRARY.findall(_apt(folder, "apt-cache", "depends", *sorted(packages)))}
    query = ["dpkg-query", "-W", "-f=${Package} ${Status}\n", *sorted(needed)]
    installed = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    return needed - {line.split()[0] for line in installed.splitlines() if line.endswith(" installed")}


def _lacking(root: Path) -> Sequence[str]:
    programs = [
        path for path in root.glob("usr/lib/cyrus/bin/*") if path.name in {"master", "imapd", "idled", "ctl_cyrusdb"}
    ]
    done = subprocess.run(["ldd", *programs], capture_output=True, text=True, env=environ(root), check=False)
    return sorted({line.split()[0] for line in done.stdout.splitlines() if "not found" in line})


def _apt(folder: Path, *command: str) -> str:
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise CyrusMissing(f"{' '.join(command)}: {getattr(error, 'stderr', error)}") from error
