"""Cuts the bytes of an IMAP connection into replies, without recursion and without looking at anything twice."""

import re

from contracts.provider import ProviderProtocolError

LITERAL = re.compile(rb"\{(\d{1,19})\+?\}$")  # RFC 3501 §4.3; `+` is RFC 7888's and harmless from a server
CARRIES_NO_LITERAL = re.compile(rb"(?!\* )|\* (?:OK|NO|BAD|BYE|PREAUTH)\b", re.IGNORECASE)  # their text is free

Reply = list[bytes]
"""A line, a literal, a line, …: odd in length, the lines without CRLF and each but the last ending in its `{n}`."""


class Framer:
    """`feed` gives the replies that are complete. `idle` is true when nothing of a next one has arrived."""

    def __init__(self, *, max_line: int, max_literal: int) -> None:
        self._max_line = max_line
        self._max_literal = max_literal
        self._segments: Reply = []
        self._line = bytearray()
        self._literal = bytearray()
        self._missing = 0  # bytes of the literal still to come

    @property
    def idle(self) -> bool:
        return not (self._segments or self._line or self._missing)

    @property
    def within_literal(self) -> bool:
        return self._missing > 0

    def feed(self, data: bytes) -> list[Reply]:
        """Raises ProviderProtocolError when a line or literal is longer than allowed; the framer is then of no use."""
        replies: list[Reply] = []
        position = 0
        while position < len(data):
            if self._missing:
                position = self._take(data, position)
                continue
            end = data.find(b"\n", position)
            if end < 0:
                self._line += data[position:]
                self._check_line(len(self._line))
                break
            line = data[position:end]
            position = end + 1
            if self._line:
                line = bytes(self._line) + line
                self._line.clear()
            self._check_line(len(line))
            if self._complete(line.removesuffix(b"\r")):
                replies.append(self._segments)
                self._segments = []
        return replies

    def _take(self, data: bytes, position: int) -> int:
        end = min(position + self._missing, len(data))
        self._missing -= end - position
        if not self._missing and not self._literal:
            self._segments.append(data[position:end])  # whole in one chunk: copied once
        else:
            self._literal += data[position:end]
            if not self._missing:
                self._segments.append(bytes(self._literal))
                self._literal = bytearray()
        return end

    def _complete(self, line: bytes) -> bool:
        """Adds a line to the reply; true when the reply ends with it. Empty lines between replies are passed over."""
        if not line and not self._segments:
            return False
        literal = LITERAL.search(line) if line.endswith(b"}") else None
        if literal is not None and not self._segments and CARRIES_NO_LITERAL.match(line):
            literal = None
        self._segments.append(line)
        if literal is None:
            return True
        self._missing = int(literal[1])
        if self._missing > self._max_literal:
            raise ProviderProtocolError("protocol", f"a literal of {self._missing} bytes")
        if self._missing == 0:
            self._segments.append(b"")
        return False

    def _check_line(self, length: int) -> None:
        if length > self._max_line:
            raise ProviderProtocolError("protocol", "a line without an end")
