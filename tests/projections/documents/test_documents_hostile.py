"""Hostile bytes cost linear time, never raise, and leave nothing that Postgres or JSON would refuse."""

import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from projections.documents import Document, read, read_file, render, render_with_images, unreadable

ROOT = Path(__file__).parents[3]
CORPUS = ROOT.parent / "shared" / "corpus"
FIXTURES = ROOT / "tests" / "fixtures" / "mime"
BOUND = 4.0  # seconds of CPU; each takes a tenth of it, and what is quadratic takes minutes

HEAD = b"From: a@example.org\r\nTo: b@example.net\r\nSubject: x\r\n"


def multipart(body: bytes) -> bytes:
    return HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + body


def html(body: str) -> bytes:
    return HEAD + b"Content-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()


def flowed(body: bytes) -> bytes:
    return HEAD + b"Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n" + body


def nested(depth: int) -> bytes:
    opening = b"".join(b"--%d\r\nContent-Type: multipart/mixed; boundary=%d\r\n\r\n" % (n, n + 1) for n in range(depth))
    return HEAD + b"Content-Type: multipart/mixed; boundary=0\r\n\r\n" + opening


BOMBS: dict[str, Callable[[], bytes]] = {
    "a subject of plain words": lambda: b"Subject: " + b"word " * 200_000 + b"\r\n\r\nx",
    "a subject of encoded words": lambda: b"Subject: " + b"=?utf-8?q?word?= " * 20_000 + b"\r\n\r\nx",
    "a subject of encoded word starts": lambda: b"Subject: " + b"=?" * 100_000 + b"\r\n\r\nx",
    "a subject of words that never end": lambda: b"Subject: " + b"=?a?q?x " * 100_000 + b"\r\n\r\nx",
    "a subject of many folds": lambda: b"Subject: x" + b"\r\n   \t  y" * 100_000 + b"\r\n\r\nx",
    "a subject of folded blanks": lambda: b"Subject: x\r\n" + b" " * 1_000_000 + b"y\r\n\r\nx",
    "an identifier of blanks": lambda: b"Message-ID: <a\r\n" + b" " * 1_000_000 + b"@b>\r\n\r\nx",
    "many addresses": lambda: b"To: " + b"Some Name <someone@example.org>, " * 20_000 + b"\r\n\r\nx",
    "many quoted words": lambda: b"To: " + b'"a" ' * 20_000 + b"<a@example.org>\r\n\r\nx",
    "quotes that never close": lambda: b"To: " + b'"\\' * 200_000 + b"\r\n\r\nx",
    "comments that never close": lambda: b"To: " + b"(" * 500_000 + b"\r\n\r\nx",
    "angles that never close": lambda: b"To: " + b"<" * 500_000 + b"\r\n\r\nx",
    "many ids": lambda: b"References: " + b"<a@b>" * 100_000 + b"\r\n\r\nx",
    "many different ids": lambda: b"References: " + b"".join(b"<%d@b>" % n for n in range(100_000)) + b"\r\n\r\nx",
    "ids that never close": lambda: b"References: " + b"<" * 500_000 + b"\r\n\r\nx",
    "a long date": lambda: b"Date: " + b"1 Jan " * 100_000 + b"\r\n\r\nx",
    "many parameters": lambda: b"Content-Type: text/plain" + b"; a=b" * 20_000 + b"\r\n\r\nx",
    "many half-quoted parameters": lambda: b"Content-Type: text/plain" + b'; a="\\' * 50_000 + b"\r\n\r\nx",
    "many sections": lambda: b"Content-Type: text/plain" + b"; a*2*=%41" * 50_000 + b"\r\n\r\nx",
    "many fields": lambda: b"A: b\r\n" * 200_000 + b"\r\nx",
    "many lines that are no fields": lambda: HEAD + b"junk\r\nA: b\r\n" * 100_000 + b"\r\nx",
    "leading blank lines": lambda: b"\r\n" * 500_000 + HEAD + b"\r\nx",
    "leading blanks": lambda: b" " * 1_000_000 + HEAD + b"\r\nx",
    "many empty parts": lambda: multipart(b"--b\r\n\r\n" * 100_000),
    "many near delimiters": lambda: multipart(b"--bx\r\n" * 200_000),
    "delimiters on one line": lambda: multipart(b"--b\r\n\r\n" + b"--b" * 300_000),
    "deeply nested parts": lambda: nested(3_000),
    "no boundary": lambda: HEAD + b"Content-Type: multipart/mixed\r\n\r\n" + b"--" * 400_000,
    "base64 of padding": lambda: HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n" + b"QQ==" * 250_000,
    "quoted-printable of equals signs": lambda: (
        HEAD + b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + b"= " * 500_000
    ),
    "quoted-printable of blanks": lambda: (
        HEAD + b"Content-Transfer-Encoding: quoted-printable\r\n\r\n=" + b" " * 1_000_000 + b"x \n"
    ),
    "nested divs": lambda: html("<div>" * 50_000),
    "unclosed bold": lambda: html("<b>" * 20_000),
    "nested divs behind false end tags": lambda: html("<div></span>" * 30_000),
    "nested divs behind commented end tags": lambda: html("<div><!--</div>-->" * 30_000),
    "nested divs behind quoted end tags": lambda: html("<div><p title='</div>'>" * 30_000),
    "nested divs in an svg title": lambda: html("<svg><title>" + "<div>" * 40_000),
    "nested divs behind bogus comments": lambda: html("<br" + "<textarea><dl><ruby>--><!" * 40_000),
    "nested framesets among ignored elements": lambda: html("<!" + "<xmp></font><frameset></table<td>" * 25_000),
    "nested groups behind end tags in cdata": lambda: html("<svg>" + "<g><![CDATA[></g>]]>" * 40_000),
    "nested divs behind end tags in an end tag": lambda: html('<div><style></style a="</div>">' * 25_000),
    "nested divs behind end tags in raw text": lambda: html('<div><style a="</style>"></div></style>' * 20_000),
    "nested tables": lambda: html("<table><tr><td>" * 30_000),
    "many attributes": lambda: html("<a " + " ".join(f"a{n}=b" for n in range(100_000)) + ">"),
    "many attributes among quoted brackets": lambda: html("<a " + " ".join(f"a{n}='<b>'" for n in range(60_000)) + ">"),
    "many ampersands": lambda: html("&" * 990_000),
    "many references": lambda: html("&amp;" * 190_000),
    "many brackets": lambda: html("<" * 900_000),
    "style blocks that never close": lambda: html("<style>" * 140_000),
    "comments that open only": lambda: html("<!--" * 140_000),
    "rules times tags": lambda: html(
        "<style>" + "".join(f".c{n} p{{color:red}}" for n in range(9_000)) + "</style>" + "<p>x" * 90_000
    ),
    "selectors times tags": lambda: html("<style>" + "p," * 100_000 + "p{color:red}</style>" + "<p>x" * 20_000),
    "declarations times tags": lambda: html("<style>p{" + "color:red;" * 50_000 + "}</style>" + "<p>x</p>" * 20_000),
    "a long value times tags": lambda: html("<style>p{font-family:" + "a" * 20_000 + "}</style>" + "<p>x</p>" * 2_400),
    "a long selector times tags": lambda: html(
        "<style>p" + ":not(.a)" * 3_000 + "{color:red}</style>" + "<p>x</p>" * 40_000
    ),
    "a selector of descendants": lambda: html(
        "<style>"
        + "".join("* " * 40 + f"b.c{n}{{color:red}}" for n in range(100))
        + "</style>"
        + "<div>" * 390
        + "<b class=c1>x</b>" * 500
    ),
    "css comments": lambda: html('<p style="' + "/*" * 9_000 + '">x</p>' * 40),
    "css parentheses": lambda: html(f'<p style="color:{"(" * 15_000}">x</p>' * 40),
    "css urls": lambda: html(f'<p style="{"background:url(" * 1_200}">x</p>' * 40),
    "quoted lines": lambda: HEAD + b"\r\n" + b"> On x wrote:\r\n" * 100_000,
    "attributions": lambda: HEAD + b"\r\n" + b"On " * 500_000 + b"wrote:",
    "soft line breaks": lambda: flowed(b"word \r\n" * 90_000),
    "soft line breaks under quotes": lambda: flowed(b"> \r\n" * 90_000),
    "soft line breaks where the depth changes": lambda: flowed(b"a \r\n>b \r\n" * 45_000),
    "lines of quotation marks": lambda: flowed((b">" * 40_000 + b" \r\n") * 25),
    "more soft line breaks than are read": lambda: flowed(b" \n" * 2_000_000),
    "a character set of symbols": lambda: (
        HEAD + b"Content-Type: text/plain; charset=x\r\n\r\n" + b"\xa3\xe9 " * 400_000
    ),
    "one long word": lambda: html("<p>" + "a" * 990_000),
    "one long tag of blanks": lambda: html("<div" + " " * 990_000),
    "zero-width padding": lambda: html("<p>x" + "\u200b" * 300_000 + "y" + "\u200b\xa0" * 100_000),
    "many breaks": lambda: html("<br>" * 140_000),
    "preformatted text": lambda: html("<pre>" + "a\n" * 200_000),
    "quote marks": lambda: html('<div class="gmail_quote"></div>' * 30_000),
}


