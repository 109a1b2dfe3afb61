"""What a message is made of, field by field and part by part, and that nothing in a letter breaks out of its place."""

import email
from datetime import UTC, datetime
from email import policy
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.documents import Address, read
from services.mail.compose import (
    BadAddress,
    BadMessageId,
    Envelope,
    File,
    Letter,
    Quoted,
    build,
    check,
    envelope,
    needs_utf8,
    without_bcc,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "mime"
JANE = Address(name="Jane", email="jane@example.com")
BOB = Address(name="Bob", email="bob@example.org")
FIELDS = ["Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"]


def letter(**changes: Any) -> Letter:
    usual = {"to": [BOB], "subject": "Plan", "html": "<p>Hello</p>", "message_id": "1@example.com"}
    return Letter(**{"from_": JANE, "date": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), **usual, **changes})


def parsed(made: Letter) -> Message:
    return email.message_from_bytes(build(made), policy=policy.compat32)


def shape(message: Message) -> Any:
    """Types around each other, as `["multipart/mixed", …]`."""
    kind = message.get_content_type()
    if kind.startswith("multipart/"):
        return [kind, *map(shape, message.get_payload())]  # type: ignore[arg-type]  # a multipart's payload is a list
    return kind


def file(**changes: Any) -> File:
    return File(**{"name": "a.pdf", "mime": "application/pdf", "content": b"%PDF", **changes})


def test_a_text_only_letter_is_text_and_nothing_around_it() -> None:
    message = parsed(letter(plain=True))
    assert shape(message) == "text/plain"
    assert message.keys() == FIELDS
    assert message["Content-Type"] == "text/plain; charset=utf-8; format=flowed; delsp=no"
    assert message.get_payload() == "Hello\r\n"


def test_parts_are_put_around_each_other_only_where_they_are_needed() -> None:
    both = ["multipart/alternative", "text/plain", "text/html"]
    image = file(mime="image/png", inline=True, content_id="i@x")
    shown = '<p>see</p><img src="cid:i@x">'
    assert shape(parsed(letter())) == both
    assert shape(parsed(letter(html=shown, attachments=[image]))) == ["multipart/related", both, "image/png"]
    assert shape(parsed(letter(attachments=[file()]))) == ["multipart/mixed", both, "application/pdf"]
    assert shape(parsed(letter(html=shown, attachments=[file(), image]))) == [
        "multipart/mixed",
        ["multipart/related", both, "image/png"],
        "application/pdf",
    ]
    assert shape(parsed(letter(plain=True, attachments=[file()]))) == [
        "multipart/mixed",
        "text/plain",
        "application/pdf",
    ]


def test_an_inline_image_goes_out_only_with_html_that_shows_it() -> None:
    image = file(mime="image/png", inline=True, content_id="i$1@x")
    for html in ('<img src="cid:i$1@x">', '<img alt="" src="cid:i%241@x">', '<img data-cid="i$1@x">'):
        assert [one.content_id for one in read(build(letter(html=html, attachments=[image, image]))).attachments] == [
            "i$1@x"
        ]
    quoted = Quoted(html='<img src="cid:i$1@x">', text="")
    assert len(read(build(letter(quoted=quoted, attachments=[image]))).attachments) == 1
    assert read(build(letter(attachments=[image]))).attachments == []
    assert read(build(letter(html='<img src="cid:i$1@x">', plain=True, attachments=[image]))).attachments == []


def test_what_is_quoted_stands_below_in_both_forms() -> None:
    made = letter(quoted=Quoted(html="<blockquote>old</blockquote>", text="Bob wrote:\n> old"))
    text, html = parsed(made).get_payload()
    assert text.get_payload() == "Hello\r\n\r\nBob wrote:\r\n> old\r\n"
    assert html.get_payload().index("Hello") < html.get_payload().index("<blockquote>old</blockquote>")


