"""The child that parses: an empty environment, no secrets, bounded memory, processor time and files; it may die of its input.

Its first argument says for whom: `opened`, somebody waits to see the message with its HTML; `kept`, it goes without.
"""

import gc
import os
import resource
import sys
from pathlib import Path

from contracts import ids
from projections.documents import document, memo
from services.parsing import messages
from services.parsing.evidence import evidence
from services.parsing.messages import Parsed

MEMORY = 2 << 30
COURTESY = 5
"""Niceness of a child for whom nobody waits: where processors are few, what has arrived is shown before more is read in."""

SECONDS = 30
"""Of processor time for one job, and one second more for each megabyte: a job that takes longer is given again in single
messages."""


def main() -> None:
    """Answer jobs from stdin on stdout until stdin ends."""
    opened = sys.argv[1:] == ["opened"]
    _limit()
    if not opened:
        os.nice(COURTESY)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)  # documents are trees: there is little to collect
    jobs, answers = sys.stdin.buffer, sys.stdout.buffer
    answers.write(messages.READY)
    answers.flush()
    while head := jobs.read(messages.LENGTH.size):
        (length,) = messages.LENGTH.unpack(head)
        job = messages.read_job(jobs.read(length))
        _allow(sum(map(_size, job)))
        parsed = [_parse(raw, html=opened) for raw in job]
        answers.write(messages.answer(parsed))
        answers.flush()


def _parse(raw: bytes | str, *, html: bool) -> Parsed:
    """What the parser makes of it; an exception is its fault, not the mail's, and must not stop the mail."""
    try:
        return _read(raw, html=html)
    except Exception as error:  # noqa: BLE001 - whatever the parser raises, the other messages go on
        return unreadable(f"the parser failed: {type(error).__name__}", _size(raw))


def _read(raw: bytes | str, *, html: bool) -> Parsed:
    if isinstance(raw, bytes):
        return Parsed(memo.encode(document.read(raw, html=html)), evidence(raw))
    path = Path(raw)
    with path.open("rb") as file:
        head = file.read(1 << 20)
    return Parsed(memo.encode(document.read_file(path, html=html)), evidence(head))


def unreadable(reason: str, size: int) -> Parsed:
    """The placeholder for a message that the parser gave up."""
    return Parsed(memo.encode(document.unreadable(reason, size)), ids.evidence(b"", b"", b""), reason)


def _size(raw: bytes | str) -> int:
    return len(raw) if isinstance(raw, bytes) else Path(raw).stat().st_size


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def _allow(size: int) -> None:
    """So much more processor time than was used so far; beyond it the kernel ends this child."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + SECONDS + (size >> 20), resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
