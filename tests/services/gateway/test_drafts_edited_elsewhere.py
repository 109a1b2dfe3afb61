"""Copies of drafts that another mail program edits: they become the next revision, or where both were changed a draft of their own."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest

from contracts.facts import MessagesExpunged, SpecialUse
from projections.sql import Pool
from services import positions
from services.gateway.deps import Gateway
from services.gateway.drafts.noticing import Change, Stranger, changes
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_drafts import begin, listed, save, saved
from tests.services.gateway.test_sending import SMTP, Outbox
from tests.support.given import START, mail

WORDS = "Shall we meet on Monday at noon?"


class Drafts:
    """Anna's, with one of hers whose copy is on the server under UID 7."""

    def __init__(self, browser: Browser, inbox: Mail, owner: Pool) -> None:
        self.browser, self.inbox, self.owner = browser, inbox, owner
        self.draft: dict[str, Any] = {}
        self.key = ""

    async def begin(self, **wish: Any) -> None:
        draft = await begin(self.browser, **wish)
        self.draft = await saved(self.browser, draft, subject="Plan", html=f"<p>{WORDS}</p>")
        await self.copied(self.draft, 7)

    async def copied(self, draft: dict[str, Any], uid: int) -> None:
        """As outbound does it."""
        key = await self.owner.fetchval("SELECT message_id_header FROM drafts WHERE id = $1", UUID(draft["id"]))
        self.key = key
        raw = self.raw(f"copy {uid}")
        await self.owner.execute(
            "UPDATE drafts SET mirrored_edition = edition, mirror_account_id = account_id, mirror_mailbox_id = $2, "
            "mirror_uidvalidity = 1, mirror_uid = $3, copies = $4 WHERE id = $1",
            UUID(draft["id"]),
            self.inbox.account.id_of("Drafts"),
            uid,
            [sha256(raw).hexdigest()],
        )
        await self.arrived(raw, uid)

    def raw(
        self, body: str, *, key: str | None = None, subject: str = "Plan", sender: str = "anna@example.org"
    ) -> bytes:
        return (
            f"Message-ID: {key or self.key}\r\nFrom: {sender}\r\nTo: bob@x.example\r\nSubject: {subject}\r\n\r\n{body}\r\n"
        ).encode()

    async def arrived(self, raw: bytes, uid: int, *, ago: float = 0) -> str:
        at = datetime.now(UTC) - timedelta(seconds=ago)
        return await self.inbox.arrived(
            raw, "Drafts", uid=uid, flags=["\\Draft", "\\Seen"], days=(at - START) / timedelta(days=1)
        )

    async def gone(self, *uids: int) -> None:
        place = {"mailbox_id": self.inbox.account.id_of("Drafts"), "generation": 1, "uids": ",".join(map(str, uids))}
        await self.inbox.told(self.inbox.account.fact(MessagesExpunged, **place))

    async def now(self) -> dict[str, Any]:
        found: dict[str, Any] = (await self.browser.get(f"/api/drafts/{self.draft['id']}")).json()
        return found

    async def row(self, draft: str) -> Any:
        return await self.owner.fetchrow("SELECT * FROM drafts WHERE id = $1", UUID(draft))


@pytest.fixture
async def drafts(browser: Browser, mail_of: Callable[..., Awaitable[Mail]], owner: Pool) -> Drafts:
    inbox = await mail_of(await browser.enter("anna"))
    await inbox.told(inbox.account.mailbox("Drafts", SpecialUse.DRAFTS))
    made = Drafts(browser, inbox, owner)
    await made.begin()
    return made


async def test_a_copy_that_nobody_touched_is_the_draft(drafts: Drafts) -> None:
    assert await drafts.now() == drafts.draft | {
        "saved_on_server": True,
        "thread_id": (await drafts.now())["thread_id"],
    }
    (line,) = await listed(drafts.browser)
    assert line["id"] == drafts.draft["id"]


