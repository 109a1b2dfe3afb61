"""Text of paragraphs that a narrow screen may wrap again (RFC 3676, DelSp=no)."""

import re
from collections.abc import Iterator

WIDTH = 72  # of a line that is wrapped: short enough for a quotation mark or two
LONGEST = 78  # of one that is left as it is (RFC 3676 §4.2)
SIGNATURE = "-- "  # RFC 3676 §4.3: ends with a blank and is never flowed
_QUOTED = re.compile(r"(>(?: ?>)*+)? ?")
_WORDS = re.compile(r" *[^ ]+ *")


def flow(text: str) -> str:
    """Lines of any length, those that begin with `>` quoted, as flowed lines."""
    return "\n".join(flowed for line in text.split("\n") for flowed in _flow(line))


def _flow(line: str) -> Iterator[str]:
    depth = 0
    if line.startswith(">") and (mark := _QUOTED.match(line)):
        depth = mark[0].count(">")
        line = line[mark.end() :]
    marks = ">" * depth
    content = line if line == SIGNATURE else line.rstrip(" ")
    fits = depth + 1 + len(content) <= LONGEST
    for piece in [content] if fits else _wrap(content, WIDTH - depth):
        # RFC 3676 §4.4: what could be taken for a quotation mark, for stuffing or for mbox's "From " gets a blank.
        stuffed = piece and (depth or piece.startswith((" ", ">", "From ")))
        yield f"{marks} {piece}" if stuffed else marks + piece


def _wrap(line: str, width: int) -> Iterator[str]:
    """Pieces that end with a blank, but for the last one; words are never cut."""
    piece = ""
    for word in _WORDS.findall(line):
        if piece and piece != SIGNATURE and len(piece) + len(word.rstrip(" ")) > width:
            yield piece
            piece = ""
        piece += word
    yield piece
