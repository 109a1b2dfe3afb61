"""Copies of drafts that another mail program deletes: the draft is deleted here too, but only when nothing else can be meant."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from contracts.codec import decode_event
from contracts.events import DraftSaved
from contracts.facts import (
    AccountState,
    AccountStateChanged,
    GenerationOpened,
    MailboxFound,
    MailboxMarked,
    MoveRequested,
    SendFailed,
    SendQueued,
    SpecialUse,
)
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.gateway.deps import Gateway
from services.gateway.drafts import ending
from services.log.append import append
from tests.services.gateway.conftest import Browser, Mail
from tests.services.gateway.test_drafts import listed, saved
from tests.services.gateway.test_drafts_edited_elsewhere import WORDS, Drafts
from tests.support.given import START

Change = Callable[["Elsewhere"], Awaitable[object]]


class Elsewhere(Drafts):
    """Whose account is synced, with a mailbox for Trash and another one; what sync says last is in the log, too."""

    def __init__(self, browser: Browser, inbox: Mail, owner: Pool, parts: Gateway) -> None:
        super().__init__(browser, inbox, owner)
        self.parts = parts
        self.user = inbox.account.user_id

    async def synced(self, **other: Any) -> int:
        """As the log has it: Drafts is whole, up to the copy's number."""
        mailbox = self.inbox.account.id_of("Drafts")
        known = {"generation": 1, "uidvalidity": 1, "high_uid": 7, "done": True, "backfill_from": 1, "floor_uid": 1}
        rest = {"mailbox_id": mailbox, "epoch": 1, "batch": "", "synced": 1, "total": 1}
        mark = self.inbox.account.fact(MailboxMarked, **(known | rest | other))
        place = AccountSubjects(self.parts.partition(self.user), self.user, self.inbox.account.account_id)
        return await append(self.parts.log, place.mark(mailbox), mark)

    async def folded(self, sequence: int) -> None:
        """The read model is that far; nothing can be told to it from here on."""
        await self.owner.execute("UPDATE control.positions SET sequence = $1 WHERE schema = 'mail'", sequence)

    async def judge(self) -> None:
        """What was missed so far."""
        for user_id, absent in self.parts.missed.due(0):
            await ending.end(self.parts, user_id, absent)

    async def state(self, state: AccountState) -> None:
        await self.inbox.told(self.inbox.account.fact(AccountStateChanged, epoch=1, state=state))

    async def update(self, change: str) -> None:
        await self.owner.execute(f"UPDATE drafts SET {change} WHERE id = $1", UUID(self.draft["id"]))

    async def is_there(self) -> bool:
        return (await self.browser.get(f"/api/drafts/{self.draft['id']}")).status_code == 200


@pytest.fixture
async def elsewhere(
    browser: Browser, mail_of: Callable[..., Awaitable[Mail]], owner: Pool, parts: Gateway
) -> Elsewhere:
    inbox = await mail_of(await browser.enter("anna"))
    for path, use in (("Drafts", SpecialUse.DRAFTS), ("Trash", SpecialUse.TRASH), ("Later", None)):
        await inbox.told(inbox.account.mailbox(path, use))
    made = Elsewhere(browser, inbox, owner, parts)
    await made.state(AccountState.LIVE)
    await made.begin()
    return made


@pytest.mark.parametrize("trash", [True, False])
async def test_a_draft_whose_copy_was_deleted_is_deleted_and_its_end_is_told(
    elsewhere: Elsewhere, *, trash: bool
) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    await elsewhere.gone(7)
    if trash:
        await elsewhere.inbox.arrived(elsewhere.raw("copy 7"), "Trash")
    (line,) = await listed(elsewhere.browser)
    assert line["id"] == elsewhere.draft["id"]
    await elsewhere.folded(await elsewhere.synced())
    subscription = await elsewhere.parts.log.subscribe(f"event.{elsewhere.user}.draft.saved", cb=heard.put)
    await elsewhere.judge()
    message = await asyncio.wait_for(heard.get(), 5)
    await subscription.unsubscribe()
    expected = DraftSaved(user_id=elsewhere.user, draft_id=UUID(elsewhere.draft["id"]), revision=1)
    assert decode_event(message.data) == expected
    assert not await elsewhere.is_there()
    assert await listed(elsewhere.browser) == []
    assert await elsewhere.row(elsewhere.draft["id"]) is None