def test_bcc_stands_in_the_owners_copy_and_never_in_what_others_get() -> None:
    hidden = letter(bcc=[Address(name="Spy", email="spy@example.net")])
    assert parsed(hidden)["Bcc"] == "Spy <spy@example.net>"
    assert b"spy" not in without_bcc(build(hidden)).lower()
    assert without_bcc(build(hidden)) == build(letter())
    assert envelope(hidden).recipients == ["bob@example.org", "spy@example.net"]


def test_mail_to_blind_recipients_only_says_so_instead_of_having_no_recipient() -> None:
    assert parsed(letter(to=[], bcc=[BOB]))["To"] == "undisclosed-recipients:;"
    assert parsed(letter(to=[], unfinished=True))["To"] is None
    assert parsed(letter(to=[], cc=[BOB]))["To"] is None


def test_a_drafts_recipients_may_be_unfinished() -> None:
    unfinished = Address(name="Jo, the", email="jo@")
    assert read(build(letter(to=[unfinished, BOB], unfinished=True))).to == [BOB]
    with pytest.raises(BadAddress) as refused:
        build(letter(to=[unfinished]))
    assert refused.value.address == "jo@"


def test_domains_go_out_in_ascii_and_local_parts_as_they_are() -> None:
    assert check(" Jane@MÜNCHEN.example ") == "Jane@xn--mnchen-3ya.example"
    assert check("user@[IPv6:2001:db8::1]") == "user@[IPv6:2001:db8::1]"
    assert check('"jane"@example.com') == "jane@example.com"
    assert check('"jane doe"@example.com') == '"jane doe"@example.com'
    assert check("j..doe.@example.com") == '"j..doe."@example.com'
    assert check("zażółć@example.com") == check("zaz\u0307o\u0301l\u0142c\u0301@example.com".replace("l\u0142", "ł"))