@pytest.mark.parametrize("key", [None, "<phone@x.example>"])
@pytest.mark.parametrize("removed_first", [True, False])
async def test_an_edited_copy_is_the_next_revision(drafts: Drafts, *, key: str | None, removed_first: bool) -> None:
    edited = drafts.raw(f"{WORDS} Or on Tuesday?", key=key)
    if removed_first:
        await drafts.gone(7)
        assert (await drafts.now())["revision"] == 1
    message = await drafts.arrived(edited, 8)
    if not removed_first:
        assert (await drafts.now())["revision"] == 1
        await drafts.gone(7)
    (line,) = await listed(drafts.browser)
    assert (line["id"], line["message_id"]) == (drafts.draft["id"], message)
    now = await drafts.now()
    assert (now["revision"], now["plain"], now["saved_on_server"]) == (2, True, True)
    assert "Or on Tuesday?" in now["html"]
    assert [one["email"] for one in now["to"]] == ["bob@x.example"]
    assert now["identity_id"] == drafts.draft["identity_id"]
    row = await drafts.row(now["id"])
    assert (row["message_id_header"], row["mirror_uid"], row["copies"][-1]) == (
        drafts.key,
        8,
        sha256(edited).hexdigest(),
    )
    later = await saved(drafts.browser, now, subject="Plan B")
    assert (later["revision"], (await drafts.now())["revision"]) == (3, 3)


async def test_one_edit_after_the_other_is_taken_over(drafts: Drafts) -> None:
    for uid, key in ((8, "<phone@x.example>"), (9, "<phone2@x.example>"), (10, None)):
        await drafts.arrived(drafts.raw(f"{WORDS} {uid}", key=key), uid)
        await drafts.gone(uid - 1)
        now = await drafts.now()
        assert (now["revision"], str(uid) in now["html"]) == (uid - 6, True)
    assert len(await listed(drafts.browser)) == 1


async def test_whoever_saves_over_what_was_edited_elsewhere_is_shown_it(drafts: Drafts) -> None:
    await drafts.arrived(drafts.raw(f"{WORDS} Or on Tuesday?"), 8)
    await drafts.gone(7)
    refused = await save(drafts.browser, drafts.draft, html="<p>Here</p>")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "newer_revision")
    assert "Or on Tuesday?" in refused.json()["draft"]["html"]


async def test_what_was_edited_elsewhere_is_not_sent_as_it_was(
    drafts: Drafts, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0)
    await drafts.owner.execute("UPDATE accounts SET smtp = $1", json.dumps(SMTP))
    outbox = Outbox(drafts.browser, drafts.inbox, parts)
    await drafts.arrived(drafts.raw(f"{WORDS} Or on Tuesday?"), 8)
    await drafts.gone(7)
    refused = await outbox.send(drafts.draft)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "newer_revision")
    message = await outbox.message(await outbox.sent(await drafts.now()))
    assert "Or on Tuesday?" in message.get_content()
    assert message["Message-ID"] == drafts.key


async def test_files_of_an_edited_copy_take_the_place_of_the_drafts(drafts: Drafts) -> None:
    body = (
        f"--b\r\nContent-Type: text/plain\r\n\r\n{WORDS}\r\n--b\r\nContent-Type: text/plain\r\n"
        "Content-Disposition: attachment; filename=new.txt\r\n\r\nnew\r\n--b--"
    )
    url = f"/api/drafts/{drafts.draft['id']}/attachments"
    assert (await drafts.browser.post(url, json={"filename": "old.txt", "size": 0})).status_code == 201
    begun = (await drafts.browser.post(url, json={"filename": "coming.txt", "size": 3})).json()["id"]
    await drafts.copied(drafts.draft, 8)
    head, _, _ = drafts.raw("").partition(b"\r\n\r\n")
    mixed = b"\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    await drafts.arrived(head + mixed + body.encode() + b"\r\n", 9)
    await drafts.gone(7, 8)
    now = await drafts.now()
    assert now["revision"] == 2
    assert {one["filename"]: one["complete"] for one in now["attachments"]} == {"coming.txt": False, "new.txt": True}
    await drafts.browser.patch(
        f"{url}/{begun}", params={"offset": 0}, content=b"abc", headers={"Content-Type": "application/octet-stream"}
    )
    assert len((await drafts.now())["attachments"]) == 2


async def test_a_quote_that_was_in_the_copy_is_not_put_below_again(drafts: Drafts) -> None:
    original = await drafts.inbox.arrived(mail("Plan", key="o", sender="bob@x.example", body="The plan."))
    await drafts.gone(7)
    await drafts.begin(kind="reply", message_id=original)
    await drafts.arrived(drafts.raw(f"{WORDS} Yes.\r\n\r\nbob@x.example wrote:\r\n> The plan."), 8)
    await drafts.gone(7)
    now = await drafts.now()
    assert (now["revision"], now["kind"], now["quote"], now["source_message_id"]) == (2, "reply", "none", original)
    assert now["html"].count("The plan.") == 1


