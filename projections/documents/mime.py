"""The byte-level MIME reader: a message becomes a tree of parts, each a slice of the raw bytes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap

from projections.documents.params import content_type

Buffer = bytes | mmap

MAX_DEPTH = 40
MAX_PARTS = 1_000
MAX_FIELDS = 2_000
_PROBE = 65_536

_LEADING_JUNK = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*\r?\n|>?From [^:\s][^\n]*(?:\n|\Z))*+")
_BLANK_LINE = re.compile(rb"\n\r?\n")
# RFC 5322 §2.2: a name of printable characters, a colon, and lines folded by white space. "--" opens a part, never a field.
_FIELD = re.compile(rb"(?m)^(?!--)([!-9;-~]++)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)")
_GUESSED_DELIMITER = re.compile(rb"(?m)^--([^\s-][^\r\n]{0,200}|-[^\r\n]{0,200}[^-\s\r\n])[ \t]*\r?\n(?=[A-Za-z-]+:)")
_MBOX_LINE = re.compile(rb">?From ")


# Name in lower case, raw value with the folds, and where the field starts and ends in the buffer.
Field = tuple[bytes, bytes, int, int]


class Header:
    """The fields of one part, in order and by name."""

    __slots__ = ("body", "by_name", "fields", "junk")

    def __init__(self, fields: list[Field], body: int, *, junk: bool) -> None:
        self.fields = fields
        self.body = body  # where the body begins
        self.junk = junk  # lines that are no fields stood among them
        self.by_name: dict[bytes, list[bytes]] = {}
        for name, value, _, _ in fields:
            self.by_name.setdefault(name, []).append(value)

    def first(self, name: bytes) -> bytes | None:
        """The first field counts everywhere (RFC 7489 §6.6.1)."""
        values = self.by_name.get(name)
        return values[0] if values else None

    def every(self, name: bytes) -> list[bytes]:
        return self.by_name.get(name, [])


@dataclass(slots=True, kw_only=True, eq=False)
class Part:
    header: Header
    start: int
    end: int
    type: str
    params: dict[str, str]
    children: list["Part"]

    def leaves(self) -> Iterator["Part"]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


def line_ends(raw: Buffer) -> Buffer:
    """CR-only mail with its line ends made LF: the same length, so that every offset still holds in the raw bytes."""
    if raw.find(b"\n", 0, _PROBE) == -1 and raw.find(b"\r", 0, _PROBE) != -1 and raw.find(b"\n") == -1:
        return raw[:].replace(b"\r", b"\n")
    return raw


def parse(raw: Buffer, warnings: list[str]) -> Part:
    """The tree of a message. `raw` has been through `line_ends`."""
    start = leading_junk(raw)
    return _Reader(raw, warnings).part(start, len(raw), "text/plain", 0)


def leading_junk(raw: Buffer) -> int:
    """Where the header begins: behind blank lines, a byte order mark and mbox "From " lines."""
    found = _LEADING_JUNK.match(raw)
    return found.end() if found else 0


def header(raw: Buffer, start: int, end: int) -> Header:
    """The fields that begin at `start`; the body begins behind a blank line, or at the first line that can't be a field."""
    opening = raw[start : min(start + 2, end)]
    if opening[:1] == b"\n" or opening == b"\r\n":
        return Header([], start + (1 if opening[:1] == b"\n" else 2), junk=False)
    blank = _BLANK_LINE.search(raw, start, end)
    stop, body = (blank.start() + 1, blank.end()) if blank else (end, end)
    block = raw[start:stop]
    fields: list[Field] = []
    position, junk = 0, False
    for found in _FIELD.finditer(block):
        begin, behind = found.span()
        if begin != position:
            gap = block[position:begin]
            if gap.startswith(b"--") or b"\n--" in gap:
                break
            junk = junk or not _MBOX_LINE.match(gap)
        name, value = found.groups()
        fields.append((name.lower(), value, start + begin, start + behind))
        position = behind + 1
        if len(fields) == MAX_FIELDS:
            return Header(fields, body, junk=True)
    if position < len(block) and block[position:].strip():
        return Header(fields, start + position, junk=True)
    return Header(fields, body, junk=junk)


class _Reader:
    def __init__(self, raw: Buffer, warnings: list[str]) -> None:
        self.raw = raw
        self.warnings = warnings
        self.parts = 0

    def part(self, start: int, end: int, default: str, depth: int) -> Part:
        self.parts += 1
        fields = header(self.raw, start, end)
        if fields.junk:
            self.warn("Some header lines could not be read.")
        kind, params = content_type(fields.first(b"content-type"), default)
        part = Part(header=fields, start=min(fields.body, end), end=end, type=kind, params=params, children=[])
        if kind.startswith("multipart/"):
            self.descend(part, depth)
        return part

    def descend(self, part: Part, depth: int) -> None:
        """Fill a multipart's children; without any it stays a leaf, and its text is shown."""
        if depth >= MAX_DEPTH:
            self.warn("Parts nested too deeply were not opened.")
            return
        default = "message/rfc822" if part.type == "multipart/digest" else "text/plain"  # RFC 2046 §5.1.5
        for start, end in self.slices(part):
            if self.parts >= MAX_PARTS:
                self.warn("There are too many parts; the rest was not opened.")
                break
            part.children.append(self.part(start, end, default, depth + 1))
        if not part.children:
            self.warn("A multipart holds no parts; its text is shown as it is.")

    def slices(self, part: Part) -> Iterator[tuple[int, int]]:
        boundary = part.params.get("boundary", "").encode("latin-1", "replace").rstrip()
        if not boundary:
            guessed = _GUESSED_DELIMITER.search(self.raw, part.start, min(part.end, part.start + _PROBE))
            if guessed is None:
                return
            self.warn("A multipart names no boundary; it was guessed.")
            boundary = guessed[1]
        delimiter = b"--" + boundary
        # A line that only begins with the delimiter counts (RFC 2046 §5.1.1) when no whole line is one: boundaries clash.
        whole = next(self.delimiters(part, delimiter, whole=True), None)
        opened: int | None = None
        for before, after, closing in self.delimiters(part, delimiter, whole=whole is not None and not whole[2]):
            if opened is not None:
                yield opened, max(opened, before)
            opened = after
            if closing:
                return
        if opened is not None:
            self.warn("The last part has no closing delimiter.")
            yield opened, part.end

    def delimiters(self, part: Part, delimiter: bytes, *, whole: bool) -> Iterator[tuple[int, int, bool]]:
        """(end of the text before, start of the text behind, is it the closing one) of each delimiter line."""
        raw, end = self.raw, part.end
        position = raw.find(delimiter, part.start, end)
        while position != -1:
            behind = position + len(delimiter)
            if position == part.start or raw[position - 1 : position] == b"\n":
                newline = raw.find(b"\n", behind, end)
                line_end = end if newline == -1 else newline
                rest = raw[
                    behind : min(line_end, behind + 998)
                ].rstrip()  # RFC 5322 §2.1.1: a line has at most 998 octets
                closing = rest.startswith(b"--")
                if not whole or rest in (b"", b"--"):
                    before = position - (2 if raw[position - 2 : position] == b"\r\n" else 1)
                    yield max(before, part.start), min(line_end + 1, end), closing
                    behind = line_end
            position = raw.find(delimiter, behind, end)

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)
