"""What goes to a parsing child and comes back: frames of MessagePack, each after its length."""

import struct
from pathlib import Path

import msgspec

from projections.documents.memo import Encoded

LENGTH = struct.Struct("!I")
FRAME_LIMIT = 1 << 30
READY = b"ready"
"""What a child says first: from then on its death is blamed on what it was given."""


class Parsed(msgspec.Struct, frozen=True, array_like=True):
    """A document as the memo keeps it, and what else only the bytes tell.

    `evidence` as in `contracts.ids`; `unreadable` says why the parser gave up, and then the document is a placeholder.
    """

    encoded: Encoded
    evidence: str
    unreadable: str = ""


Job = list[bytes | str]
"""Raw messages, or paths of files that hold one each."""


def job(raws: list[bytes | Path]) -> bytes:
    return _frame(msgspec.msgpack.encode([str(raw) if isinstance(raw, Path) else raw for raw in raws]))


def read_job(data: bytes) -> Job:
    items: Job = msgspec.msgpack.decode(data)
    return items


def answer(parsed: list[Parsed]) -> bytes:
    return _frame(msgspec.msgpack.encode(parsed))


_answers = msgspec.msgpack.Decoder(list[Parsed])


def read_answer(data: bytes) -> list[Parsed]:
    """Raises msgspec.MsgspecError: a child that was taken over by its input may say anything."""
    return _answers.decode(data)


def _frame(data: bytes) -> bytes:
    return LENGTH.pack(len(data)) + data
