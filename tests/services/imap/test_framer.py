"""Bytes into replies, however they are cut."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.provider import ProviderProtocolError
from services.mail.imap.framer import Framer, Reply

STREAM = (
    b"* OK ready {5}\r\n"
    b"* 1 FETCH (UID 1 BODY[] {12}\r\nline\r\n* OK\r\n FLAGS ())\r\n"
    b"* 2 FETCH (BODY[] {0}\r\n UID 2)\r\n"
    b'* LIST () "/" "brace{5}"\r\n'
    b"\r\n"
    b"* 3 FETCH (X ~{3}\r\n\x00\r\n Y {2+}\r\nab)\r\n"
    b"+ {3}\r\n"
    b"a1 NO no {3}\r\n"
)
REPLIES: list[Reply] = [
    [b"* OK ready {5}"],
    [b"* 1 FETCH (UID 1 BODY[] {12}", b"line\r\n* OK\r\n", b" FLAGS ())"],
    [b"* 2 FETCH (BODY[] {0}", b"", b" UID 2)"],
    [b'* LIST () "/" "brace{5}"'],
    [b"* 3 FETCH (X ~{3}", b"\x00\r\n", b" Y {2+}", b"ab", b")"],
    [b"+ {3}"],
    [b"a1 NO no {3}"],
]


def framer(**limits: int) -> Framer:
    return Framer(max_line=limits.get("line", 1000), max_literal=limits.get("literal", 1000))


def test_replies_come_whole_with_their_literals() -> None:
    cut = framer()
    assert cut.feed(STREAM) == REPLIES
    assert cut.idle


@given(st.randoms(use_true_random=False))
def test_it_does_not_matter_where_the_network_cuts(chance: random.Random) -> None:
    cut, found, position = framer(), [], 0
    while position < len(STREAM):
        end = position + chance.choice((1, 1, 2, 3, 5, 8, 40))
        found += cut.feed(STREAM[position:end])
        position = end
    assert found == REPLIES


def test_a_hundred_thousand_replies_in_one_chunk_are_no_depth() -> None:
    assert len(framer().feed(b"* 1 FETCH (FLAGS ())\r\n" * 100_000)) == 100_000


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_no_bytes_break_it(chunks: list[bytes]) -> None:
    cut = framer(literal=50)
    try:
        for chunk in chunks:
            for reply in cut.feed(chunk):
                assert len(reply) % 2 == 1
    except ProviderProtocolError:
        assert b"}" in b"".join(chunks)


@pytest.mark.parametrize(
    "data", [b"x" * 1001, b"x" * 1001 + b"\r\n", b"* 1 FETCH (BODY[] {1001}\r\n", b"* X {9999999999999999999}\r\n"]
)
def test_what_is_too_long_is_refused_before_it_is_kept(data: bytes) -> None:
    with pytest.raises(ProviderProtocolError):
        framer().feed(data)


def test_a_reply_half_heard_is_not_idle() -> None:
    for half in (b"* OK", b"* X {5}\r\n", b"* X {5}\r\nabc", b"* X {1}\r\na"):
        cut = framer()
        assert cut.feed(half) == []
        assert not cut.idle
