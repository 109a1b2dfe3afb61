"""Parts, transfer encodings and payloads: slices of the raw bytes that decode to what was sent."""

import base64
import hashlib
import quopri
import random
from pathlib import Path

import pytest

from projections.documents import headers, payload, payload_chunks, read, read_file, transfer

HEAD = (
    b"From: a@example.org\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\n"
)


def with_attachment(fields: bytes, body: bytes) -> bytes:
    return HEAD + fields + b"\r\n\r\n" + body + b"\r\n--b--\r\n"


@pytest.mark.parametrize(
    ("encoded", "decoded"),
    [
        (b"SGVs\r\nbG8=", b"Hello"),
        (b"SGVsbG8", b"Hello"),
        (b"SGVsbG8==\r\nSGVsbG8=", b"HelloHello"),
        (b"S!G*V sb\tG8=", b"Hello"),
        (b"SGVsbG8h A", b"Hello!"),
        (b"====", b""),
        (b"", b""),
    ],
)
def test_base64_is_decoded_however_broken(encoded: bytes, decoded: bytes) -> None:
    assert transfer.base64(encoded) == decoded


@pytest.mark.parametrize(
    ("encoded", "decoded"),
    [
        (b"a=3Db", b"a=b"),
        (b"soft =\r\nbreak", b"soft break"),
        (b"soft=  \r\nbreak", b"softbreak"),
        (b"old=\rmac", b"oldmac"),
        (b"bad =ZZ stays =3D", b"bad =ZZ stays ="),
        (b"blanks  \t\r\n=41", b"blanks\r\nA"),
        (b"end=", b"end"),
    ],
)
def test_quoted_printable_is_decoded_however_broken(encoded: bytes, decoded: bytes) -> None:
    assert transfer.quoted_printable(encoded) == decoded


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", ""])
def test_a_payload_in_chunks_is_the_payload_at_once(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = random.Random(3).randbytes(9_000)
    encoded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring, "": bytes}[encoding](data)
    for size in (7, 64, 1_000, 1 << 20):
        monkeypatch.setattr(transfer, "CHUNK", size)
        chunks = list(transfer.chunks(b"xx" + encoded + b"yy", 2, len(encoded), encoding))
        assert b"".join(chunks) == data
        assert size > len(encoded) or len(chunks) > 1


