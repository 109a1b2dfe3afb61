"""Replies into values: what RFC 3501 allows is read, anything else is one kind of error."""

import time
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.provider import ProviderNotSupported, ProviderProtocolError
from services.mail.imap import flags, parse
from services.mail.imap.framer import Framer, Reply
from services.mail.imap.list import read_list
from services.mail.imap.select import read_opened
from services.mail.imap.status import read_status


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        ([b'a "b" NIL "NIL" nil'], ["a", b"b", None, b"NIL", "nil"]),
        ([b'"qu\\"ote" "back\\\\slash" ""'], [b'qu"ote', b"back\\slash", b""]),
        ([b"({3}", b"a b", b" (x) ())"], [[b"a b", ["x"], []]]),
        ([b"(\\Seen $Forwarded \\*)"], [["\\Seen", "$Forwarded", "\\*"]]),
        ([b"BODY[HEADER.FIELDS (DATE FROM)]<0> x"], ["BODY[HEADER.FIELDS (DATE FROM)]<0>", "x"]),
        ([b'"((("'], [b"((("]),
        ([b""], []),
        ([b"a[b {x} c"], ["a[b", "{x}", "c"]),
    ],
)
def test_values_are_told_apart(reply: Reply, values: list[parse.Value]) -> None:
    assert parse.values(reply) == values


@pytest.mark.parametrize(
    "reply", [[b"("], [b")"], [b'"open'], [b"(" * 51 + b")" * 51], [b"{3}"], [b"a", b"b", b"c"], [b"(a))"]]
)
def test_what_is_not_whole_is_refused(reply: Reply) -> None:
    with pytest.raises(ProviderProtocolError):
        parse.values(reply)


def test_status_with_its_code() -> None:
    assert parse.status(b"OK [HIGHESTMODSEQ 12] done") == parse.Status("OK", "HIGHESTMODSEQ", b"12", "done")
    assert parse.status(b"no [limit] too many").code == "LIMIT"
    assert parse.status(b"OK [PERMANENTFLAGS (\\Seen \\*)] x").argument == b"(\\Seen \\*)"
    assert parse.status(b"BYE") == parse.Status("BYE", None, b"", "")
    assert parse.status(b"BAD \xff").text == "\ufffd"


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        (b" 1-Jan-1970 00:00:00 +0000", datetime(1970, 1, 1, tzinfo=UTC)),
        (b"17-Jul-1996 02:44:25 -0700", datetime(1996, 7, 17, 9, 44, 25, tzinfo=UTC)),
        (b"02-Mar-2024 10:00:00 +0545", datetime(2024, 3, 2, 4, 15, tzinfo=UTC)),
        (b"02-MAR-2024 10:00:00 +1400", datetime(2024, 3, 1, 20, 0, tzinfo=UTC)),
        (b"02-Mar-2024 10:00:00 -0930", datetime(2024, 3, 2, 19, 30, tzinfo=UTC)),
        (b"30-Jun-2015 23:59:60 +0000", datetime(2015, 6, 30, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_an_internal_date_is_read_in_any_zone(text: bytes, utc: datetime) -> None:
    assert parse.internal_date(text) == utc


@pytest.mark.parametrize(
    "value",
    [b"", b"yesterday", b"31-Feb-2024 00:00:00 +0000", b"01-Foo-2024 00:00:00 +0000", b"01-Jan-0001 00:00:00 +2359",
     b"01-Jan-2024 00:00:00 +9900", b"01-Jan-0000 00:00:00 +0000", None, "atom", []],
)  # fmt: skip
def test_a_date_that_cannot_be_read_is_the_epoch_and_no_error(value: parse.Value) -> None:
    assert parse.internal_date(value) == parse.EPOCH


def test_flags_are_compared_in_one_spelling_and_recent_is_none() -> None:
    assert flags.read(["\\SEEN", "\\recent", "NonJunk", "$Forwarded"]) == {"\\Seen", "NonJunk", "$Forwarded"}


def test_what_is_no_flag_is_left_out_and_no_message_has_endless_flags() -> None:
    assert flags.read(["nul\0", "\xe9", "x" * 256, "\\Seen", "ok]"]) == {"\\Seen", "ok]"}
    assert len(flags.read([f"kw{n}" for n in range(10_000)])) == flags.MOST


@pytest.mark.parametrize("delimiter", [b'""', b'"//"', b"{1}", b'"\x01"'])
def test_a_delimiter_that_cannot_be_one_is_none(delimiter: bytes) -> None:
    reply = [b"* LIST () {1}", b"\n", b" a"] if delimiter == b"{1}" else [b"* LIST () " + delimiter + b" a"]
    assert read_list(parse.untagged(reply).values) == ("a", None, frozenset())


def test_a_name_that_spells_nil_or_a_number_is_a_name() -> None:
    assert read_list(parse.untagged([b"* LIST () NIL NIL"]).values) == ("NIL", None, frozenset())
    assert read_list(parse.untagged([b'* LIST (\\Sent) "/" 007']).values) == ("007", "/", frozenset({"\\Sent"}))


@given(st.binary(max_size=200), st.lists(st.binary(max_size=20), max_size=3))
def test_no_bytes_raise_anything_but_a_protocol_error(line: bytes, literals: list[bytes]) -> None:
    reply = [line, *(segment for literal in literals for segment in (literal, line))]
    for read in (
        parse.untagged,
        lambda reply: parse.status(reply[0]),
        lambda reply: parse.fetched(reply, 0),
        lambda reply: read_list(parse.values(reply)),
        lambda reply: read_status(parse.values(reply)),
        lambda reply: read_opened([reply]),
    ):
        with suppress(ProviderProtocolError, ProviderNotSupported):
            read(reply)


GRAMMAR = st.recursive(
    st.sampled_from([b"UID", b"1", b"NIL", b'"x"', b'"', b"{2}\r\nab", b"BODY[]", b"[", b"]", b"{", b"\\", b"\\Seen"]),
    lambda inner: st.lists(inner, max_size=5).map(lambda parts: b"(" + b" ".join(parts) + b")"),
    max_leaves=25,
)


@given(st.lists(GRAMMAR, max_size=8))
def test_nothing_like_a_reply_raises_anything_but_a_protocol_error(parts: list[bytes]) -> None:
    for reply in Framer(max_line=10_000, max_literal=100).feed(b"* 1 FETCH " + b" ".join(parts) + b"\r\n"):
        with suppress(ProviderProtocolError):
            parse.fetched(reply, parse.head(reply)[2])


def test_a_long_line_is_read_in_time_that_grows_with_its_length() -> None:
    for line in (b"[" * 200_000, b"\\" * 200_000, b'"' + b"\\a" * 100_000, b"{" * 200_000, b"( " * 40):
        began = time.perf_counter()
        with suppress(ProviderProtocolError):
            parse.values([line])
        assert time.perf_counter() - began < 2  # quadratic would be minutes
