"""Lists, conversations, messages: what the API shows of the mail that a projector folded."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from contracts.facts import MailboxLost, SpecialUse
from projections.documents.document import SANITIZER_VERSION
from services.gateway.deps import Gateway
from tests.support.given import mail

MailOf = Callable[..., Awaitable[Any]]

HTML = """\
MIME-Version: 1.0
Content-Type: multipart/related; boundary="b"

--b
Content-Type: text/html; charset=utf-8

<p onclick='x()'>Hello <img src='https://tracker.example/a.png'><img src='cid:logo@x/1'></p><script>x()</script>
--b
Content-Type: image/png
Content-ID: <logo@x/1>
Content-Disposition: inline; filename=logo.png
Content-Transfer-Encoding: base64

iVBORw0KGgoAAAANSUhEUg==
--b--
""".replace("\n", "\r\n")


def html_mail(key: str, html: str = HTML, sender: str = "Ann <ann@x.example>") -> bytes:
    head = f"Message-ID: <{key}@x.example>\r\nFrom: {sender}\r\nTo: b@x.example\r\nSubject: HTML\r\n"
    return f"{head}Date: 01 Oct 2025 09:00:00 +0000\r\n{html}".encode()


@pytest.fixture
async def anna(browser: Any) -> tuple[Any, dict[str, Any]]:
    return browser, await browser.enter("anna")


@pytest.fixture
async def inbox(anna: tuple[Any, dict[str, Any]], mail_of: MailOf) -> Any:
    return await mail_of(anna[1])


@pytest.fixture
def web(anna: tuple[Any, dict[str, Any]]) -> Any:
    return anna[0]


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_message_is_a_line_of_the_list_and_of_its_conversation(web: Any, inbox: Any) -> None:
    first = await inbox.arrived(mail("Plan", key="1", body="First words."))
    second = await inbox.arrived(mail("Re: Plan", key="2", answers="1", days=1, sender="Bob <bob@x.example>"))
    page = (await web.get("/api/threads")).json()
    assert (page["total"], page["total_exact"], page["next_cursor"]) == (1, True, None)
    (line,) = page["threads"]
    assert (line["subject"], line["message_count"], line["unread_count"]) == ("Plan", 2, 2)
    assert [one["email"] for one in line["participants"]] == ["ann@x.example", "bob@x.example"]
    assert line["last_message_at"] == "2025-10-02T09:00:00Z"
    thread = (await web.get(f"/api/threads/{line['id']}")).json()
    assert [message["id"] for message in thread["messages"]] == [first, second]
    assert thread["messages"][0]["text"].strip() == "First words."
    assert thread["position"] == page["position"] == inbox.position


async def test_a_conversation_is_sorted_as_asked_and_carries_the_text_of_the_newest_and_the_unread(
    web: Any, inbox: Any
) -> None:
    await inbox.arrived(mail(key="1"), flags=[r"\Seen"])
    await inbox.arrived(mail(key="2", answers="1", days=1))
    await inbox.arrived(mail(key="3", answers="2", days=2), flags=[r"\Seen", r"\Flagged", r"\Answered", "$Forwarded"])
    thread = (await web.get("/api/threads")).json()["threads"][0]["id"]
    oldest_first = (await web.get(f"/api/threads/{thread}?sort=asc&expand=1")).json()["messages"]
    newest_first = (await web.get(f"/api/threads/{thread}?sort=desc&expand=1")).json()["messages"]
    assert newest_first == oldest_first[::-1]
    assert [message["expanded"] for message in oldest_first] == [False, True, True]
    assert [message["text"] is None for message in oldest_first] == [True, False, False]
    newest = newest_first[0]
    assert (newest["unread"], newest["starred"], newest["answered"], newest["forwarded"]) == (False, True, True, True)
    everything = (await web.get(f"/api/threads/{thread}?expand=100")).json()["messages"]
    assert all(message["expanded"] for message in everything)


async def test_pages_by_cursor_and_by_offset_give_the_same_list(web: Any, inbox: Any) -> None:
    for n in range(7):
        await inbox.arrived(mail(f"Plan {n}", key=str(n), days=n))
    whole = [line["subject"] for line in (await web.get("/api/threads")).json()["threads"]]
    assert whole == [f"Plan {n}" for n in reversed(range(7))]
    by_cursor, cursor = [], ""
    while cursor is not None:
        page = (await web.get("/api/threads", params={"limit": 3, **({"cursor": cursor} if cursor else {})})).json()
        by_cursor += [line["subject"] for line in page["threads"]]
        cursor = page["next_cursor"]
    assert by_cursor == whole
    for offset in (0, 2, 5, 7, 90):
        page = (await web.get("/api/threads", params={"limit": 3, "offset": offset})).json()
        assert [line["subject"] for line in page["threads"]] == whole[offset : offset + 3]
        assert page["total"] == 7


async def test_every_view_shows_what_lies_there(web: Any, inbox: Any) -> None:
    account = inbox.account
    await inbox.told(account.mailbox("Trash", SpecialUse.TRASH), account.mailbox("Work"))
    await inbox.arrived(mail("In", key="1"), flags=[r"\Flagged"])
    await inbox.arrived(mail("Gone", key="2"), "Trash")
    await inbox.arrived(mail("Job", key="3"), "Work")
    expected = {
        "unified": {"In"},
        f"account:{account.account_id}": {"In", "Job"},
        f"mailbox:{account.id_of('Work')}": {"Job"},
        "special:trash": {"Gone"},
        "special:starred": {"In"},
        "special:all": {"In", "Job"},
        "special:sent": set(),
    }
    for view, subjects in expected.items():
        page = (await web.get("/api/threads", params={"view": view})).json()
        assert {line["subject"] for line in page["threads"]} == subjects, view
        assert page["total"] == len(subjects)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("view=nothing", "unknown_view"),
        ("view=account:7", "unknown_view"),
        ("view=special:secret", "unknown_view"),
        ("cursor=AAAA", "bad_cursor"),
        ("cursor=%00%ff", "bad_cursor"),
        ("limit=0", "invalid_request"),
        ("limit=201", "invalid_request"),
        ("offset=-1", "invalid_request"),
        ("limit=x", "invalid_request"),
    ],
)
async def test_a_bad_question_is_named(web: Any, inbox: Any, query: str, expected: str) -> None:
    assert error(await web.get(f"/api/threads?{query}")) == (400, expected)


async def test_accounts_show_their_mailboxes_with_counts(web: Any, inbox: Any) -> None:
    await inbox.told(inbox.account.found("Lists/Python", None))
    await inbox.arrived(mail(key="1"))
    await inbox.arrived(mail(key="2"), flags=[r"\Seen"])
    (account,) = (await web.get("/api/accounts")).json()["accounts"]
    assert (account["email"], account["state"], account["unread"]) == ("anna@example.org", "connecting", 1)
    assert account["color"] == "#2a9b7c"
    shown = {
        box["path"]: (box["name"], box["special_use"], box["unread"], box["total"]) for box in account["mailboxes"]
    }
    assert shown == {"INBOX": ("INBOX", "inbox", 1, 2), "Lists/Python": ("Python", None, 0, 0)}


async def test_a_document_that_the_memo_does_not_know_is_read_again(web: Any, inbox: Any) -> None:
    message = await inbox.arrived(mail(key="1", body="Read by a child."), remembered=False)
    shown = (await web.get(f"/api/messages/{message}")).json()
    assert shown["text"].strip() == "Read by a child."
    assert "Read by a child." in (await web.get(f"/api/messages/{message}/html")).text


async def test_a_lost_blob_hides_one_message_and_says_so(web: Any, inbox: Any, parts: Gateway) -> None:
    message = await inbox.arrived(mail(key="1"), remembered=False)
    blob = next(iter(inbox.account.documents))
    await parts.blobs.set_aside(inbox.account.user_id, [blob])
    shown = (await web.get(f"/api/messages/{message}")).json()
    assert "could not be read" in shown["warnings"][0]
    assert error(await web.get(f"/api/messages/{message}/raw")) == (500, "source_missing")


async def test_the_text_of_a_lost_blob_is_shown_where_it_is_kept(web: Any, inbox: Any, parts: Gateway) -> None:
    message = await inbox.arrived(html_mail("1"))
    await parts.blobs.set_aside(inbox.account.user_id, list(inbox.account.documents))
    shown = (await web.get(f"/api/messages/{message}")).json()
    assert (shown["text"].strip(), shown["has_html"]) == ("Hello", False)
    assert "Hello" in (await web.get(f"/api/messages/{message}/html")).text


async def test_what_is_opened_again_soon_is_not_read_again(web: Any, inbox: Any, parts: Gateway) -> None:
    message = await inbox.arrived(html_mail("1"))
    first = await web.get(f"/api/messages/{message}/html")
    await parts.blobs.set_aside(inbox.account.user_id, list(inbox.account.documents))
    assert (await web.get(f"/api/messages/{message}/html")).text == first.text
    assert (await web.get(f"/api/messages/{message}")).json()["has_html"]


async def test_the_frame_has_its_own_policy_and_no_script(web: Any, inbox: Any) -> None:
    message = await inbox.arrived(html_mail("1"))
    answer = await web.get(f"/api/messages/{message}/html?v={SANITIZER_VERSION}&theme=dark&remote=0")
    assert answer.status_code == 200
    assert dict(answer.headers) | {"content-length": ""} == {
        "content-type": "text/html; charset=utf-8",
        "content-length": "",
        "content-security-policy": (
            "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
            "form-action 'none'; base-uri 'none'; frame-ancestors 'self'; "
            "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        ),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "private, max-age=3600",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "strict-transport-security": "max-age=31536000",
    }
    assert '<base target="_blank">' in answer.text
    assert '<div id="wm-root">' in answer.text
    assert f'src="/api/messages/{message}/cid/logo%40x%2F1"' in answer.text
    for active in ("script>", "onclick", "tracker.example"):
        assert active not in answer.text


async def test_remote_images_load_only_where_the_record_allows_them(web: Any, inbox: Any) -> None:
    message = await inbox.arrived(html_mail("1"))
    shown = (await web.get(f"/api/messages/{message}")).json()
    assert shown["remote_images"] == {"blocked": 1, "allowed": False}
    address = f"/api/messages/{message}/html?v={SANITIZER_VERSION}&remote=1"
    before = await web.get(address)
    assert "tracker.example" not in before.text
    assert "https:;" not in before.headers["content-security-policy"]
    assert before.headers["cache-control"] == "no-store"
    allowed = await web.post(f"/api/messages/{message}/allow-remote-images", json={"scope": "once"})
    assert (allowed.status_code, allowed.json()) == (200, {"allowed": True})
    after = await web.get(address, headers={"Sec-Fetch-Dest": "iframe"})
    assert "https://tracker.example/a.png" in after.text
    assert "img-src 'self' data: https:;" in after.headers["content-security-policy"]
    assert "onclick" not in after.text
    assert "script>" not in after.text
    assert f'src="/api/messages/{message}/cid/logo%40x%2F1"' in after.text
    assert "tracker.example" not in (await web.get(address.replace("remote=1", "remote=0"))).text


@pytest.mark.parametrize("destination", ["document", "image", "empty", "script"])
async def test_remote_images_load_in_a_frame_only(web: Any, inbox: Any, destination: str) -> None:
    message = await inbox.arrived(html_mail("1"))
    await web.post(f"/api/messages/{message}/allow-remote-images", json={"scope": "once"})
    answer = await web.get(f"/api/messages/{message}/html?remote=1", headers={"Sec-Fetch-Dest": destination})
    assert error(answer) == (403, "not_a_frame")


async def test_a_grant_is_for_one_message_and_for_a_while(web: Any, inbox: Any, parts: Gateway, database: str) -> None:
    one = await inbox.arrived(html_mail("1"))
    other = await inbox.arrived(html_mail("2"))
    await web.post(f"/api/messages/{one}/allow-remote-images", json={"scope": "once"})
    assert (await web.get(f"/api/messages/{one}")).json()["remote_images"]["allowed"]
    assert not (await web.get(f"/api/messages/{other}")).json()["remote_images"]["allowed"]
    await inbox.owner.execute("UPDATE image_grants SET expires_at = now()")
    assert not (await web.get(f"/api/messages/{one}")).json()["remote_images"]["allowed"]


async def test_a_sender_is_allowed_from_then_on(web: Any, inbox: Any) -> None:
    one = await inbox.arrived(html_mail("1"))
    later = await inbox.arrived(html_mail("2", sender="ANN@x.example"))
    stranger = await inbox.arrived(html_mail("3", sender="eve@y.example"))
    await web.post(f"/api/messages/{one}/allow-remote-images", json={"scope": "sender"})
    allowed = [
        (await web.get(f"/api/messages/{id_}")).json()["remote_images"]["allowed"] for id_ in (one, later, stranger)
    ]
    assert allowed == [True, True, False]


async def test_inline_parts_are_found_by_their_content_id(web: Any, inbox: Any) -> None:
    message = await inbox.arrived(html_mail("1"))
    answer = await web.get(f"/api/messages/{message}/cid/logo%40x%2F1")
    assert answer.content.startswith(b"\x89PNG")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-disposition"].startswith("inline")
    assert answer.headers["content-security-policy"].endswith("sandbox")
    assert error(await web.get(f"/api/messages/{message}/cid/other")) == (404, "not_found")


def with_parts(*leaves: tuple[str, bytes]) -> bytes:
    parts = "".join(
        f'--b\r\nContent-Type: {kind}; name="f{n}"\r\nContent-Disposition: attachment; filename="f{n}"\r\n'
        f"Content-Transfer-Encoding: base64\r\n\r\n{base64.encodebytes(content).decode()}\r\n"
        for n, (kind, content) in enumerate(leaves)
    )
    return html_mail("1", f'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n{parts}--b--\r\n')


async def test_only_what_is_safe_to_show_keeps_its_kind(web: Any, inbox: Any) -> None:
    leaves = [
        ("image/png", b"\x89PNG\r\n\x1a\nrest", "image/png", True),
        ("image/svg+xml", b"<svg><script>x()</script></svg>", "application/octet-stream", False),
        ("text/html", b"<script>x()</script>", "application/octet-stream", False),
        ("application/pdf", b"%PDF-1.7", "application/pdf", True),
        ("text/plain; charset=iso-8859-2", "zażółć".encode("iso-8859-2"), "text/plain; charset=iso-8859-2", True),
    ]
    message = await inbox.arrived(with_parts(*((kind, content) for kind, content, _, _ in leaves)))
    attachments = (await web.get(f"/api/messages/{message}")).json()["attachments"]
    assert [one["filename"] for one in attachments] == [f"f{n}" for n in range(5)]
    for (_, content, kind, safe), attachment in zip(leaves, attachments, strict=True):
        assert attachment["previewable"] == safe
        for inline in (0, 1):
            answer = await web.get(f"/api/attachments/{attachment['id']}?inline={inline}")
            assert answer.content == content
            assert answer.headers["content-type"] == kind
            assert answer.headers["content-length"] == str(len(content)) == str(attachment["size"])
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["content-security-policy"].endswith("; sandbox")
            how = "inline" if inline and safe else "attachment"
            assert answer.headers["content-disposition"].startswith(f"{how}; ")


async def test_a_large_attachment_arrives_whole_in_pieces(web: Any, inbox: Any) -> None:
    content = bytes(range(256)) * 12_000
    message = await inbox.arrived(with_parts(("application/zip", content)))
    (attachment,) = (await web.get(f"/api/messages/{message}")).json()["attachments"]
    async with web.stream("GET", f"/api/attachments/{attachment['id']}") as answer:
        received = b"".join([piece async for piece in answer.aiter_raw()])
    assert received == content
    assert answer.headers["content-length"] == str(len(content))


async def test_what_lies_nowhere_any_more_is_not_found(web: Any, inbox: Any) -> None:
    message = await inbox.arrived(mail(key="1"))
    thread = (await web.get("/api/threads")).json()["threads"][0]["id"]
    await inbox.told(inbox.account.fact(MailboxLost, mailbox_id=inbox.account.id_of("INBOX")))
    assert error(await web.get(f"/api/messages/{message}")) == (404, "not_found")
    assert error(await web.get(f"/api/threads/{thread}")) == (404, "not_found")
    assert (await web.get("/api/threads")).json()["total"] == 0


async def found(web: Any, q: str, **more: Any) -> dict[str, Any]:
    answer = await web.get("/api/threads", params={"view": "search", "q": q, **more})
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


async def test_a_search_finds_conversations_by_the_words_of_their_messages(web: Any, inbox: Any) -> None:
    await inbox.told(inbox.account.mailbox("Trash", SpecialUse.TRASH))
    await inbox.arrived(mail("Lunch", key="1", body="Zażółć gęślą jaźń"))
    await inbox.arrived(mail("Re: Lunch", key="2", answers="1", days=1, body="Yes."))
    await inbox.arrived(mail("Dinner", key="3", days=2))
    await inbox.arrived(mail("Thrown away lunch", key="4", days=3), "Trash")
    page = await found(web, "zazolc")
    assert [(line["subject"], line["message_count"]) for line in page["threads"]] == [("Lunch", 2)]
    assert (page["total"], page["total_exact"], page["next_cursor"]) == (1, True, None)
    assert [line["subject"] for line in (await found(web, "lunch"))["threads"]] == ["Lunch"]
    assert (await found(web, "breakfast"))["threads"] == []


async def test_a_search_goes_on_by_cursor_and_by_offset(web: Any, inbox: Any) -> None:
    for n in range(5):
        await inbox.arrived(mail(f"Plan {n}", key=str(n), days=n))
    first = await found(web, "plan", limit=3)
    rest = await found(web, "plan", limit=3, cursor=first["next_cursor"])
    assert [line["subject"] for line in first["threads"] + rest["threads"]] == [f"Plan {n}" for n in (4, 3, 2, 1, 0)]
    assert rest["next_cursor"] is None
    skipped = await found(web, "plan", limit=2, offset=2)
    assert [line["subject"] for line in skipped["threads"]] == ["Plan 2", "Plan 1"]
    deep = await web.get("/api/threads", params={"view": "search", "q": "plan", "offset": 1001})
    assert error(deep) == (400, "offset_too_deep")


@pytest.mark.parametrize("q", ["", " ", '"', "'", "\\", "a & | !", "\0", "%", ":*", "(", "x" * 5000, "żó\u202e"])
async def test_odd_words_find_nothing_and_break_nothing(web: Any, inbox: Any, q: str) -> None:
    await inbox.arrived(mail("Plan", key="1"))
    assert (await found(web, q))["threads"] == []
