"""Under labels a mail that is thrown away loses them all, and gets them all back."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from contracts import subjects
from contracts.facts import Applied, MoveRequested, RequestApplied, SpecialUse
from services import positions
from services.log.connection import Connection
from services.log.reader import PartitionLog
from tests.support.given import mail


@pytest.mark.parametrize(
    ("labels", "steps"),
    [
        (["INBOX", "Work"], [("Trash", "All"), ("All", "INBOX"), ("All", "Work")]),
        (["Work"], [("Trash", "Work")]),
        ([], [("Trash", "All")]),
    ],
)
async def test_what_is_taken_out_of_the_trash_has_its_labels_again(
    browser: Any,
    mail_of: Callable[..., Awaitable[Any]],
    log: Connection,
    monkeypatch: pytest.MonkeyPatch,
    *,
    labels: list[str],
    steps: list[tuple[str, str]],
) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0)
    inbox = await mail_of(await browser.enter("anna"))
    account = inbox.account
    await inbox.told(
        account.mailbox("All", SpecialUse.ALL), account.mailbox("Trash", SpecialUse.TRASH), account.mailbox("Work")
    )
    raw = mail("Plan", key="1")
    message = account.message(raw)
    for path in ["All", *labels]:
        await inbox.arrived(raw, path)
    trash = account.id_of("Trash")
    move = account.fact(MoveRequested, request_id=uuid4(), message_ids=[message], source=None, target=trash)
    results = [
        Applied(message_id=message, mailbox_id=account.id_of(path), generation=1, uid=1, moved_to=trash)
        for path in ["All", *labels]
    ]
    await inbox.told(move, account.fact(RequestApplied, request_id=move.request_id, results=results))
    answer = await browser.post(f"/api/history/{move.request_id}/undo", json={})
    assert answer.status_code in {200, 202}, answer.text
    back = [
        fact
        for _, fact in await PartitionLog(log, 0, only=subjects.requests(0, account.user_id)).read(0, 100)
        if isinstance(fact, MoveRequested)
    ]
    assert [(one.source, one.target) for one in back] == [
        (account.id_of(source), account.id_of(target)) for source, target in steps
    ]
    assert {one.by for one in back} == {f"undo:{move.request_id}"}
