"""Five hundred letters are read alike by Python's parser, by our own reader and by Dovecot."""

import email
import re
from collections.abc import Iterator
from email import policy
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.utils import getaddresses
from typing import NamedTuple

import pytest

from projections.documents import payload, read
from projections.documents.sanitize import clean
from services.mail.compose import Letter, build, envelope, needs_utf8, without_bcc
from services.mail.imap import parse
from tests.services.compose import expected
from tests.services.compose.letters import letters
from tests.support.dovecot import Dovecot, User
from tests.support.imap_client import other_client

COUNT = 500
Value = parse.Value


class Sent(NamedTuple):
    letter: Letter
    raw: bytes


@pytest.fixture(scope="module")
def sent() -> list[Sent]:
    return [Sent(letter, build(letter)) for letter in letters(COUNT)]


def test_lines_end_with_crlf_and_none_is_too_long(sent: list[Sent]) -> None:
    for _, raw in sent:
        lines = raw.split(b"\r\n")
        assert lines.pop() == b""
        assert max(map(len, lines)) <= 998
        assert not any(b"\r" in line or b"\n" in line or b"\0" in line for line in lines)


def test_headers_are_short_ascii_lines_and_utf8_only_where_an_address_needs_it(sent: list[Sent]) -> None:
    assert {needs_utf8(letter) for letter, _ in sent} == {True, False}
    for letter, raw in sent:
        header = raw.partition(b"\r\n\r\n")[0]
        assert needs_utf8(letter) or header.isascii()
        # RFC 6532 §3.4: characters. An address and an id can't be folded; everything else is.
        long = [line for line in header.decode().split("\r\n") if len(line) > 78]
        assert all(re.fullmatch(r"(?:[A-Za-z-]+:)? [^ ]+", line) for line in long), long


def test_the_same_letter_gives_the_same_bytes(sent: list[Sent]) -> None:
    assert [raw for _, raw in sent[:50]] == [build(letter) for letter in letters(50)]


def test_nobody_reads_in_what_is_sent_who_got_it_blind(sent: list[Sent]) -> None:
    for letter, raw in sent:
        assert "bcc" not in email.message_from_bytes(without_bcc(raw), policy=policy.compat32)
        assert len(envelope(letter).recipients) <= len(letter.to) + len(letter.cc) + len(letter.bcc)


def test_our_own_reader_reads_what_was_written(sent: list[Sent]) -> None:
    for letter, raw in sent:
        seen = read(raw)
        assert seen.warnings == []
        assert seen.subject == letter.subject
        for found, people in (
            (seen.from_, [letter.from_]),
            (seen.reply_to, letter.reply_to),
            (seen.to, letter.to),
            (seen.bcc, letter.bcc),
            (seen.cc, letter.cc),
        ):
            assert [(one.name, one.email) for one in found] == expected.people(people)
        assert seen.date == letter.date
        assert f"<{seen.message_id}>" == letter.message_id
        assert seen.references == letter.references
        assert seen.in_reply_to == letter.in_reply_to
        assert seen.text.removesuffix("\n") == expected.canonical(expected.text(letter))
        assert (seen.html is None) == letter.plain
        listed = [(one.filename, one.mime, payload(raw, one), one.inline) for one in seen.attachments]
        assert listed == [
            (file.name, expected.kind(file), expected.content(file), file.inline) for file in expected.files(letter)
        ]
        assert [one.content_id for one in seen.attachments if one.inline] == [
            file.content_id for file in expected.files(letter) if file.inline
        ]
        if seen.html is not None:
            assert clean(letter.html).html in seen.html


def test_pythons_parser_reads_what_was_written(sent: list[Sent]) -> None:
    for letter, raw in sent:
        seen = email.message_from_bytes(raw, policy=policy.default)
        older = email.message_from_bytes(raw, policy=policy.compat32)
        assert healed(str(seen["subject"])) == letter.subject
        for name, people in (("from", [letter.from_]), ("to", letter.to), ("cc", letter.cc)):
            found = seen[name].addresses if name in seen else ()
            assert [healed(one.addr_spec) for one in found] == [email for _, email in expected.people(people)]
            # Of names only the older parser keeps to RFC 2047 §6.2; the newer one puts a blank between encoded-words.
            named = [(worded(one), healed(address)) for one, address in getaddresses(fields(older, name))]
            assert [one for one in named if one[1]] == expected.people(people)
        assert seen["date"].datetime == letter.date
        text, html, attached = bodies(seen)
        assert expected.unflowed(text) == expected.canonical(expected.text(letter))
        assert (html is None) == letter.plain
        if html is not None:
            assert letter.html in html
            assert letter.quoted is None or letter.quoted.html in html
        wanted = expected.files(letter)
        assert [part.get_filename() for part in attached] == [file.name for file in wanted]
        assert [part.get_content_type() for part in attached] == [expected.kind(file) for file in wanted]
        for part, file in zip(attached, wanted, strict=True):
            if part.get_content_type() != "message/rfc822":
                assert part.get_payload(decode=True) == file.content
        assert not any(part.defects for part in (seen, *leaves(seen)))


