"""Files of drafts: in pieces, resumable, limited, told what they are by their bytes, shared by what they hold."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest

from services.gateway.deps import Gateway
from services.state import drafts
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_drafts_that_answer import MIXED, answer
from tests.support.given import mail

MEGABYTE = 1 << 20
BYTES = {"Content-Type": "application/octet-stream"}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
async def draft(browser: Browser, mail_of: Callable[..., Awaitable[Mail]]) -> str:
    """The address of one of Anna's, who is signed in."""
    await mail_of(await browser.enter("anna"))
    begun = await browser.post("/api/drafts", json={"kind": "new"})
    return f"/api/drafts/{begun.json()['id']}"


async def begin(browser: Browser, draft: str, size: int, filename: str = "a.bin", **wish: Any) -> dict[str, Any]:
    answer = await browser.post(f"{draft}/attachments", json={"filename": filename, "size": size, **wish})
    assert answer.status_code == 201, answer.text
    upload: dict[str, Any] = answer.json()
    return upload


async def send(browser: Browser, draft: str, upload: dict[str, Any], offset: int, piece: bytes) -> Any:
    path = f"{draft}/attachments/{upload['id']}"
    return await browser.patch(path, params={"offset": offset}, content=piece, headers=BYTES)


async def attach(browser: Browser, draft: str, content: bytes, filename: str = "a.bin", **wish: Any) -> dict[str, Any]:
    upload = await begin(browser, draft, len(content), filename, **wish)
    for offset in range(0, len(content), MEGABYTE):
        answer = await send(browser, draft, upload, offset, content[offset : offset + MEGABYTE])
        assert answer.status_code == 200, answer.text
        upload = answer.json()
    return upload


async def attached(browser: Browser, draft: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await browser.get(draft)).json()["attachments"]
    return found


async def test_a_file_in_pieces_is_whole_in_the_end(browser: Browser, draft: str) -> None:
    content = bytes(range(256)) * (10 * 1024)  # two pieces and a half
    upload = await attach(browser, draft, content)
    assert (upload["received"], upload["complete"]) == (len(content), True)
    assert await attached(browser, draft) == [upload]
    served = await browser.get(f"{draft}/attachments/{upload['id']}")
    assert served.content == content
    assert served.headers["content-disposition"].startswith("attachment;")


async def test_a_broken_upload_goes_on_where_it_stopped(browser: Browser, draft: str) -> None:
    upload = await begin(browser, draft, 10)
    await send(browser, draft, upload, 0, b"01234")
    for offset in (0, 4, 6, 10, -1):
        wrong = await send(browser, draft, upload, offset, b"56789")
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "wrong_offset")
        assert (wrong.json()["upload"]["received"], wrong.json()["upload"]["complete"]) == (5, False)
    assert (await send(browser, draft, upload, 5, b"56789")).json()["complete"]
    assert (await browser.get(f"{draft}/attachments/{upload['id']}")).content == b"0123456789"


