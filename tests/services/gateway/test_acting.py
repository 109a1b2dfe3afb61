"""Acting over HTTP: what the log is asked, once for each key, and what is answered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts import subjects
from contracts.facts import (
    Applied,
    DeleteRequested,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestRefused,
    SpecialUse,
)
from projections.sql import Pool
from services import positions
from services.gateway.actions import requests as asking
from services.gateway.history import controller, undo
from services.log.connection import Connection
from services.log.reader import PartitionLog
from tests.support.given import mail

Asked = FlagsRequested | MoveRequested | DeleteRequested


@pytest.fixture(autouse=True)
def nobody_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is appended here is folded by nobody, so waiting for it is in vain."""
    monkeypatch.setattr(positions, "PATIENCE", 0)


class Acting:
    """Anna, with three mails of one conversation in her inbox and one in her Archive."""

    def __init__(self, browser: Any, inbox: Any, log: Connection) -> None:
        self.browser, self.inbox, self.account = browser, inbox, inbox.account
        self._log = log
        self.messages: list[str] = []
        self.thread = ""

    async def begin(self) -> None:
        await self.inbox.told(
            self.account.mailbox("Archive", SpecialUse.ARCHIVE), self.account.mailbox("Trash", SpecialUse.TRASH)
        )
        for n in range(3):
            answers = f"{n - 1}" if n else ""
            self.messages.append(await self.inbox.arrived(mail("Plan", key=str(n), answers=answers)))
        self.thread = (await self.browser.get(f"/api/messages/{self.messages[0]}")).json()["thread_id"]

    def id_of(self, path: str) -> str:
        return str(self.account.id_of(path))

    async def asked(self) -> list[Asked]:
        """All requests of the user, from the log."""
        log = PartitionLog(self._log, 0, only=subjects.requests(0, self.account.user_id))
        facts = [fact for _, fact in await log.read(0, 1000)]
        assert all(isinstance(fact, Asked) for fact in facts)
        return facts  # type: ignore[return-value]  # as was just seen

    async def act(self, **wish: Any) -> Any:
        return await self.browser.post("/api/actions", json=wish)


@pytest.fixture
async def anna(browser: Any, mail_of: Callable[..., Awaitable[Any]], log: Connection) -> Acting:
    inbox = await mail_of(await browser.enter("anna"))
    acting = Acting(browser, inbox, log)
    await acting.begin()
    return acting


async def unfold(owner: Pool) -> None:
    """As if the projector had not come to anything yet."""
    await owner.execute("UPDATE control.positions SET sequence = 0")


async def test_a_message_is_flagged_by_a_request(anna: Acting, owner: Pool) -> None:
    await unfold(owner)
    answer = await anna.browser.post(f"/api/messages/{anna.messages[0]}/flags", json={"add": ["\\Seen", "$Later"]})
    assert answer.status_code == 202
    (fact,) = await anna.asked()
    assert isinstance(fact, FlagsRequested)
    assert (fact.add, fact.remove, fact.by) == (["$Later", "\\Seen"], [], "user")
    assert [str(one) for one in fact.message_ids] == anna.messages[:1]
    (request,) = answer.json()["requests"]
    assert request == {"id": str(fact.request_id), "account_id": str(anna.account.account_id), "messages": 1}
    assert answer.json()["position"] > 0


async def test_a_conversation_is_flagged_whole_and_a_message_moved(anna: Acting) -> None:
    await anna.browser.post(f"/api/threads/{anna.thread}/flags", json={"add": ["\\Flagged"]})
    await anna.browser.post(f"/api/messages/{anna.messages[1]}/move", json={"mailbox_id": anna.id_of("Archive")})
    flagged, moved = await anna.asked()
    assert {str(one) for one in flagged.message_ids} == set(anna.messages)
    assert isinstance(moved, MoveRequested)
    assert (str(moved.source), str(moved.target)) == (anna.id_of("INBOX"), anna.id_of("Archive"))


async def test_what_is_so_already_is_not_asked_for(anna: Acting) -> None:
    answer = await anna.browser.post(f"/api/threads/{anna.thread}/flags", json={"remove": ["\\Seen"]})
    assert (answer.status_code, answer.json()["requests"]) == (200, [])
    assert await anna.asked() == []


async def test_what_was_asked_for_a_moment_ago_and_is_not_folded_is_not_taken_for_undone(
    anna: Acting, owner: Pool
) -> None:
    await unfold(owner)
    path = f"/api/messages/{anna.messages[0]}/flags"
    await anna.browser.post(path, json={"add": ["\\Seen"]})
    await anna.browser.post(path, json={"remove": ["\\Seen"]})
    assert [(one.add, one.remove) for one in await anna.asked() if isinstance(one, FlagsRequested)] == [
        (["\\Seen"], []),
        ([], ["\\Seen"]),
    ]


