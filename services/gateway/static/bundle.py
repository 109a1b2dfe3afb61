"""The web bundle in memory: read once, so that no request touches the disk and no path can lead out of it."""

import mimetypes
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_HASHED = re.compile(r"[.-][A-Za-z0-9_-]{8,}\.\w+$")  # as Vite names what may be kept for ever
_COMPRESSED = {".br": "br", ".gz": "gzip"}
_TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2"}


class File(NamedTuple):
    """`encoded`: the same, by content coding (RFC 9110 §8.4.1)."""

    mime: str
    immutable: bool
    plain: bytes
    encoded: dict[str, bytes]

    def chosen(self, accepted: str) -> tuple[bytes, str | None]:
        """The smallest that the browser takes, and its coding."""
        takes = {
            coding.partition(";")[0].strip() for coding in accepted.split(",") if "q=0" not in coding.replace(" ", "")
        }
        for coding in _COMPRESSED.values():
            if coding in takes and coding in self.encoded:
                return self.encoded[coding], coding
        return self.plain, None


@dataclass(frozen=True)
class Bundle:
    """Files by their path from the root, as browsers ask for them."""

    files: dict[str, File] = field(default_factory=dict)

    @property
    def index(self) -> File | None:
        return self.files.get("index.html")


def load(root: Path) -> Bundle:
    """What a build left; empty when nothing is built."""
    paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return Bundle(
        {
            name: File(_mime(path), bool(_HASHED.search(name)), path.read_bytes(), _variants(name, paths))
            for name, path in paths.items()
            if path.suffix not in _COMPRESSED
        }
    )


def _variants(name: str, paths: dict[str, Path]) -> dict[str, bytes]:
    return {
        coding: paths[name + suffix].read_bytes() for suffix, coding in _COMPRESSED.items() if name + suffix in paths
    }


def _mime(path: Path) -> str:
    return _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