@pytest.mark.parametrize(
    "email",
    [
        "", "jane", "@example.com", "jane@", "jane doe@example.com", "jane@exa mple.com", "a@b@example.com", "a,b@example.com",
        "<jane@example.com>", "jane@example..com", "jane@-example.com", "jane\r\n@example.com", "jane@example.com\r\nRCPT TO:<x@y>",
        "jane\x00@example.com", 'a"b@example.com', "jane@[300]", "ja\u202ene@example.com", "\ud800@example.com",
        "jane@" + "x" * 64 + ".example", "x" * 330 + "@example.com", "jane@exa\u2028mple.com",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_by_name(email: str) -> None:
    with pytest.raises(BadAddress) as refused:
        envelope(letter(to=[Address(name="", email=email)]))
    assert refused.value.address == email


def test_everyone_is_told_once_by_bare_address() -> None:
    people = [BOB, Address(name="Bobby", email="BOB@example.org"), Address(name="", email="x@żółć.example")]
    made = letter(to=people, cc=people, bcc=people)
    assert envelope(made) == Envelope("jane@example.com", ["bob@example.org", "x@xn--kda4b0koi.example"])


def test_utf8_is_asked_for_only_by_a_local_part() -> None:
    assert not needs_utf8(letter(to=[Address(name="Żółć", email="x@żółć.example")], subject="żółć"))
    local = letter(cc=[Address(name="", email="żółć@example.com")])
    assert needs_utf8(local)
    assert "Cc: żółć@example.com\r\n".encode() in build(local)


@pytest.mark.parametrize("message_id", ["", "no-at", "a b@x", "a@x\r\nBcc: y@z", "ż@x", "a<b@x", "x" * 1000 + "@x"])
def test_an_id_that_can_not_stand_in_a_header_is_refused(message_id: str) -> None:
    for field in ({"message_id": message_id}, {"in_reply_to": [message_id]}, {"references": [message_id]}):
        with pytest.raises(BadMessageId):
            build(letter(**field))


def test_subjects_and_names_are_encoded_from_the_first_word_to_the_last_that_needs_it() -> None:
    subject = "Re: [list] nic poniedziałkowego today"
    assert b"Subject: Re: [list] nic =?utf-8?q?poniedzia=C5=82kowego?= today\r\n" in build(letter(subject=subject))
    assert b"From: =?utf-8?q?J=C3=B3zef_Kowalski?= <jane@example.com>\r\n" in build(
        letter(from_=Address(name="Józef Kowalski", email=JANE.email))
    )


def test_a_name_beyond_ascii_is_given_twice_for_those_who_read_only_one() -> None:
    _, attached = parsed(letter(attachments=[file(name="żółw.pdf")])).get_payload()
    assert attached["Content-Type"] == 'application/pdf; name="=?utf-8?b?xbzDs8WCdy5wZGY=?="'
    assert attached["Content-Disposition"] == "attachment; filename*=utf-8''%C5%BC%C3%B3%C5%82w.pdf"


@pytest.mark.parametrize(
    ("name", "mime", "shown"),
    [
        ("../../etc/passwd", "application/pdf", ("passwd", "application/pdf")),
        ("C:\\temp\\a.txt", "TEXT/PLAIN", ("a.txt", "text/plain")),
        ('a"; filename="b.exe', "application/pdf", ('a"; filename="b.exe', "application/pdf")),
        ("a\r\nContent-Type: text/html\r\n\r\n<b>", "application/pdf", ("html <b>", "application/pdf")),
        ("gpj.\u202eexe", "image/png", ("gpj.exe", "image/png")),
        ("", "application/pdf", ("attachment", "application/pdf")),
        ("", "message/rfc822", ("message.eml", "message/rfc822")),
        ("a", "", ("a", "application/octet-stream")),
        ("a", "text/html; charset=x", ("a", "text/html")),
        ("a", "text/html\r\nX: y", ("a", "application/octet-stream")),
        ("a", "multipart/mixed", ("a", "application/octet-stream")),
        ("a", "message/partial", ("a", "application/octet-stream")),
    ],
)
def test_a_files_name_and_type_can_not_say_more_than_that(name: str, mime: str, shown: tuple[str, str]) -> None:
    [seen] = read(build(letter(attachments=[file(name=name, mime=mime, content=b"A: b\r\n\r\nc")]))).attachments
    assert (seen.filename, seen.mime) == shown


def test_a_file_may_lie_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(b"%PDF" * 10_000)
    assert build(letter(attachments=[file(content=path)])) == build(
        letter(attachments=[file(content=path.read_bytes())])
    )


@pytest.mark.parametrize(
    ("mime", "content", "charset"),
    [
        ("text/plain", "żółć".encode(), "utf-8"),
        ("text/plain", "żółć".encode("iso-8859-2"), None),
        ("text/plain; charset=ISO-8859-2", "żółć".encode("iso-8859-2"), "iso-8859-2"),
        ('text/plain; charset="iso-2022-jp"', "日本".encode("iso-2022-jp"), "iso-2022-jp"),
        ("text/plain; charset=nonsense", "żółć".encode(), "utf-8"),
        ('text/plain; charset="x\r\nBcc: y"', "żółć".encode(), "utf-8"),
        ("application/json; charset=utf-8", b"{}", None),
    ],
)
def test_attached_text_names_its_charset_where_it_is_known(mime: str, content: bytes, charset: str | None) -> None:
    [seen] = read(build(letter(attachments=[file(name="a.txt", mime=mime, content=content)]))).attachments
    assert seen.charset == charset


@pytest.mark.parametrize(
    ("mime", "header"),
    [
        ("text/calendar; method=request", 'text/calendar; charset=utf-8; method=REQUEST; name="a.ics"'),
        ("text/calendar; method=re quest", 'text/calendar; charset=utf-8; name="a.ics"'),
        ("text/calendar; x=y; method=a\r\nX: y", 'text/calendar; charset=utf-8; name="a.ics"'),
        ("text/plain; method=REQUEST; format=flowed", 'text/plain; charset=utf-8; name="a.ics"'),
    ],
)
def test_an_invitation_says_in_its_header_what_it_asks_for_and_nothing_else(mime: str, header: str) -> None:
    _, attached = parsed(letter(attachments=[file(name="a.ics", mime=mime, content=b"BEGIN:VCALENDAR")])).get_payload()
    assert attached["Content-Type"].replace("\n", "") == header


def test_hostile_names_of_real_mail_are_written_so_that_they_are_read_again() -> None:
    received = [read(path.read_bytes()) for path in sorted(FIXTURES.glob("*.eml"))]
    names = [one.filename for document in received for one in document.attachments if one.filename]
    people = [one for document in received for one in (*document.from_, *document.to) if "@" in one.email]
    assert len(names) > 10
    again = read(build(letter(to=people, attachments=[file(name=name) for name in names])))
    assert [one.filename for one in again.attachments] == names
    assert again.to == people
    for document in received:
        assert read(build(letter(subject=document.subject))).subject == document.subject


def test_an_attached_message_is_never_encoded_unless_no_server_would_carry_it() -> None:
    plain, eight, long = b"A: b\n\nhello\n", "A: b\r\n\r\nżółć\r\n".encode(), b"A: b\r\n\r\n" + b"x" * 2_000
    for content, wanted in (
        (plain, ("message/rfc822", "7bit")),
        (eight, ("message/rfc822", "8bit")),
        (long, ("application/octet-stream", "base64")),
        (b"A: b\r\n\r\n\x00", ("application/octet-stream", "base64")),
        (b"A: b\r\rold", ("application/octet-stream", "base64")),
    ):
        raw = build(letter(attachments=[file(name="m.eml", mime="message/rfc822", content=content)]))
        whole = email.message_from_bytes(raw)
        part = whole.get_payload()[1]
        assert (part.get_content_type(), part["Content-Transfer-Encoding"]) == wanted
        assert raw.isascii() == (content is not eight)
        assert whole["Content-Transfer-Encoding"] == ("8bit" if content is eight else None)


def test_a_boundary_stands_in_no_part_even_when_the_letter_is_attached_to_itself() -> None:
    made = letter(attachments=[file()])
    again = letter(attachments=[file(name="m.eml", mime="message/rfc822", content=build(made)), file()])
    message = parsed(again)
    inner = ["multipart/mixed", ["multipart/alternative", "text/plain", "text/html"], "application/pdf"]
    assert shape(message)[:2] == inner[:2]
    [attached] = message.get_payload()[1].get_payload()
    assert shape(attached) == inner
    assert attached.get_boundary() != message.get_boundary()


HOSTILE = st.text(
    st.one_of(st.sampled_from("\r\n\0\t :;=?\"\\<>()@,'-żא\u202e\u2028\x85"), st.characters()), max_size=120
)
IN_PARTS = {"Content-Type", "Content-Transfer-Encoding", "Content-Disposition", "Content-ID"}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(HOSTILE, min_size=5, max_size=5), st.booleans())
def test_nothing_in_a_letter_breaks_out_of_its_place(hostile: list[str], plain: bool) -> None:
    subject, name, mime, html, address = hostile
    made = letter(
        from_=Address(name=name, email=JANE.email),
        to=[Address(name=name, email=address)],
        bcc=[Address(name=name, email=address)],
        subject=subject,
        html=html,
        plain=plain,
        unfinished=True,
        attachments=[file(name=name, mime=mime), file(name=subject, mime=mime, inline=True, content_id=html)],
    )
    raw = build(made)
    message = email.message_from_bytes(raw, policy=policy.compat32)
    assert set(message.keys()) <= {*FIELDS, "Bcc"}
    assert len(message.keys()) == len(set(message.keys()))
    assert all(set(part.keys()) <= IN_PARTS for part in message.walk() if part is not message)
    assert read(raw).from_[0].email == JANE.email
    assert all(b"\r" not in line and b"\n" not in line and len(line) <= 998 for line in raw.split(b"\r\n"))
    assert b"\0" not in raw