async def test_a_key_makes_a_repetition_the_same_requests(anna: Acting) -> None:
    wish = {"action": "trash", "thread_ids": [anna.thread]}
    answers = [
        (await anna.browser.post("/api/actions", json=wish, headers={"Idempotency-Key": key})).json()
        for key in ("one", "one", "two")
    ]
    assert answers[0] == answers[1]
    assert answers[0]["requests"] != answers[2]["requests"]
    assert len(await anna.asked()) == 2
    other = await anna.browser.post(
        "/api/actions", json={**wish, "action": "archive"}, headers={"Idempotency-Key": "one"}
    )
    assert (other.status_code, other.json()["error"]["code"]) == (409, "key_reused")


async def test_an_answer_that_was_lost_before_the_log_had_all_is_asked_for_again(
    anna: Acting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: object) -> None:
        raise ConnectionError

    wish = {"action": "trash", "thread_ids": [anna.thread]}
    with monkeypatch.context() as patch:
        patch.setattr(asking.actions, "settle", lost)
        first = await anna.browser.post("/api/actions", json=wish, headers={"Idempotency-Key": "one"})
        assert first.status_code == 503
    second = await anna.browser.post("/api/actions", json=wish, headers={"Idempotency-Key": "one"})
    (fact,) = await anna.asked()
    assert [one["id"] for one in second.json()["requests"]] == [str(fact.request_id)]


async def test_where_there_is_no_mailbox_for_it_the_answer_says_what_could_be(anna: Acting) -> None:
    await anna.inbox.told(anna.account.mailbox("Lists"))
    answer = await anna.act(action="junk", message_ids=anna.messages[:1])
    assert answer.status_code == 409
    assert answer.json() == {
        "error": {
            "code": "no_mailbox_for",
            "message": "This account has no mailbox for junk. Choose one, or create one.",
        },
        "use": "junk",
        "account_id": str(anna.account.account_id),
        "candidates": [{"id": anna.id_of("Lists"), "path": "Lists"}],
    }
    assert await anna.asked() == []


@pytest.mark.parametrize(
    ("wish", "status", "code"),
    [
        ({"action": "flags", "message_ids": [str(uuid4())], "add": ["\\Seen"]}, 404, "not_found"),
        ({"action": "trash", "thread_ids": [str(uuid4())]}, 404, "not_found"),
        ({"action": "trash"}, 404, "not_found"),
        ({"action": "burn"}, 400, "invalid_request"),
        ({"action": "trash", "message_ids": [str(uuid4())] * 501}, 400, "invalid_request"),
        ({"action": "trash", "view": "nonsense"}, 400, "unknown_view"),
    ],
)
async def test_what_can_not_be_meant_is_refused(anna: Acting, wish: dict[str, Any], status: int, code: str) -> None:
    answer = await anna.act(**wish)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert await anna.asked() == []


async def test_a_move_without_a_target_and_a_deletion_from_the_inbox_are_refused(anna: Acting) -> None:
    move = await anna.act(action="move", message_ids=anna.messages)
    assert (move.status_code, move.json()["error"]["code"]) == (400, "invalid_request")
    delete = await anna.act(action="delete", message_ids=anna.messages)
    assert (delete.status_code, delete.json()["error"]["code"]) == (409, "not_in_trash")
    await anna.act(action="delete", message_ids=anna.messages, confirmed=True)
    (fact,) = await anna.asked()
    assert isinstance(fact, DeleteRequested)