async def again(one: Elsewhere, uid: int, *, server_id: UUID) -> None:
    """Its last copy, on a server that names messages itself (RFC 8474 §5.1)."""
    raw = one.raw(f"copy {uid}")
    await one.update(f"mirror_uid = {uid}, copies = array_append(copies, '{sha256(raw).hexdigest()}')")
    await one.inbox.arrived(raw, "Drafts", uid=uid, message_id=server_id)
    await one.gone(uid)


@pytest.mark.parametrize("moved", [True, False])
async def test_a_copy_is_known_by_its_bytes_where_the_server_names_messages(
    elsewhere: Elsewhere, *, moved: bool
) -> None:
    await elsewhere.gone(7)
    await again(elsewhere, 8, server_id=uuid4())
    if moved:
        await elsewhere.inbox.arrived(elsewhere.raw("copy 8"), "Later", message_id=uuid4())
    await listed(elsewhere.browser)
    await elsewhere.folded(await elsewhere.synced(high_uid=8))
    await elsewhere.judge()
    assert await elsewhere.is_there() == moved


async def written(one: Elsewhere) -> None:
    await saved(one.browser, one.draft, html="<p>Newer words</p>")


async def moved(one: Elsewhere) -> None:
    await one.inbox.arrived(one.raw("copy 7"), "Later")


async def numbered_anew(one: Elsewhere) -> None:
    anew = {"generation": 2, "uidvalidity": 2, "uidnext": 3, "messages": 1}
    await one.inbox.told(one.inbox.account.fact(GenerationOpened, mailbox_id=one.inbox.account.id_of("Drafts"), **anew))


async def another_use(one: Elsewhere) -> None:
    known = {"mailbox_id": one.inbox.account.id_of("Drafts"), "path": "Drafts", "delimiter": "/"}
    await one.inbox.told(one.inbox.account.fact(MailboxFound, **known))


async def moving_back(one: Elsewhere) -> None:
    await one.inbox.arrived(raw := one.raw("copy 7"), "Trash")
    source, target = (one.inbox.account.id_of(path) for path in ("Trash", "Drafts"))
    wish = {"request_id": uuid4(), "message_ids": [one.inbox.account.message(raw)], "source": source, "target": target}
    await one.inbox.told(one.inbox.account.fact(MoveRequested, **wish))


async def file_on_its_way(one: Elsewhere) -> None:
    url = f"/api/drafts/{one.draft['id']}/attachments"
    assert (await one.browser.post(url, json={"filename": "a.txt", "size": 3})).status_code == 201


async def could_not_be_sent(one: Elsewhere) -> None:
    outbox = uuid4()
    await one.update(f"outbox_id = '{outbox}'")
    queued = {"outbox_id": outbox, "draft_id": UUID(one.draft["id"]), "due": START, "revision": 1}
    await one.inbox.told(one.inbox.account.fact(SendQueued, **queued))
    await one.inbox.told(one.inbox.account.fact(SendFailed, outbox_id=outbox, code="rejected"))


async def earlier_copy(one: Elsewhere) -> None:
    raw = one.raw("copy 6")
    await one.update(f"copies = array_prepend('{sha256(raw).hexdigest()}', copies)")
    await one.arrived(raw, 6)


UNTOUCHED: dict[str, Change] = {
    "something was written here since": written,
    "it was moved to another mailbox": moved,
    "it is being moved back": moving_back,
    "the mailbox is numbered anew": numbered_anew,
    "the mailbox was numbered anew": lambda one: one.update("mirror_uidvalidity = 2"),
    "the mailbox is for drafts no more": another_use,
    "the account is not wholly synced": lambda one: one.state(AccountState.BACKFILLING),
    "a file is on its way": file_on_its_way,
    "it is being sent": lambda one: one.update(f"outbox_id = '{uuid4()}'"),
    "it could not be sent": could_not_be_sent,
    "a copy is made anew": lambda one: one.update("mirror_uid = 8"),
    "there is no copy": lambda one: one.update("mirror_mailbox_id = NULL, mirror_uid = NULL"),
    "the copy has other bytes": lambda one: one.update("copies = array_append(copies, repeat('0', 64))"),
    "another program put something in its place": lambda one: one.arrived(one.raw(f"{WORDS} Or later?"), 8),
    "something with its subject came": lambda one: one.arrived(one.raw("Mice.", key="<phone@x.example>"), 8),
    "an earlier copy is there": earlier_copy,
    "the same copy is there again": lambda one: one.arrived(one.raw("copy 7"), 8),
}