async def test_where_both_were_changed_both_are_kept(drafts: Drafts) -> None:
    """The draft was written on, and copied again, before anybody saw what came of its copy elsewhere."""
    theirs = drafts.raw(f"{WORDS} Or on Tuesday?")
    here = await saved(drafts.browser, drafts.draft, html="<p>Let us meet on Friday.</p>")
    await drafts.arrived(theirs, 8, ago=61)
    await drafts.gone(7)
    assert await drafts.now() == here | {"saved_on_server": False, "thread_id": (await drafts.now())["thread_id"]}
    await drafts.copied(here, 9)
    for _ in range(2):
        first, second = sorted(await listed(drafts.browser), key=lambda one: one["id"] != here["id"])
        assert (first["id"], first["snippet"]) == (here["id"], "Let us meet on Friday.")
        assert second["snippet"].endswith("Or on Tuesday?")
    row = await drafts.row(second["id"])
    assert row["message_id_header"] != drafts.key
    assert (row["mirror_uid"], row["edition"], row["mirrored_edition"]) == (8, 1, 0)


async def test_what_is_there_beside_the_copy_for_a_moment_only_is_no_draft_of_its_own(drafts: Drafts) -> None:
    await drafts.arrived(drafts.raw(f"{WORDS} Or on Tuesday?"), 8, ago=10)
    (line,) = await listed(drafts.browser)
    assert (line["id"], (await drafts.now())["revision"]) == (drafts.draft["id"], 1)


@pytest.mark.parametrize(
    ("subject", "body"), [("Other plan", WORDS), ("Plan", "The cat has eaten the mouse."), ("", WORDS)]
)
async def test_another_draft_that_somebody_began_elsewhere_stays_one(drafts: Drafts, subject: str, body: str) -> None:
    other = await drafts.arrived(drafts.raw(body, key="<phone@x.example>", subject=subject), 8, ago=100)
    await drafts.gone(7)
    assert {(line["id"], line["message_id"]) for line in await listed(drafts.browser)} == {
        (drafts.draft["id"], None),
        (None, other),
    }
    assert (await drafts.now())["revision"] == 1


async def test_the_copy_itself_under_another_number_is_no_edit(drafts: Drafts) -> None:
    await drafts.arrived(drafts.raw("copy 7"), 8, ago=100)
    await drafts.gone(7)
    assert (await drafts.now())["revision"] == 1
    assert len(await listed(drafts.browser)) == 1


@pytest.mark.parametrize("change", ["edition = edition + 1", "mirror_uid = NULL", "mirror_uidvalidity = 2"])
async def test_while_the_copy_is_made_anew_nothing_is_taken_for_an_edit(drafts: Drafts, change: str) -> None:
    await drafts.arrived(drafts.raw(f"{WORDS} Or on Tuesday?"), 8, ago=100)
    await drafts.gone(7)
    await drafts.owner.execute(f"UPDATE drafts SET {change}")
    assert (await drafts.now())["revision"] == 1
    assert len(await listed(drafts.browser)) == 1


async def test_an_edited_copy_that_can_not_be_read_is_left_where_it_is(drafts: Drafts) -> None:
    await drafts.arrived(drafts.raw("<div>" * 10), 8)
    await drafts.gone(7)
    await drafts.owner.execute(
        "UPDATE mail.messages SET blob = repeat('0', 64) WHERE id IN (SELECT message_id FROM mail.placements WHERE uid = 8)"
    )
    assert (await drafts.now())["revision"] == 1


def stranger(draft: int, message: int, uid: int, **how: bool) -> Stranger:
    known = {"same": False, "free": True, "lasting": True} | how
    return Stranger(UUID(int=draft), UUID(int=message), uid, 1, **known)


def test_of_several_with_the_drafts_id_the_latest_is_the_edit_and_the_others_are_drafts_of_their_own() -> None:
    first, second = (stranger(1, n, n, same=True) for n in (1, 2))
    assert list(changes([first, second])) == [Change(second, next_revision=True), Change(first, next_revision=False)]
    fleeting = first._replace(lasting=False)
    assert list(changes([fleeting, second])) == [Change(second, next_revision=True)]
    assert list(changes([first._replace(free=False), second._replace(free=False)])) == [
        Change(one._replace(free=False), next_revision=False) for one in (first, second)
    ]


def test_where_two_drafts_or_two_messages_can_be_meant_nothing_is_taken_over() -> None:
    assert list(changes([stranger(1, 1, 1), stranger(2, 1, 1)])) == []
    assert list(changes([stranger(1, 1, 1), stranger(1, 2, 2)])) == []
    assert list(changes([stranger(1, 1, 1), stranger(2, 2, 2, free=False)])) == [
        Change(stranger(1, 1, 1), next_revision=True)
    ]
