"""`webmail document`: what raw messages are parsed into, for bug reports and for checking the parser from outside."""

import argparse
import json
import sys
from pathlib import Path

from projections.documents import document


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a raw message (RFC 5322), as received")
    parser.add_argument("--json", action="store_true", help="one line of JSON a file, also on a terminal")


def run(chosen: argparse.Namespace) -> int:
    """A line a file that can be read; 1 if one can't."""
    indent = None if chosen.json or not sys.stdout.isatty() else 2
    failed = False
    for file in chosen.files:
        try:
            explained = document.explain(_read(file))
        except OSError as error:
            sys.stderr.write(f"webmail document: {file}: {error.strerror}\n")
            failed = True
        else:
            # ASCII only, so that no terminal's encoding stands in the way
            sys.stdout.write(json.dumps(explained, indent=indent) + "\n")
    return 1 if failed else 0


def _read(file: Path) -> document.Document:
    """Mapped, or whole where that can't be: from a pipe."""
    return document.read_file(file) if file.is_file() else document.read(file.read_bytes())
