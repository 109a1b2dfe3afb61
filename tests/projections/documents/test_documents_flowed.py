"""format=flowed text is read as the lines that were written (RFC 3676), wherever it stands in a message."""

import base64
import quopri
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.documents import read, render
from projections.documents.flowed import MAX_LINES, unflow

FLOWED = {"format": "flowed"}
DELSP = {"format": "flowed", "delsp": "yes"}


@pytest.mark.parametrize(
    ("wire", "text"),
    [
        ("one \ntwo \nthree\nfour\n", "one two three\nfour\n"),
        ("one \n\ntwo\n", "one \ntwo\n"),
        (">> inner \n>> goes on\n> outer \n> too\nmine \nas well\n", ">> inner goes on\n> outer too\nmine as well\n"),
        (">a \n>b\n", "> a b\n"),
        ("> one \n>> two \nthree \n", "> one \n>> two \nthree \n"),
        (">\n> \n>>\n", ">\n>\n>>\n"),
        (" From me \n  to you\n  indented\n", "From me  to you\n indented\n"),
        (" >no quote \n >= 1\n", " >no quote >= 1\n"),
        (">  > no \n>  quote\n", ">  > no  quote\n"),
        ("> > once \n> > more\n", "> > once > more\n"),
        ("text \n-- \nAnn \nof Example\n", "text \n-- \nAnn of Example\n"),
        ("> quoted \n> -- \n> Bob\n", "> quoted \n> -- \n> Bob\n"),
        ("--  \nno signature\n", "--  no signature\n"),
        ("a\xa0\nb\t\nc\u2003\nd\n", "a\xa0\nb\t\nc\u2003\nd\n"),
        ("  \n  \nx\n", "  x\n"),
        ("never ends ", "never ends "),
        ("\n\n", "\n\n"),
        ("", ""),
    ],
)
def test_soft_breaks_go_and_meant_ones_stay(wire: str, text: str) -> None:
    assert unflow(wire, FLOWED) == text


@pytest.mark.parametrize(
    ("wire", "text"),
    [
        ("これは \n一つの文\n", "これは一つの文\n"),
        ("two  \nwords\n", "two words\n"),
        ("> a \n> b\n-- \nx \n", "> ab\n-- \nx\n"),
    ],
)
def test_the_blank_of_a_soft_break_goes_when_the_sender_says_so(wire: str, text: str) -> None:
    assert unflow(wire, DELSP) == text


def test_more_lines_than_anybody_writes_stay_as_they_are() -> None:
    assert unflow("a \n" * MAX_LINES, FLOWED) == "a " * MAX_LINES + "\n"
    assert unflow("a \n" * (MAX_LINES + 1), FLOWED) == "a \n" * (MAX_LINES + 1)


PARAGRAPHS = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 3), st.text("ab >\t\xa0ż").map(lambda content: content.rstrip(" "))),
        st.tuples(st.integers(0, 3), st.just("-- ")),
    ),
    min_size=1,
)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(PARAGRAPHS, st.booleans(), st.randoms(use_true_random=False))
def test_paragraphs_cut_into_lines_anywhere_come_back(
    paragraphs: list[tuple[int, str]], deletes: bool, chance: random.Random
) -> None:
    wire, text = "", ""
    for depth, content in paragraphs:
        prefix = ">" * depth + " " * (content != "-- ")
        for at, character in enumerate(content):
            cut = at and content != "-- " and (deletes or content[at - 1] == " ") and chance.random() < 0.3
            wire += (" " * deletes + "\n" if cut else "") + (prefix if cut or not at else "") + character
        wire += "\n" if content else f"{'>' * depth}\n"
        marks = ">" * depth + (" " if content and (depth or content[0] == ">") else "")
        text += f"{marks}{content}\n"
    assert unflow(wire, DELSP if deletes else FLOWED) == text


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.text(st.sampled_from(" >-\nab")), st.sampled_from([FLOWED, DELSP]))
def test_nothing_but_blanks_breaks_and_quote_marks_is_ever_lost(wire: str, params: dict[str, str]) -> None:
    text = unflow(wire, params)
    gone = str.maketrans("", "", " >\n")
    assert text.translate(gone) == wire.translate(gone)
    assert text.count("\n") <= wire.count("\n")