async def test_the_last_piece_said_twice_at_once_makes_one_whole(browser: Browser, draft: str) -> None:
    upload = await begin(browser, draft, 5)
    answers = await asyncio.gather(*(send(browser, draft, upload, 0, b"01234") for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert (await browser.get(f"{draft}/attachments/{upload['id']}")).content == b"01234"


async def test_a_gateway_that_died_before_the_end_leaves_an_upload_that_can_be_finished(
    browser: Browser, draft: str, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: object) -> None:
        raise ConnectionError

    upload = await begin(browser, draft, 5)
    with monkeypatch.context() as patched:
        patched.setattr(parts.blobs, "put", die)
        assert (await send(browser, draft, upload, 0, b"01234")).status_code == 503
    assert (await attached(browser, draft))[0]["complete"] is False
    assert (await send(browser, draft, upload, 5, b"")).json()["complete"]
    assert (await browser.get(f"{draft}/attachments/{upload['id']}")).content == b"01234"


async def test_an_empty_file_is_whole_at_once(browser: Browser, draft: str) -> None:
    upload = await begin(browser, draft, 0, "empty.txt")
    assert upload["complete"]
    assert (await browser.get(f"{draft}/attachments/{upload['id']}")).content == b""


async def test_what_is_not_whole_is_not_served(browser: Browser, draft: str) -> None:
    upload = await begin(browser, draft, 5)
    assert (await browser.get(f"{draft}/attachments/{upload['id']}")).status_code == 404


async def test_a_piece_is_a_megabyte_at_most_and_no_more_than_was_announced(browser: Browser, draft: str) -> None:
    upload = await begin(browser, draft, 2 * MEGABYTE)
    for content in (bytes(MEGABYTE + 1), bytes(2 * MEGABYTE)):
        assert (await send(browser, draft, upload, 0, content)).status_code == 413
    small = await begin(browser, draft, 3)
    refused = await send(browser, draft, small, 0, b"0123")
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")
    assert [file["received"] for file in await attached(browser, draft)] == [0, 0]


async def test_a_file_and_all_files_together_have_a_limit(browser: Browser, draft: str) -> None:
    for size, status in (
        (25 * MEGABYTE + 1, 413),
        (25 * MEGABYTE, 201),
        (15 * MEGABYTE + 1, 413),
        (15 * MEGABYTE, 201),
        (1, 413),
    ):
        answer = await browser.post(f"{draft}/attachments", json={"filename": "a", "size": size})
        assert answer.status_code == status, size
        if status == 413:
            assert answer.json()["error"]["code"] == "too_large"
            assert " MB" in answer.json()["error"]["message"]


async def test_a_message_has_only_so_many_files(browser: Browser, draft: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.gateway.drafts.files.FILES_LIMIT", 1)
    await begin(browser, draft, 1)
    refused = await browser.post(f"{draft}/attachments", json={"filename": "a", "size": 1})
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_many_files")


@pytest.mark.parametrize(
    ("filename", "content", "mime"),
    [
        ("a.png", PNG, "image/png"),
        ("a.txt", PNG, "image/png"),
        ("a.png", b"<script>x()</script>", "application/octet-stream"),
        ("a.pdf", b"%PDF-1.7", "application/pdf"),
        ("a.pdf", b"no such thing", "application/octet-stream"),
        ("a.txt", b"text", "text/plain"),
        ("a.docx", b"PK\3\4", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("A.XLSX", b"PK\3\4", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.txt.gz", b"\x1f\x8b", "application/gzip"),
        ("a.html", b"<p>x</p>", "text/html"),
        ("a.svg", b"<svg onload=x()>", "image/svg+xml"),
        ("a.eml", b"Subject: x\r\n\r\n", "message/rfc822"),
        ("a", b"x", "application/octet-stream"),
    ],
)
async def test_what_a_file_is_is_told_by_its_bytes_and_then_by_its_name(
    browser: Browser, draft: str, filename: str, content: bytes, mime: str
) -> None:
    assert (await attach(browser, draft, content, filename))["mime"] == mime


INVITATION = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:%b\r\nBEGIN:VEVENT\r\n"
LATIN2 = "żółć".encode("iso-8859-2")


@pytest.mark.parametrize(
    ("file", "mime"),
    [
        (("a.txt", "text/plain;charset=ISO-8859-2", LATIN2), "text/plain; charset=ISO-8859-2"),
        (("a.csv", 'text/csv; header=present; charset="windows-1250"', LATIN2), "text/csv; charset=windows-1250"),
        (("a.txt", "text/plain; charset=utf-8", LATIN2), "text/plain"),
        (("a.txt", "text/plain; charset=nonsense", LATIN2), "text/plain"),
        (("a.txt", "text/plain; charset=rot13", b"x"), "text/plain"),
        (("a.txt", 'text/plain; charset="utf-8\r\nBcc: x"', b"x"), "text/plain"),
        (("a.png", "image/png; charset=utf-8", PNG), "image/png"),
        (("a.ics", "", INVITATION % b"request"), "text/calendar; method=REQUEST"),
        (("a.ics", "text/calendar; method=CANCEL", INVITATION % b"REPLY"), "text/calendar; method=REPLY"),
        (("a.ics", "text/calendar; method=CANCEL; charset=utf-8", b"BEGIN:VCALENDAR"), "text/calendar; charset=utf-8"),
        (("a.ics", "", INVITATION % b"NONSENSE"), "text/calendar"),
        (("a.ics", "", INVITATION % b"REQUEST;X=y"), "text/calendar"),
    ],
)
async def test_a_text_keeps_its_charset_and_a_calendar_says_what_it_asks_for(
    browser: Browser, draft: str, file: tuple[str, str, bytes], mime: str
) -> None:
    filename, said, content = file
    upload = await attach(browser, draft, content, filename, mime=said)
    assert upload["mime"] == mime
    served = await browser.get(f"{draft}/attachments/{upload['id']}", params={"inline": 1})
    assert served.content == content
    if mime.startswith("text/plain; "):
        assert served.headers["content-type"].replace(" ", "") == mime.replace(" ", "")


@pytest.mark.parametrize(("filename", "content"), [("a.svg", b"<svg onload=x()>"), ("a.html", b"<script>x()</script>")])
async def test_what_could_act_is_only_ever_saved(browser: Browser, draft: str, filename: str, content: bytes) -> None:
    upload = await attach(browser, draft, content, filename)
    served = await browser.get(f"{draft}/attachments/{upload['id']}", params={"inline": 1})
    assert served.headers["content-type"] == "application/octet-stream"
    assert served.headers["content-disposition"].startswith("attachment;")
    assert "sandbox" in served.headers["content-security-policy"]


async def test_what_is_carried_over_keeps_its_charset_and_what_it_asks_for(
    browser: Browser, mail_of: Callable[..., Awaitable[Mail]]
) -> None:
    inbox = await mail_of(await browser.enter("anna"))
    text = '--b\r\nContent-Type: text/plain; charset=iso-8859-2; name="a.txt"\r\n\r\nwords\r\n'
    calendar = '--b\r\nContent-Type: text/calendar; name="a.ics"\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\n'
    body = f"--b\r\nContent-Type: text/plain\r\n\r\nWords\r\n{text}{calendar}--b--\r\n"
    message = await inbox.arrived(mail("Plan", key="o", more=MIXED, body=body))
    carried = (await answer(browser, "forward", message))["attachments"]
    assert [file["mime"] for file in carried] == ["text/plain; charset=iso-8859-2", "text/calendar; method=REQUEST"]


async def test_an_inline_image_has_an_id_that_the_text_names(browser: Browser, draft: str) -> None:
    made = await attach(browser, draft, PNG, "a.png", inline=True)
    assert made["content_id"].endswith("@inline")
    given = await attach(browser, draft, PNG, "a.png", inline=True, content_id="pic-1@x.example")
    assert (given["inline"], given["content_id"]) == (True, "pic-1@x.example")
    shown = await browser.get(f"{draft}/attachments/{given['id']}", params={"inline": 1})
    assert (shown.headers["content-type"], shown.content) == ("image/png", PNG)


@pytest.mark.parametrize("content_id", ["", "a b", "a\r\nb@x", "<a@x>", "a@x@y", "ä@x", "a" * 300])
async def test_an_id_that_could_break_out_of_its_header_is_refused(
    browser: Browser, draft: str, content_id: str
) -> None:
    wish = {"filename": "a.png", "size": 1, "inline": True, "content_id": content_id}
    assert (await browser.post(f"{draft}/attachments", json=wish)).status_code == 400


async def test_a_name_stays_in_its_line(browser: Browser, draft: str) -> None:
    assert (await begin(browser, draft, 1, "a\r\nb\0.txt"))["filename"] == "a b .txt"


async def test_the_same_bytes_are_kept_once(browser: Browser, draft: str, owner: Any) -> None:
    await attach(browser, draft, PNG, "a.png")
    await attach(browser, draft, PNG, "b.png")
    blobs = await owner.fetch("SELECT DISTINCT blob FROM uploads")
    assert [row["blob"] for row in blobs] == [sha256(PNG).hexdigest()]
    assert await owner.fetchval("SELECT count(*) FROM upload_pieces") == 0


async def test_a_file_that_is_removed_is_gone_and_its_blob_is_left_to_the_eraser(
    browser: Browser, draft: str, owner: Any
) -> None:
    upload = await attach(browser, draft, PNG)
    address = f"{draft}/attachments/{upload['id']}"
    assert (await browser.delete(address)).status_code == 204
    assert (await browser.delete(address)).status_code == 404
    assert await attached(browser, draft) == []
    assert await owner.fetchval("SELECT blob FROM loose_blobs") == sha256(PNG).hexdigest()


async def test_every_change_of_files_makes_another_edition_to_mirror(browser: Browser, draft: str, owner: Any) -> None:
    editions = []
    upload = await begin(browser, draft, 5)
    editions.append(await owner.fetchval("SELECT edition FROM drafts"))
    await send(browser, draft, upload, 0, b"01234")
    editions.append(await owner.fetchval("SELECT edition FROM drafts"))
    await browser.delete(f"{draft}/attachments/{upload['id']}")
    editions.append(await owner.fetchval("SELECT edition FROM drafts"))
    assert editions == [0, 1, 2]
    assert (await browser.get(draft)).json()["revision"] == 0  # who writes the text need not know


async def test_what_is_not_finished_in_a_day_is_forgotten(
    browser: Browser, draft: str, parts: Gateway, owner: Any
) -> None:
    whole = await attach(browser, draft, PNG)
    left = await begin(browser, draft, 5)
    await send(browser, draft, left, 0, b"012")
    await owner.execute("UPDATE uploads SET touched_at = now() - interval '25 hours'")
    await drafts.forget_abandoned(parts.db, timedelta(days=1))
    assert [file["id"] for file in await attached(browser, draft)] == [whole["id"]]
    assert await owner.fetchval("SELECT count(*) FROM upload_pieces") == 0


async def test_files_of_a_deleted_draft_are_gone(browser: Browser, draft: str, owner: Any) -> None:
    await attach(browser, draft, PNG)
    assert (await browser.delete(draft)).status_code == 204
    assert await owner.fetchval("SELECT count(*) FROM uploads") == 0


async def test_nobody_reaches_anothers_files(
    browser: Browser, draft: str, open_browser: Callable[..., Browser], mail_of: Callable[..., Awaitable[Mail]]
) -> None:
    upload = await begin(browser, draft, 5)
    bob = open_browser()
    await mail_of(await bob.enter("bob"), "bob@example.org")
    his = f"/api/drafts/{(await bob.post('/api/drafts', json={'kind': 'new'})).json()['id']}"
    for address in (draft, his):
        assert (await send(bob, address, upload, 0, b"01234")).status_code == 404
        assert (await bob.get(f"{address}/attachments/{upload['id']}")).status_code == 404
        assert (await bob.delete(f"{address}/attachments/{upload['id']}")).status_code == 404
    assert UUID(upload["id"])
    assert (await attached(browser, draft))[0]["received"] == 0
