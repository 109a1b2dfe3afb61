"""One account's runner: what one mailbox does to the others."""

import asyncio
from typing import cast
from uuid import uuid4

import pytest

from contracts.facts import AccountState, SpecialUse
from contracts.provider import MailboxError, MailSource
from contracts.subjects import AccountSubjects
from services.log.connection import Connection
from services.sync import runner as module
from services.sync.cursor import Cursor
from services.sync.mailboxes import Mailboxes
from services.sync.memory import Found
from services.sync.runner import Parts, Runner
from services.sync.state import State
from tests.services.sync.fake_log import Remembering, mark


class Two:
    """Two mailboxes that are not complete."""

    def __init__(self, subjects: AccountSubjects) -> None:
        found = [Found(uuid4(), path, "/", SpecialUse.INBOX, selectable=True, lost=False) for path in ("A", "B")]
        marks = [mark(subjects, mailbox.id, floor=50, done=False) for mailbox in found]
        self.opened = [Cursor(Remembering(), subjects, box, one) for box, one in zip(found, marks, strict=True)]

    async def advance(self) -> None:
        return


class Said:
    def __init__(self) -> None:
        self.states: list[AccountState] = []

    async def say(self, state: AccountState) -> None:
        self.states.append(state)


async def test_a_mailbox_that_the_server_refuses_is_left_alone_and_the_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subjects = AccountSubjects(0, uuid4(), uuid4())
    tried: list[str] = []

    async def backfill(one: Cursor, source: object, ingest: object) -> None:
        tried.append(one.mailbox.path)
        if one.mailbox.path == "A":
            raise MailboxError("no_permission", "not yours")
        await one.append([], 1, floor_uid=1, done=True)

    async def reconcile(one: Cursor, source: object, ingest: object, outcomes: object) -> bool:
        return False

    monkeypatch.setattr(module, "backfill", backfill)
    monkeypatch.setattr(module, "reconcile", reconcile)
    parts = Parts(
        nc=cast("Connection", None),
        db=cast("module.Pool", None),
        ingest=cast("module.Ingest", None),
        connect=lambda login, known: cast("MailSource", None),
        poll_every=1,
        bulk=asyncio.Semaphore(1),
    )
    running, said, two = Runner(parts, subjects, "a test"), Said(), Two(subjects)
    task = asyncio.create_task(
        running._backfills(cast("MailSource", None), cast("Mailboxes", two), cast("State", said))
    )
    for _ in range(5):
        await asyncio.sleep(0.02)
        running._work.set()  # as every listing does
    task.cancel()
    assert tried == ["A", "B"]
    assert said.states[-1] is AccountState.LIVE