async def test_more_than_a_fact_may_hold_are_several(anna: Acting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST", 2)
    answer = await anna.act(action="flags", thread_ids=[anna.thread], add=["\\Seen"])
    assert [one["messages"] for one in answer.json()["requests"]] == [2, 1]


# -- taking back


async def settled(anna: Acting, *, state: str = "applied", **wish: Any) -> Asked:
    """A request that is folded, and its outcome."""
    fact = wish.pop("fact")(
        user_id=anna.account.user_id, account_id=anna.account.account_id, at=anna.account.connected().at,
        request_id=uuid4(), message_ids=[UUID(one) for one in anna.messages], **wish,
    )  # fmt: skip
    await anna.inbox.told(fact)
    if state == "applied":
        results = [
            {"message_id": one, "mailbox_id": anna.account.id_of("INBOX"), "generation": 1, "uid": uid,
             "moved_to": getattr(fact, "target", None)}
            for uid, one in enumerate(fact.message_ids, 1)
        ]  # fmt: skip
        await anna.inbox.told(
            anna.account.fact(RequestApplied, request_id=fact.request_id, results=[Applied(**one) for one in results])
        )
    elif state == "refused":
        await anna.inbox.told(anna.account.fact(RequestRefused, request_id=fact.request_id, code="over_quota"))
    return fact  # type: ignore[no-any-return]


async def take_back(anna: Acting, fact: Asked) -> Any:
    return await anna.browser.post(f"/api/history/{fact.request_id}/undo", json={})


@pytest.mark.parametrize("state", ["pending", "applied"])
async def test_flags_are_taken_back_exactly(anna: Acting, state: str) -> None:
    fact = await settled(anna, state=state, fact=FlagsRequested, add=["\\Seen"], remove=["$Later"])
    assert (await take_back(anna, fact)).status_code in {200, 202}
    (back,) = await anna.asked()
    assert isinstance(back, FlagsRequested)
    assert (back.add, back.remove, back.by) == (["$Later"], ["\\Seen"], f"undo:{fact.request_id}")
    assert set(back.message_ids) == set(fact.message_ids)


async def test_taken_back_twice_at_once_is_taken_back_once(anna: Acting) -> None:
    fact = await settled(anna, fact=FlagsRequested, add=["\\Seen"])
    first, second = [(await take_back(anna, fact)).json() for _ in range(2)]
    assert first["requests"] == second["requests"]
    assert len(await anna.asked()) == 1


@pytest.mark.parametrize("state", ["pending", "applied"])
async def test_a_move_is_taken_back_to_where_each_came_from(anna: Acting, state: str) -> None:
    fact = await settled(
        anna, state=state, fact=MoveRequested, source=anna.account.id_of("INBOX"), target=anna.account.id_of("Archive")
    )
    await take_back(anna, fact)
    (back,) = await anna.asked()
    assert isinstance(back, MoveRequested)
    assert (str(back.source), str(back.target)) == (anna.id_of("Archive"), anna.id_of("INBOX"))


@pytest.mark.parametrize(
    ("wish", "state", "why"),
    [
        ({"fact": DeleteRequested, "mailbox": "mailbox_id"}, "applied", undo.FINAL),
        ({"fact": FlagsRequested, "add": ["\\Seen"]}, "refused", undo.NOT_DONE),
        ({"fact": MoveRequested, "mailbox": "target", "source": None}, "pending", undo.TOO_SOON),
        ({"fact": MoveRequested, "mailbox": "target"}, "moved on", undo.MOVED_ON),
    ],
)
async def test_what_can_not_be_taken_back_says_why(anna: Acting, wish: dict[str, Any], state: str, why: str) -> None:
    place = wish.pop("mailbox", None)
    if place == "target":
        wish = {"source": anna.account.id_of("INBOX"), **wish, "target": anna.account.id_of("Archive")}
    elif place:
        wish = {**wish, place: anna.account.id_of("INBOX")}
    fact = await settled(anna, state="applied" if state == "moved on" else state, **wish)
    if state == "moved on":
        further = {"source": anna.account.id_of("Archive"), "target": anna.account.id_of("Trash")}
        await settled(anna, state="pending", fact=MoveRequested, **further)
    answer = await take_back(anna, fact)
    assert (answer.status_code, answer.json()["error"]) == (409, {"code": "not_undoable", "message": why})
    entry = (await anna.browser.get(f"/api/history/{fact.request_id}")).json()
    assert entry["why_not"] == ("" if state == "moved on" else why)
    assert await anna.asked() == []


async def test_what_was_just_asked_for_is_in_the_history_as_soon_as_it_is_folded(
    anna: Acting, owner: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await unfold(owner)
    wish = {"add": ["\\Seen"]}
    position = (await anna.browser.post(f"/api/messages/{anna.messages[0]}/flags", json=wish)).json()["position"]
    (fact,) = await anna.asked()
    path = f"/api/history/{fact.request_id}"
    monkeypatch.setattr(controller, "UNTOLD", 0)
    early = await anna.browser.get(path)
    assert (early.status_code, early.json()["error"]["code"]) == (503, "unavailable")
    monkeypatch.setattr(controller, "UNTOLD", 20)
    waiting = asyncio.create_task(anna.browser.get(path))
    await anna.inbox.told(fact)
    await owner.execute("UPDATE control.positions SET sequence = $1", position)
    assert (await waiting).json()["state"] == "pending"
    assert (await anna.browser.get(f"/api/history/{uuid4()}")).status_code == 404


async def test_a_refused_request_says_why_and_pages_have_cursors(anna: Acting) -> None:
    await settled(anna, state="refused", fact=FlagsRequested, add=["\\Seen"])
    await settled(anna, fact=FlagsRequested, add=["\\Flagged"])
    first = (await anna.browser.get("/api/history?limit=1")).json()
    rest = (await anna.browser.get(f"/api/history?limit=1&cursor={first['next_cursor']}")).json()
    assert [first["entries"][0]["state"], rest["entries"][0]["state"]] == ["applied", "refused"]
    assert rest["entries"][0]["reason"] == "The mailbox is full."
    assert rest["next_cursor"] is None
    bad = await anna.browser.get("/api/history?cursor=x")
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, "bad_cursor")