def storable(document: Document) -> bytes:
    """Valid UTF-8 and no NUL, which is what Postgres takes."""
    for text in strings(msgspec.to_builtins(document)):
        assert "\x00" not in text
        text.encode()
    return msgspec.json.encode(document)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_read_in_linear_time(name: str) -> None:
    raw = BOMBS[name]()
    started = time.process_time()
    storable(read(raw))
    assert time.process_time() - started < BOUND


def test_many_quotes_are_folded_in_linear_time() -> None:
    document = read(
        html('x<blockquote type="cite">' * 300 + '<div class="gmail_quote">y</div>' * 20_000 + "<blockquote>" * 50)
    )
    started = time.process_time()
    assert "<details>" in render(document, str)
    assert time.process_time() - started < BOUND


def test_a_large_message_is_read_without_being_copied(tmp_path: Path) -> None:
    line = b"QUJD" * 19 + b"\r\n"
    body = (
        b"--b\r\n\r\nHello\r\n--b\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        + line * 400_000
    )
    (tmp_path / "large").write_bytes(multipart(body))
    tracemalloc.start()
    try:
        document = read_file(tmp_path / "large")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert document.attachments[0].size == 400_000 * 57
    assert peak < 8_000_000


def samples() -> list[bytes]:
    paths = [*FIXTURES.glob("*.eml"), *CORPUS.glob("stalwart/eml/*/*.eml"), *CORPUS.glob("mime4j/*/*.msg")]
    return [path.read_bytes() for path in sorted(paths)]


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, cut, repeated or swapped."""
    data = bytearray(raw)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data[at : at + 1] = bytes((chance.randrange(256),))
            case 1:
                del data[at : at + chance.randint(1, 40)]
            case 2:
                data[at:at] = data[max(0, at - chance.randint(1, 60)) : at]
            case 3:
                data[at:at] = chance.choice(
                    (b"\x00", b"\r", b"\n\n", b"=?", b"?=", b"<", b'"', b"--", b";", b"\xff\xfe", b"+2AA-")
                )
            case _:
                data[at:] = data[at:][::-1] if chance.random() < 0.1 else data[at:]
    return bytes(data)


def test_the_corpus_and_its_mutations_never_raise() -> None:
    chance = random.Random(7)
    for raw in samples():
        storable(read(raw))
        for _ in range(4):
            storable(read(mutated(raw[:30_000], chance)))


def test_every_other_file_of_the_corpus_is_read_as_mail_too() -> None:
    paths = [path for path in CORPUS.rglob("*") if path.is_file() and path.stat().st_size < 200_000]
    assert paths
    for path in sorted(paths)[::2]:
        storable(read(path.read_bytes()))


def test_random_bytes_never_raise() -> None:
    chance = random.Random(11)
    for _ in range(300):
        storable(read(chance.randbytes(chance.randrange(600))))
        storable(read(HEAD + b"Content-Type: text/html; charset=utf-7\r\n\r\n" + chance.randbytes(200)))


def test_the_same_bytes_give_the_same_document() -> None:
    for raw in samples()[:120]:
        assert storable(read(raw)) == storable(read(bytes(bytearray(raw))))


def test_cut_anywhere_a_message_is_still_read() -> None:
    raw = (FIXTURES / "m-nested.eml").read_bytes()
    for end in range(0, len(raw), 7):
        storable(read(raw[:end]))


def test_an_encoded_surrogate_does_not_get_through() -> None:
    document = read(b"Subject: =?utf-7?Q?+2AA-?=\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n+2AA-")
    assert "\ufffd" in document.subject
    storable(document)


def test_html_that_is_refused_is_shown_as_text() -> None:
    document = read(html("<div>" * 5_000 + "Hello &lt;there&gt;"))
    assert document.html is not None
    assert document.html.startswith("<pre>")
    assert "Hello &lt;there&gt;" in document.html
    assert "Hello <there>" in document.text
    assert any("plain text" in warning for warning in document.warnings)
    assert render_with_images(html("<div>" * 5_000 + "Hello"), str).startswith("<pre>")


def test_the_document_of_a_message_whose_parser_died_says_so() -> None:
    document = unreadable("killed", 17)
    assert document.warnings == ["This message of 17 bytes could not be read: killed. Its source is kept."]
    storable(document)