def test_dovecot_reads_what_was_written(sent: list[Sent], dovecot: Dovecot) -> None:
    user = dovecot.user()
    seen = list(fetched(dovecot, user, sent))
    assert len(seen) == COUNT
    for (letter, raw), message in zip(sent, seen, strict=True):
        assert message.raw == raw
        _date, subject, *people, in_reply_to, message_id = message.envelope
        assert decoded(subject) == letter.subject
        for found, wanted in (
            (people[0], [letter.from_]),
            (people[2], letter.reply_to or [letter.from_]),  # RFC 3501 §7.4.2: Dovecot fills it in
            (people[3], letter.to),
            (people[4], letter.cc),
            (people[5], letter.bcc),
        ):
            assert mailboxes(found) == expected.people(wanted)
        assert message_id == letter.message_id.encode()
        assert (in_reply_to or b"") == b" ".join(f"<{one}>".encode() for one in letter.in_reply_to)
        text, *rest = message.leaves
        assert expected.unflowed(text.content.decode()) == expected.canonical(expected.text(letter))
        if not letter.plain:
            html = rest.pop(0)
            assert letter.html.encode() in html.content.replace(b"\r\n", b"\n")
        wanted_files = expected.files(letter)
        assert [part.type for part in rest] == [expected.kind(file) for file in wanted_files]
        assert [part.name for part in rest] == [file.name for file in wanted_files]
        assert [part.content for part in rest] == [expected.content(file) for file in wanted_files]


def fields(message: Message, name: str) -> list[str]:
    """As they came: a field with octets beyond ASCII is not made unreadable."""
    return [value.replace("\r\n", "") for key, value in message.raw_items() if key.lower() == name]


def healed(text: str) -> str:
    """Raw UTF-8 (RFC 6532) that Python's parser kept as octets."""
    return text.encode("utf-8", "surrogateescape").decode()


def leaves(part: EmailMessage) -> Iterator[EmailMessage]:
    if part.get_content_maintype() == "multipart":
        for child in part.iter_parts():
            yield from leaves(child)
    else:
        yield part


def bodies(message: EmailMessage) -> tuple[str, str | None, list[EmailMessage]]:
    text, *rest = leaves(message)
    assert text.get_content_type() == "text/plain"
    html = rest.pop(0).get_content() if rest and rest[0].get_content_disposition() is None else None
    html = html.replace("\r\n", "\n") if html is not None else None
    return text.get_content(), html, rest


class Leaf(NamedTuple):
    number: str
    type: str
    name: str
    content: bytes

    @property
    def asked(self) -> str:
        """Decoded by the server (RFC 3516), but for an attached message, which has no encoding of its own."""
        return f"{'BODY' if self.type == 'message/rfc822' else 'BINARY'}.PEEK[{self.number}]"


class Fetched(NamedTuple):
    raw: bytes
    envelope: list[Value]
    leaves: list[Leaf]


def fetched(dovecot: Dovecot, user: User, sent: list[Sent]) -> Iterator[Fetched]:
    with other_client(dovecot.port, user) as client:
        for _, raw in sent:
            assert client.append("INBOX", "", "", raw)[0] == "OK"
        client.select("INBOX")
        for number in range(1, len(sent) + 1):
            items = ask(client.fetch(f"{number}", "(ENVELOPE BODYSTRUCTURE BODY.PEEK[])")[1])
            structure = list(structured(items["BODYSTRUCTURE"], ""))
            parts = ask(client.fetch(f"{number}", f"({' '.join(leaf.asked for leaf in structure)})")[1])
            contents = [
                leaf._replace(content=parse.string(value))
                for leaf, value in zip(structure, parts.values(), strict=True)
            ]
            envelope = items["ENVELOPE"]
            assert isinstance(envelope, list)
            yield Fetched(parse.string(items["BODY[]"]), envelope, contents)


def ask(data: list[bytes | tuple[bytes, bytes]]) -> dict[str, Value]:
    """The standard client's answer, as the lines and literals that it came in."""
    reply = [b"* "]
    for piece in data:
        line, literal = piece if isinstance(piece, tuple) else (piece, None)
        reply[-1] += line
        if literal is not None:
            reply += [literal, b""]
    found = parse.values(reply, reply[0].index(b"("))[0]
    assert isinstance(found, list)
    return {parse.atom(found[at]): found[at + 1] for at in range(0, len(found), 2)}


def structured(value: Value, number: str) -> Iterator[Leaf]:
    """The leaves of a BODYSTRUCTURE (RFC 3501 §7.4.2)."""
    assert isinstance(value, list)
    if isinstance(value[0], list):
        children = [child for child in value if isinstance(child, list) and isinstance(child[0], list | bytes)]
        for n, child in enumerate(children[: count_parts(value)], 1):
            yield from structured(child, f"{number}.{n}" if number else f"{n}")
        return
    kind = f"{parse.string(value[0]).decode()}/{parse.string(value[1]).decode()}".lower()
    at = {"message/rfc822": 11, "text/plain": 9, "text/html": 9}.get(kind, 8)
    disposition = value[at]
    name = ""
    if isinstance(disposition, list) and isinstance(disposition[1], list):
        pairs = [parse.string(one).decode() for one in disposition[1]]
        name = expected.file_name(list(zip(pairs[::2], pairs[1::2], strict=True)))
    yield Leaf(number or "1", kind, name, b"")


def count_parts(value: list[Value]) -> int:
    return next(n for n, one in enumerate(value) if not isinstance(one, list))


def decoded(value: Value) -> str:
    return "" if value is None else worded(parse.string(value).decode())


def worded(text: str) -> str:
    return str(make_header(decode_header(text)))


def mailboxes(value: Value) -> list[expected.Person]:
    """RFC 3501 §7.4.2; the ends of groups have no host."""
    assert value is None or isinstance(value, list)
    found = []
    for one in value or []:
        assert isinstance(one, list)
        name, _, local, host = one
        if host is not None:
            found.append((decoded(name), f"{parse.string(local).decode()}@{parse.string(host).decode()}"))
    return found