@pytest.mark.parametrize("change", UNTOUCHED.values(), ids=UNTOUCHED.keys())
async def test_a_draft_stays_when_its_copy_is_gone_but(elsewhere: Elsewhere, change: Change) -> None:
    await elsewhere.gone(7)
    await listed(elsewhere.browser)
    await change(elsewhere)
    await listed(elsewhere.browser)
    await elsewhere.folded(await elsewhere.synced())
    await elsewhere.judge()
    assert await elsewhere.row(elsewhere.draft["id"]) is not None


@pytest.mark.parametrize(
    "mark", [{"high_uid": 6}, {"generation": 2}, {"uidvalidity": 2}, {"done": False}], ids=lambda mark: next(iter(mark))
)
async def test_a_copy_that_sync_has_not_looked_past_is_not_taken_for_deleted(
    elsewhere: Elsewhere, mark: dict[str, Any]
) -> None:
    await elsewhere.gone(7)
    await listed(elsewhere.browser)
    await elsewhere.folded(await elsewhere.synced(**mark))
    await elsewhere.judge()
    assert await elsewhere.is_there()


async def test_a_copy_that_the_read_model_does_not_know_yet_is_not_taken_for_deleted(elsewhere: Elsewhere) -> None:
    await elsewhere.gone(7)
    await listed(elsewhere.browser)
    await elsewhere.folded(await elsewhere.synced() - 1)
    await elsewhere.judge()
    assert await elsewhere.is_there()


async def test_a_copy_that_nobody_has_said_anything_of_is_not_taken_for_deleted(elsewhere: Elsewhere) -> None:
    await elsewhere.gone(7)
    await listed(elsewhere.browser)
    await elsewhere.judge()
    assert await elsewhere.is_there()


async def test_a_draft_continued_from_elsewhere_in_which_nobody_wrote_is_deleted_too(elsewhere: Elsewhere) -> None:
    raw = elsewhere.raw("On the phone.", key="<phone@x.example>", subject="Other")
    message = await elsewhere.arrived(raw, 8)
    answer = await elsewhere.browser.post("/api/drafts", json={"kind": "new", "message_id": message})
    elsewhere.draft = answer.json()
    await elsewhere.gone(8)
    assert len(await listed(elsewhere.browser)) == 2
    await elsewhere.folded(await elsewhere.synced(high_uid=8))
    await elsewhere.judge()
    assert not await elsewhere.is_there()
    assert len(await listed(elsewhere.browser)) == 1


async def test_a_copy_that_was_never_seen_is_not_taken_for_what_the_draft_was_continued_from(
    elsewhere: Elsewhere,
) -> None:
    raw = elsewhere.raw("On the phone.", key="<phone@x.example>", subject="Other")
    message = await elsewhere.arrived(raw, 8)
    answer = await elsewhere.browser.post("/api/drafts", json={"kind": "new", "message_id": message})
    elsewhere.draft = await saved(elsewhere.browser, answer.json(), html="<p>Here</p>")
    await elsewhere.update("mirrored_edition = edition, mirror_uid = 9, copies = array_append(copies, repeat('0', 64))")
    await elsewhere.gone(8)
    await listed(elsewhere.browser)
    await elsewhere.folded(await elsewhere.synced(high_uid=9))
    await elsewhere.judge()
    assert await elsewhere.is_there()


async def test_what_is_missed_is_judged_only_after_a_look_at_every_mailbox(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    await elsewhere.gone(7)
    await listed(elsewhere.browser)
    began = datetime.now(UTC)
    await elsewhere.folded(await elsewhere.synced())
    monkeypatch.setattr(ending, "LOOK", 0.5)
    monkeypatch.setattr(ending, "EVERY", 0.01)
    settings = msgspec.structs.replace(elsewhere.parts.settings, poll_warm=1)
    keeping = asyncio.create_task(ending.keep_ending(dataclasses.replace(elsewhere.parts, settings=settings)))
    async with asyncio.timeout(10):
        while await elsewhere.is_there():
            await asyncio.sleep(0.01)
    keeping.cancel()
    assert (datetime.now(UTC) - began).total_seconds() > 1
