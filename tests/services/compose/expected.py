"""What a letter must say to whoever reads it, worked out without the code that builds it."""

import re
from collections.abc import Sequence
from email.utils import collapse_rfc2231_value, decode_params, unquote

from projections.documents import Address
from services.mail.compose import File, Letter, check, text_of

Person = tuple[str, str]


def people(addresses: Sequence[Address]) -> list[Person]:
    return [(one.name, check(one.email)) for one in addresses]


def files(letter: Letter) -> list[File]:
    """In the order of the message: inline images stand before what is attached."""
    return sorted(letter.attachments, key=lambda file: not file.inline)


def kind(file: File) -> str:
    if file.mime.startswith("multipart/") or (file.mime == "message/rfc822" and not is_mail(content(file))):
        return "application/octet-stream"
    return file.mime


def content(file: File) -> bytes:
    """A message that is attached keeps to the line ends of mail; everything else is left as it is."""
    assert isinstance(file.content, bytes)
    lines = re.sub(rb"\r?\n", b"\r\n", file.content)
    return lines if file.mime == "message/rfc822" and is_mail(lines) else file.content


def is_mail(content: bytes) -> bool:
    """Mail of the days of CR alone can't go through a server as it is."""
    return content.count(b"\r") == content.count(b"\n")


def text(letter: Letter) -> str:
    pieces = [text_of(letter.html), letter.quoted.text if letter.quoted else ""]
    return "\n\n".join(piece for piece in pieces if piece)


def unflowed(flowed: str) -> str:
    """RFC 3676 §4, as a reader does it."""
    lines: list[str] = []
    depth, paragraph = 0, ""
    for line in flowed.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        marks = len(line) - len(line.lstrip(">"))
        part = line[marks:].removeprefix(" ")
        if paragraph and (marks != depth or part == "-- "):
            lines.append(_quoted(depth, paragraph))
            paragraph = ""
        depth, paragraph = marks, paragraph + part
        if part == "-- " or not part.endswith(" "):
            lines.append(_quoted(depth, paragraph))
            paragraph = ""
    return "\n".join([*lines, _quoted(depth, paragraph)] if paragraph else lines)


def _quoted(depth: int, paragraph: str) -> str:
    return ">" * depth + (" " if depth and paragraph else "") + paragraph


def canonical(text: str) -> str:
    """Quotation marks as RFC 3676 §4.5 writes them, and no blanks at the end of a line."""

    def line(one: str) -> str:
        found = re.match(r"(?:>(?: ?>)*) ?", one)
        if found is None:
            return one if one == "-- " else one.rstrip(" ")
        rest = one[found.end() :]
        return _quoted(found[0].count(">"), rest if rest == "-- " else rest.rstrip(" "))

    return "\n".join(map(line, text.split("\n")))


def file_name(parameters: Sequence[tuple[str, str]]) -> str:
    """A name in parameters, put together by the standard library (RFC 2231)."""
    found = dict(decode_params([("", ""), *parameters]))["filename"]
    return unquote(collapse_rfc2231_value(found))
