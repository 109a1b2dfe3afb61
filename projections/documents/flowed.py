"""Text that was broken into short lines for old readers, as the lines that its sender wrote (RFC 3676)."""

from collections.abc import Mapping

MAX_LINES = 100_000  # in more than that nobody wrote paragraphs; they stay as they are

_SIGNATURE = "-- "  # §4.3: neither fixed nor flowed
_MARKED = frozenset((" ", ">"))  # what a line begins with that is stuffed or quoted


def unflow(text: str, params: Mapping[str, str]) -> str:
    """The text of a text/plain part with these parameters, its line ends LF, with no break but those that were meant.

    Of flowed text quoted lines begin with a `>` for each level and a blank, and no other line begins with `>`.
    """
    if _word(params, "format") != "flowed" or text.count("\n") > MAX_LINES:
        return text
    spaced = _word(params, "delsp") != "yes"
    lines: list[str] = []
    depth, pieces = 0, list[str]()  # of a paragraph that goes on
    for line in text.removesuffix("\n").split("\n"):
        if not pieces and line[-1:] != " " and line[:1] not in _MARKED:
            lines.append(line)
            continue
        unquoted = line.lstrip(">")
        level, content = len(line) - len(unquoted), unquoted.removeprefix(" ")
        if pieces and (level != depth or content == _SIGNATURE):  # §4.5: the depth counts for more than a soft break
            lines.append(_line(depth, pieces))
            pieces = []
        soft = content[-1:] == " " and content != _SIGNATURE
        depth = level
        pieces.append(content if spaced or not soft else content[:-1])
        if not soft:
            lines.append(_line(depth, pieces))
            pieces = []
    if pieces:
        lines.append(_line(depth, pieces))
    return "\n".join(lines) + "\n" * text.endswith("\n")


def _line(depth: int, pieces: list[str]) -> str:
    """The stuffing (§4.4) stays where a line would look quoted without it."""
    content = "".join(pieces)
    return ">" * depth + (" " if content and (depth or content[0] == ">") else "") + content


def _word(params: Mapping[str, str], name: str) -> str:
    return params.get(name, "").strip().lower()
