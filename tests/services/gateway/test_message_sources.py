"""A message as it came: to be saved, to be read, its header, all its files; and how its list can be left."""

import io
import zipfile
from collections.abc import Awaitable, Callable

import pytest

from services.gateway.messages.unsubscribing import links
from services.gateway.sources.archive import unique_names
from tests.services.gateway.conftest import Browser, Mail
from tests.support.given import mail

ONE_CLICK = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"


@pytest.fixture
async def inbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]]) -> Mail:
    return await mail_of(await browser.enter("anna"))


def with_files(*files: tuple[str, bytes], subject: str = "Files") -> bytes:
    parts = "".join(
        f'--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="{name}"\r\n'
        f"Content-Transfer-Encoding: binary\r\n\r\n{content.decode('latin-1')}\r\n"
        for name, content in files
    )
    head = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n'
    text = "--b\r\nContent-Type: text/plain\r\n\r\nWords.\r\n"
    return mail(subject, key="f", more=head, body=f"{text}{parts}--b--")


async def test_the_source_is_saved_and_read_byte_for_byte(browser: Browser, inbox: Mail) -> None:
    raw = mail("Zażółć", key="1", body="<script>x()</script>")
    message = await inbox.arrived(raw)
    saved = await browser.get(f"/api/messages/{message}/eml")
    assert (saved.content, saved.headers["content-type"]) == (raw, "message/rfc822")
    assert saved.headers["content-disposition"].startswith("attachment; ")
    assert "%C5%BC%C3%B3%C5%82%C4%87.eml" in saved.headers["content-disposition"]
    read = await browser.get(f"/api/messages/{message}/raw")
    assert (read.content, read.headers["content-type"]) == (raw, "text/plain; charset=utf-8")
    assert read.headers["content-disposition"].startswith("inline; ")
    assert "sandbox" in read.headers["content-security-policy"]
    assert read.headers["x-content-type-options"] == "nosniff"


async def test_the_header_is_shown_unfolded_and_decoded(browser: Browser, inbox: Mail) -> None:
    more = "X-Folded: one\r\n two\r\nX-Word: =?utf-8?q?za=C5=BC?=\r\nReceived: a\r\nReceived: b\r\n"
    message = await inbox.arrived(mail("Plan", key="1", more=more))
    fields = (await browser.get(f"/api/messages/{message}/headers")).json()["headers"]
    assert [(one["name"], one["value"]) for one in fields][-4:] == [
        ("X-Folded", "one two"),
        ("X-Word", "zaż"),
        ("Received", "a"),
        ("Received", "b"),
    ]
    assert {"name": "Subject", "value": "Plan"} in fields


async def test_all_files_come_as_one_with_names_that_no_system_stumbles_over(browser: Browser, inbox: Mail) -> None:
    big = bytes(range(32, 127)) * 40_000
    files = [("plan.pdf", b"one"), ("PLAN.pdf", b"two"), ("../../etc/passwd", b"three"), ("big", big), ("nul.txt", b"")]
    message = await inbox.arrived(with_files(*files, subject="All/files"))
    answer = await browser.get(f"/api/messages/{message}/attachments.zip")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].startswith('attachment; filename="All_files.zip"')
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name) for name in archive.namelist()}
    assert list(found.values()) == [content for _, content in files]
    assert [*found] == ["plan.pdf", "PLAN (2).pdf", "passwd", "big", "_nul.txt"]


async def test_without_files_there_is_nothing_to_save(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail(key="1"))
    answer = await browser.get(f"/api/messages/{message}/attachments.zip")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_no_two_names_are_one_file_on_any_system() -> None:
    hostile = [
        "a",
        "A",
        "a",
        "a (2)",
        "ﬁ",
        "fi",
        ".",
        "..",
        "",
        "con",
        "aux.h",
        "../../up",
        "x" * 300 + ".pdf",
        "e\u0301",
        "é",
    ]
    names = unique_names(hostile)
    assert names[:4] == ["a", "A (2)", "a (3)", "a (2) (2)"]
    assert len({name.casefold() for name in names}) == len(hostile)
    assert all(name.strip(". ") == name and "/" not in name and len(name) < 200 for name in names)


@pytest.mark.parametrize(
    ("field", "found"),
    [
        (
            "<https://l.example/u?x=1>, <mailto:u@l.example?subject=stop>",
            ("mailto:u@l.example?subject=stop", "https://l.example/u?x=1"),
        ),
        ("(a word) <MAILTO:u@l.example>", ("MAILTO:u@l.example", None)),
        ("<https://l.example/\r\n a>", (None, "https://l.example/a")),
        ("<http://l.example/u>, <javascript:x()>, <https:///nobody>, <https://[>, <mailto:>", (None, None)),
        ("https://l.example/u", (None, None)),
        ("<https://l.example/ż>", (None, None)),
        ("", (None, None)),
    ],
)
def test_only_ways_that_can_be_followed_are_found(field: str, found: tuple[str | None, str | None]) -> None:
    assert links(field) == found


@pytest.mark.parametrize(
    ("more", "one_click"),
    [
        (ONE_CLICK, True),
        (ONE_CLICK.upper(), True),
        ("", False),
        (ONE_CLICK * 2, False),
        ("List-Unsubscribe-Post: something else\r\n", False),
    ],
)
async def test_a_list_is_left_by_one_click_where_its_header_says_so(
    browser: Browser, inbox: Mail, more: str, one_click: bool
) -> None:
    where = "List-Unsubscribe: <https://l.example/u>,\r\n <mailto:u@l.example>\r\n"
    message = await inbox.arrived(mail(key="1", more=where + more))
    shown = (await browser.get(f"/api/messages/{message}")).json()
    expected = {"mailto": "mailto:u@l.example", "https": "https://l.example/u", "one_click": one_click}
    assert shown["list_unsubscribe"] == expected
    thread = (await browser.get(f"/api/threads/{shown['thread_id']}?expand=0")).json()
    assert (thread["messages"][0]["expanded"], thread["messages"][0]["list_unsubscribe"]) == (True, expected)


async def test_other_mail_names_no_way_out(browser: Browser, inbox: Mail) -> None:
    message = await inbox.arrived(mail(key="1", more=ONE_CLICK))
    assert (await browser.get(f"/api/messages/{message}")).json()["list_unsubscribe"] is None
