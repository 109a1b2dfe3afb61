"""Mailbox names as people read them and as servers write them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.mail.imap.names import Literal, astring, decode, encode

PAIRS = [
    (b"R&-D", "R&D"),
    (b"Wys&AUI-ane", "Wysłane"),
    (b"&ZeVnLIqe-", "日本語"),
    (b"~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"),
    (b"a * b", "a * b"),
    (b"&2D3cSg-", "\U0001f44a"),
    (b"", ""),
]


@pytest.mark.parametrize(("wire", "path"), PAIRS)
def test_a_name_is_read_and_written_as_rfc_3501_says(wire: bytes, path: str) -> None:
    assert decode(wire) == path
    assert encode(path) == wire


@pytest.mark.parametrize("name", [b"inbox", b"InBox", b"INBOX"])
def test_inbox_is_one_mailbox_however_it_is_written(name: bytes) -> None:
    assert decode(name) == "INBOX"


@pytest.mark.parametrize(
    "name", [b"a&b", "Entwürfe".encode(), b"&AGE-", b"&&-", b"\xff\x00", b"&AUI", b"&A-", b"&AAA-", b"a\nb"]
)
def test_a_name_that_is_no_modified_utf_7_can_still_be_asked_for(name: bytes) -> None:
    assert encode(decode(name)) == name
    assert decode(name).encode()  # it can be kept as JSON
    assert not re.search("[\x00-\x1f]", decode(name))  # and in a database


@given(st.binary(max_size=40))
def test_every_name_that_a_server_lists_can_be_asked_for_again(name: bytes) -> None:
    assert encode(decode(name)) == (b"INBOX" if name.upper() == b"INBOX" else name)


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs", "Co", "Cc"]), max_size=30))
def test_every_path_survives_the_way_to_the_server_and_back(path: str) -> None:
    if path.upper() != "INBOX":
        assert decode(encode(path)) == path


@pytest.mark.parametrize(
    ("data", "argument"), [(b"a b", b'"a b"'), (b'qu"ote', b'"qu\\"ote"'), (b"back\\slash", b'"back\\\\slash"')]
)
def test_an_argument_is_quoted(data: bytes, argument: bytes) -> None:
    assert astring(data) == argument


@pytest.mark.parametrize("data", ["hasło".encode(), b"two\r\nlines"])
def test_what_cannot_be_quoted_is_a_literal_that_does_not_show_itself(data: bytes) -> None:
    argument = astring(data)
    assert isinstance(argument, Literal)
    assert argument.data == data
    assert repr(argument) == f"Literal({len(data)} bytes)"