def test_an_attachment_is_described_by_its_decoded_bytes() -> None:
    data = bytes(range(256)) * 20
    raw = with_attachment(
        b"Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <one@x>",
        base64.encodebytes(data).strip(),
    )
    (attachment,) = read(raw).attachments
    assert (attachment.size, attachment.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert (attachment.index, attachment.content_id, attachment.inline, attachment.disposition) == (
        0,
        "one@x",
        False,
        "",
    )
    assert payload(raw, attachment) == data
    assert b"".join(payload_chunks(raw, attachment)) == data


def test_a_mapped_file_gives_the_same_document(tmp_path: Path) -> None:
    raw = with_attachment(
        b"Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64", base64.encodebytes(b"x" * 5_000).strip()
    )
    for name, data in {"mail": raw, "empty": b"", "mac": raw.replace(b"\r\n", b"\r")}.items():
        (tmp_path / name).write_bytes(data)
        assert read_file(tmp_path / name) == read(data)


def test_the_header_is_shown_in_order_and_decoded() -> None:
    raw = b"From x@y Mon Oct 6\r\nReceived: one\r\n two\r\nSubject: =?utf-8?q?za=C5=BC?=\r\nreceived: three\r\n\r\nbody"
    assert headers(raw) == [("Received", "one two"), ("Subject", "zaż"), ("received", "three")]


def test_copies_that_went_through_different_servers_share_their_synthetic_id() -> None:
    body = b"From: a@example.org\r\nSubject: x\r\n\r\nHello"
    one = read(b"Return-Path: <a@x>\r\nReceived: by one\r\nX-Spam: no\r\n" + body)
    two = read(b"Received: by two\r\nReceived: by three\r\nDelivered-To: me\r\n" + body)
    assert one.message_id is None
    assert one.synthetic_id == two.synthetic_id != read(body + b"!").synthetic_id


def test_a_body_that_begins_without_a_blank_line_is_kept() -> None:
    document = read(b"Subject: x\r\nFrom: a@example.org\r\nDear all, this is no field\r\nnor this")
    assert (document.subject, document.text) == ("x", "Dear all, this is no field\nnor this")
    assert document.warnings == ["Some header lines could not be read."]


def test_a_bad_line_among_fields_does_not_hide_those_behind_it() -> None:
    document = read(b"Subject: x\r\nnot a field\r\nFrom: a@example.org\r\n\r\nbody")
    assert [one.email for one in document.from_] == ["a@example.org"]
    assert document.text == "body"


def test_a_message_without_any_header_is_text() -> None:
    assert read(b"Hello there\r\n\r\nfriend").text == "Hello there\n\nfriend"


def test_a_digest_holds_messages() -> None:
    raw = b"Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\nSubject: one\r\n\r\nx\r\n--b\r\n\r\nSubject: two\r\n\r\ny\r\n--b--"
    assert [(one.mime, one.subject) for one in read(raw).attachments] == [
        ("message/rfc822", "one"),
        ("message/rfc822", "two"),
    ]


def test_the_root_of_related_is_the_body_and_its_other_texts_are_files() -> None:
    raw = (
        b"Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Root</p>\r\n"
        b"--b\r\nContent-Type: text/html\r\nContent-ID: <frame>\r\n\r\n<p>Frame</p>\r\n--b--"
    )
    document = read(raw)
    assert document.text == "Root"
    assert [one.mime for one in document.attachments] == ["text/html"]


def test_text_html_text_is_shown_in_that_order() -> None:
    parts = [
        b"Content-Type: text/plain\r\n\r\nbefore <1>",
        b"Content-Type: text/html\r\n\r\n<p>middle</p>",
        b"\r\nafter",
    ]
    raw = (
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
        + b"".join(b"--b\r\n" + part + b"\r\n" for part in parts)
        + b"--b--"
    )
    document = read(raw)
    assert document.text.split() == ["before", "<1>", "middle", "after"]
    assert document.html == "<pre>before &lt;1&gt;</pre>\n<p>middle</p>\n<pre>after</pre>"


def test_a_named_text_is_the_body_when_there_is_no_other() -> None:
    alone = read(b"Content-Type: text/plain; name=note.txt\r\n\r\nHello")
    assert (alone.text, alone.attachments) == ("Hello", [])
    marked = read(b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=note.txt\r\n\r\nHello")
    assert (marked.text, [one.filename for one in marked.attachments]) == ("", ["note.txt"])


def test_a_second_form_for_other_programs_is_no_attachment_to_list() -> None:
    raw = (
        b"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n"
        b"--b\r\nContent-Type: text/x-amp-html\r\n\r\n<html amp>\r\n--b--"
    )
    assert [(one.mime, one.inline) for one in read(raw).attachments] == [("text/x-amp-html", True)]


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        (b'filename="a\\"b.txt"', 'a"b.txt'),
        (b'filename="C:\\TEMP\\plan.doc"', "plan.doc"),
        (b"filename=..", ""),
        (b"filename*=iso-8859-2''%B1%B6.txt; filename=plain.txt", "ąś.txt"),
        (b"filename*0=one; filename*1=two.txt", "onetwo.txt"),
        (b'filename="\xc5\xbc.txt"', "ż.txt"),
        ('filename="gepj.\u202eexe"'.encode(), "gepj.exe"),
        (b'filename="' + b"x" * 400 + b'"', "x" * 255),
    ],
)
def test_a_file_name_is_safe_and_readable(parameters: bytes, name: str) -> None:
    raw = with_attachment(b"Content-Type: application/x-any\r\nContent-Disposition: attachment; " + parameters, b"x")
    assert [one.filename for one in read(raw).attachments] == [name]


def test_the_fields_that_lists_and_machines_set_are_kept() -> None:
    raw = b"List-Id: News <news.example.org>\r\nList-Post: <mailto:a@b>\r\nList-Unsubscribe: <https://x>\r\nPrecedence: bulk\r\nAuto-Submitted: auto-replied\r\n\r\n"
    document = read(raw)
    assert (document.list_id, document.list_post, document.list_unsubscribe) == (
        "News <news.example.org>",
        "<mailto:a@b>",
        "<https://x>",
    )
    assert (document.precedence, document.auto_submitted) == ("bulk", "auto-replied")
