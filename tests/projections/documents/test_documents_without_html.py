"""What arrives is read without cleaning its HTML: all else is as it is when somebody opens it."""

import json
from pathlib import Path

import msgspec
import pytest

from projections.documents import document, read
from projections.documents.sanitize import Cleaned

FIXTURES = Path(__file__).parents[2] / "fixtures"
MESSAGES = [
    *((path.stem, path.read_bytes()) for path in sorted(FIXTURES.glob("mime/*.eml"))),
    *(
        (path.stem, f"Subject: x\r\nContent-Type: text/html\r\n\r\n{json.loads(path.read_text())['html']}".encode())
        for path in sorted(FIXTURES.glob("html/*.json"))
    ),
    ("refused", b"Content-Type: text/html\r\n\r\n" + b"<div>" * 100_000 + b"Words"),
    (
        "refused-beside-text",
        b'Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\n\r\nPlain\r\n'
        b"--b\r\nContent-Type: text/html\r\n\r\n" + b"<div>" * 100_000 + b"\r\n--b--\r\n",
    ),
]
RELATED = (
    b'Content-Type: multipart/related; boundary="b"\r\n\r\n'
    b'--b\r\nContent-Type: text/html\r\n\r\n<p>Hello<img src="cid:a@x"><img src="https://x.example/1.png"></p>\r\n'
    b"--b\r\nContent-Type: image/png\r\nContent-ID: <a@x>\r\n\r\nx\r\n"
    b"--b\r\nContent-Type: image/png\r\nContent-ID: <b@x>\r\n\r\nx\r\n--b--\r\n"
)


@pytest.mark.parametrize("raw", [pytest.param(raw, id=name) for name, raw in [*MESSAGES, ("related", RELATED)]])
def test_all_but_the_html_is_the_same(raw: bytes) -> None:
    opened = read(raw)
    assert read(raw, html=False) == msgspec.structs.replace(opened, html=None, blocked=0, designed=False)
    assert opened.has_html == (opened.html is not None)


def test_nothing_is_cleaned_for_mail_that_may_never_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def clean(html: str, *, remote: bool) -> Cleaned:
        raise AssertionError((html, remote))

    monkeypatch.setattr(document.sanitize, "clean", clean)
    found = read(b"Content-Type: text/html\r\n\r\n<p>Hello", html=False)
    assert (found.text, found.has_html, found.html) == ("Hello", True, None)


def test_which_images_the_text_shows_is_known_without_opening_it() -> None:
    assert [one.inline for one in read(RELATED, html=False).attachments] == [True, False]