def message(kind: str, body: bytes, *more: str) -> bytes:
    fields = ["From: a@example.org", f"Content-Type: {kind}", *more]
    return "\r\n".join([*fields, "", ""]).encode() + body


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/plain; format=flowed", "zażółć gęślą\n"),
        ("TEXT/Plain; FORMAT=Flowed; DelSp=No", "zażółć gęślą\n"),
        ('text/plain; format="flowed"; delsp="YES"', "zażółćgęślą\n"),
        ("text/plain; format*0=flo; format*1=wed", "zażółć gęślą\n"),
        ("text/plain; format=fixed", "zażółć \ngęślą\n"),
        ("text/plain; delsp=yes", "zażółć \ngęślą\n"),
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-2", "utf-16"])
def test_the_parameters_say_whether_text_is_flowed(kind: str, text: str, charset: str) -> None:
    encoded = base64.encodebytes("zażółć \r\ngęślą\r\n".encode(charset))
    raw = message(f"{kind}; charset={charset}", encoded, "Content-Transfer-Encoding: base64")
    assert read(raw).text == text


def test_the_breaks_of_quoted_printable_are_not_those_of_the_text() -> None:
    encoded = quopri.encodestring(("word " * 30 + "\nend \n").encode())
    raw = message("text/plain; format=flowed", encoded, "Content-Transfer-Encoding: quoted-printable")
    assert read(raw).text == "word " * 30 + "end \n"


def test_every_flowed_part_of_a_body_is_read_and_no_other() -> None:
    parts = (
        b"--b\r\nContent-Type: text/plain; format=flowed\r\n\r\none \r\ntwo\r\n"
        b"--b\r\nContent-Type: text/plain\r\n\r\nthree \r\nfour\r\n"
        b"--b\r\nContent-Type: text/html; format=flowed\r\n\r\n<pre>five \r\nsix</pre>\r\n"
        b"--b\r\nContent-Type: text/plain; format=flowed; delsp=yes\r\n\r\nsev \r\nen\r\n--b--\r\n"
    )
    document = read(message("multipart/mixed; boundary=b", parts))
    assert document.text == "one two\nthree \nfour\nfive\nsix\nseven"
    assert document.html is not None
    assert "<pre>one two</pre>" in document.html
    assert "<pre>five \nsix</pre>" in document.html


def test_flowed_text_under_a_signature_and_beside_html_is_read() -> None:
    text = b"--a\r\nContent-Type: text/plain; format=flowed\r\n\r\nHello \r\nthere\r\n--a\r\nContent-Type: text/html\r\n\r\n<p>Hello there\r\n--a--"
    signed = (
        b"--s\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n"
        + text
        + b"\r\n--s\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--s--\r\n"
    )
    assert read(message("multipart/signed; boundary=s", signed)).text == "Hello there"


def test_what_is_shown_of_flowed_text_is_what_was_written() -> None:
    raw = message("text/plain; format=flowed", b"My own \r\nwords\r\n> theirs \r\n> too\r\n")
    assert read(raw).snippet == "My own words"
    assert render(read(raw), str) == "<pre>My own words\n&gt; theirs too\n</pre>"


def test_hostile_flowed_text_is_read() -> None:
    chance = random.Random(5)
    for _ in range(500):
        body = bytes(chance.choices(b"> -\r\n\x00=\xffa", k=chance.randrange(200)))
        charset = chance.choice(("utf-8", "utf-16", "iso-2022-jp", "x"))
        raw = message(f"text/plain; format=flowed; delsp=yes; charset={charset}", body)
        assert b"\\u0000" not in msgspec.json.encode(read(raw))
