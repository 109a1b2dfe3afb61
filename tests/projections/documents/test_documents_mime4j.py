"""Against mime4j's own expectations: the same parts in the same order, each text or not, each with the same bytes."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from projections.documents import mime, transfer
from projections.documents.document import encoding

MIME4J = Path(__file__).parents[4] / "shared" / "corpus" / "mime4j"
MESSAGES = sorted(path.with_name(path.name.removesuffix("_decoded.xml")) for path in MIME4J.glob("*/*_decoded.xml"))

# (is it text, the decoded bytes with LF for line ends)
Leaf = tuple[bool, bytes]

# A multipart without parts that the peer can find: it lists nothing where we show the text.
SHOWN_ANYWAY = {
    "badbound",
    "missing-boundary",
    "missing-inner-boundary",
    "missing-inner-start-boundary",
    "multipartnopart",
}
# A line that differs from the delimiter in its trailing blanks, of which RFC 2046 §5.1.1 says that they count for nothing:
# one part more.
BLANKS_COUNT_FOR_NOTHING = {"very-long-boundary", "very-very-long-boundary", "weird-boundary"}
# No blank line stands between header and body: the peer takes lines of the text for header lines, and drops them.
TEXT_TAKEN_FOR_HEADER = {
    "hdr-fakeout",
    "basic-plain-with-bad-header-separator",
    "malformedHeader-noheader",
    "malformedHeaderStartsBody-noheader",
}
# The reverse: a line that can't be a field ends the header for the peer, and we read the field behind it.
HEADER_TAKEN_FOR_TEXT = {"malformedHeaderStartsBody-nocrlfcrlf"}
# A base64 part that was cut off within its last group: the peer drops what the group still says.
CUT_OFF = {"frag", "multi-frag"}

DIFFERENT = SHOWN_ANYWAY | BLANKS_COUNT_FOR_NOTHING | TEXT_TAKEN_FOR_HEADER | HEADER_TAKEN_FOR_TEXT | CUT_OFF
PROTOTYPE = 63


def found(raw: bytes, depth: int = 0) -> Iterator[Leaf]:
    """The leaves of a message, attached messages opened as the peer opens them."""
    raw = bytes(mime.line_ends(raw))
    for leaf in mime.parse(raw, []).leaves():
        data = transfer.decode(raw[leaf.start : leaf.end], encoding(leaf))
        if leaf.type == "message/rfc822" and depth < 10:
            yield from found(data, depth + 1)
        else:
            yield leaf.type.startswith("text/"), lines(data)


def expected(message: Path) -> list[Leaf]:
    """What the peer's XML lists, and the files that it names."""
    listed = message.with_name(f"{message.name}_decoded.xml").read_text("latin-1")
    source = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]|&#x?[0-9a-fA-F]+;", "?", listed)
    bodies = [one for one in ET.fromstring(source).iter() if one.tag in ("text-body", "binary-body")]
    return [(one.tag == "text-body", lines(message.with_name(one.attrib["name"]).read_bytes())) for one in bodies]


def lines(data: bytes) -> bytes:
    return re.sub(rb"\r\n?", b"\n", data)


def same(message: Path) -> bool:
    return list(found(message.with_name(f"{message.name}.msg").read_bytes())) == expected(message)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_the_parts_are_those_of_mime4j_but_for_known_differences(message: Path) -> None:
    assert same(message) == (message.name not in DIFFERENT)


def test_as_many_part_lists_are_the_same_as_the_prototype_had() -> None:
    assert len(MESSAGES) == 80
    assert sum(map(same, MESSAGES)) >= PROTOTYPE


@pytest.mark.parametrize("name", sorted(SHOWN_ANYWAY | TEXT_TAKEN_FOR_HEADER))
def test_where_the_lists_differ_no_text_is_lost(name: str) -> None:
    message = next(message for message in MESSAGES if message.name == name)
    shown = b"".join(data for _, data in found(message.with_name(f"{name}.msg").read_bytes()))
    assert all(data in shown for _, data in expected(message))
    assert len(shown) > sum(len(data) for _, data in expected(message))


@pytest.mark.parametrize("name", sorted(CUT_OFF))
def test_a_cut_off_part_begins_as_the_peers(name: str) -> None:
    message = next(message for message in MESSAGES if message.name == name)
    ours = list(found(message.with_name(f"{name}.msg").read_bytes()))
    assert len(ours) == len(expected(message))
    assert all(mine.startswith(theirs) for (_, mine), (_, theirs) in zip(ours, expected(message), strict=True))
