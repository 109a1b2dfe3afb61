"""Acting on everything: what a job asks the log for, once and in its time, and how far it says that it is."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from contracts import subjects
from contracts.facts import (
    Applied,
    DeleteRequested,
    Fact,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
    SpecialUse,
)
from projections.sql import Pool
from services import positions
from services.gateway.actions import requests as asking
from services.gateway.bulk import controller, snapshot, working
from services.gateway.deps import Gateway
from services.log import api
from services.log.api import Stored
from services.log.reader import PartitionLog
from services.state import bulk
from tests.support.given import mail

Asked = FlagsRequested | MoveRequested | DeleteRequested

EVERYTHING = 10**9


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is appended here is folded when a test says so, so waiting for it is in vain."""
    monkeypatch.setattr(positions, "PATIENCE", 0)
    monkeypatch.setattr(asking, "MOST", 2)


class Anna:
    """Five conversations in her inbox, of which four are about a walrus."""

    def __init__(self, browser: Any, inbox: Any, parts: Gateway) -> None:
        self.browser, self.inbox, self.account, self.parts = browser, inbox, inbox.account, parts
        self._log = PartitionLog(parts.log, 0, only=subjects.requests(0, self.account.user_id))
        self._folded = 0

    async def begin(self) -> None:
        named = {"Archive": SpecialUse.ARCHIVE, "Trash": SpecialUse.TRASH}
        await self.inbox.told(*(self.account.mailbox(path, use) for path, use in named.items()))
        for n in range(5):
            await self.inbox.arrived(mail(f"{'Walrus' if n else 'Note'} {n}", key=str(n)), days=n)
        await self.know()

    async def know(self, upto: int = EVERYTHING) -> None:
        """The read models say that they have folded so much."""
        await self.inbox.owner.execute("UPDATE control.positions SET sequence = $1", upto)

    async def told(self, *facts: Fact) -> None:
        await self.know(self.inbox.position)
        await self.inbox.told(*facts)
        await self.know()

    async def asked(self) -> Sequence[Asked]:
        facts = [fact for _, fact in await self._log.read(0, 1000)]
        assert all(isinstance(fact, Asked) for fact in facts)
        return facts  # type: ignore[return-value]  # as was just seen

    async def fold(self) -> None:
        """What was asked for is in the read models."""
        facts = await self.asked()
        await self.told(*facts[self._folded :])
        self._folded = len(facts)

    async def answer(self, fact: Asked, *, code: str = "", moved: int = 2) -> None:
        """The mail server has done it, to so many, or has refused."""
        if code:
            await self.told(self.account.fact(RequestRefused, request_id=fact.request_id, code=code))
            return
        assert isinstance(fact, MoveRequested)
        place = {"mailbox_id": fact.source, "generation": 1, "moved_to": fact.target}
        results = [Applied(message_id=one, uid=0, **place) for one in fact.message_ids[:moved]]  # type: ignore[arg-type]
        await self.told(self.account.fact(RequestApplied, request_id=fact.request_id, results=results))

    async def act(self, *, key: str | None = None, **wish: Any) -> Any:
        given = {"action": "archive", "view": "unified", **wish}
        headers = {"Idempotency-Key": key} if key else {}
        return await self.browser.post("/api/actions/everything", json=given, headers=headers)

    async def job(self, **wish: Any) -> UUID:
        answer = await self.act(**wish)
        assert answer.status_code == 202, answer.text
        return UUID(answer.json()["id"])

    async def shown(self, job: UUID) -> Any:
        return (await self.browser.get(f"/api/actions/jobs/{job}")).json()

    async def counts(self, job: UUID) -> tuple[int, int, int]:
        found = await self.shown(job)
        return found["asked"], found["done"], found["refused"]

    async def step(self, job: UUID) -> bool:
        return await working.step(self.parts, self.account.user_id, job)

    async def run(self, job: UUID, *, code: str = "") -> None:
        """To its end, with a mail server that answers the same each time."""
        answered = 0
        while not (await self.shown(job))["settled"]:
            await self.step(job)
            await self.fold()
            for fact in (await self.asked())[answered:]:
                await self.answer(fact, code=code)
                answered += 1


@pytest.fixture
async def anna(browser: Any, mail_of: Callable[..., Awaitable[Any]], parts: Gateway) -> Anna:
    inbox = await mail_of(await browser.enter("anna"))
    acting = Anna(browser, inbox, parts)
    await acting.begin()
    return acting


async def test_all_of_a_list_is_asked_for_in_pieces_of_which_few_wait(anna: Anna) -> None:
    job = await anna.job()
    assert (await anna.shown(job))["total"] == 5
    for _ in range(4):
        await anna.step(job)
        await anna.fold()
    assert [len(one.message_ids) for one in await anna.asked()] == [2, 2]
    assert await anna.counts(job) == (4, 0, 0)
    await anna.answer((await anna.asked())[0])
    await anna.step(job)
    assert [len(one.message_ids) for one in await anna.asked()] == [2, 2, 1]
    assert await anna.counts(job) == (5, 2, 0)
    moved = [message for one in await anna.asked() for message in one.message_ids]
    assert len(set(moved)) == len(moved) == 5


async def test_it_is_done_when_the_last_piece_has_its_outcome(anna: Anna) -> None:
    job = await anna.job()
    await anna.run(job)
    found = await anna.shown(job)
    assert (found["state"], found["settled"], found["done"], found["undoable"]) == ("done", True, 5, True)
    assert not await anna.step(job)


async def test_what_a_search_finds_is_meant_and_nothing_else(anna: Anna) -> None:
    job = await anna.job(action="flags", view="search", q="walrus", add=["\\Flagged"])
    assert (await anna.shown(job))["total"] == 4
    nothing = await anna.shown(await anna.job(action="trash", view="search", q="elephant"))
    assert (nothing["total"], nothing["state"], nothing["undoable"]) == (0, "done", False)


async def test_what_is_in_the_log_is_not_asked_for_again_though_nobody_noted_it(
    anna: Anna, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await anna.job()

    async def lost(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(bulk, "asked", lost)
        with pytest.raises(ConnectionError):
            await anna.step(job)
    assert len(await anna.asked()) == 1
    await anna.know(0)
    assert not await anna.step(job)
    assert len(await anna.asked()) == 1
    await anna.fold()
    await anna.step(job)
    first, second = await anna.asked()
    assert not set(first.message_ids) & set(second.message_ids)


async def test_what_had_begun_and_is_not_in_the_log_is_asked_for_by_whoever_comes_next(
    anna: Anna, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await anna.job()

    async def died(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(working, "_ask", died)
        with pytest.raises(ConnectionError):
            await anna.step(job)
    assert await anna.asked() == []
    await anna.browser.post(f"/api/actions/jobs/{job}/cancel")
    assert not (await anna.shown(job))["settled"]
    await anna.run(job)
    assert len(await anna.asked()) == 1
    found = await anna.shown(job)
    assert (found["state"], found["done"], found["asked"], found["total"]) == ("cancelled", 2, 2, 5)


async def test_between_looking_and_asking_nobody_may_have_asked_for_anything(
    anna: Anna, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await anna.job()
    await anna.browser.post(
        "/api/actions", json={"action": "flags", "message_ids": [await message(anna)], "add": ["a"]}
    )
    with monkeypatch.context() as patch:

        async def before(*_: object) -> Stored | None:
            return None

        patch.setattr(api, "last", before)
        await anna.step(job)
    assert [type(one) for one in await anna.asked()] == [FlagsRequested]
    await anna.step(job)
    assert [type(one) for one in await anna.asked()] == [FlagsRequested, MoveRequested]


async def test_many_at_once_ask_for_each_piece_once(anna: Anna) -> None:
    job = await anna.job()
    for _ in range(4):
        await asyncio.gather(*(anna.step(job) for _ in range(5)))
        await anna.fold()
    assert [len(one.message_ids) for one in await anna.asked()] == [2, 2]
    assert len({one.request_id for one in await anna.asked()}) == 2


async def message(anna: Anna) -> str:
    page = (await anna.browser.get("/api/threads")).json()
    thread = (await anna.browser.get(f"/api/threads/{page['threads'][0]['id']}")).json()
    return str(thread["messages"][0]["id"])


async def test_a_refusal_ends_what_that_account_is_asked_for(anna: Anna) -> None:
    job = await anna.job()
    await anna.run(job, code="over_quota")
    found = await anna.shown(job)
    assert (found["state"], found["code"], found["reason"]) == ("failed", "over_quota", "The mailbox is full.")
    assert (found["asked"], found["done"], found["refused"], found["undoable"]) == (2, 0, 5, False)


async def test_mail_that_was_gone_meanwhile_ends_nothing(anna: Anna) -> None:
    job = await anna.job()
    await anna.step(job)
    await anna.fold()
    await anna.answer((await anna.asked())[0], code="gone")
    await anna.step(job)
    await anna.fold()
    await anna.answer((await anna.asked())[1], moved=1)
    await anna.step(job)
    assert await anna.counts(job) == (5, 1, 3)


async def test_what_nobody_could_do_in_time_says_so(anna: Anna) -> None:
    job = await anna.job(action="archive")
    await anna.step(job)
    await anna.fold()
    (fact,) = await anna.asked()
    await anna.told(anna.account.fact(RequestExpired, request_id=fact.request_id))
    await anna.step(job)
    found = await anna.shown(job)
    assert (found["code"], found["reason"]) == ("expired", "The server could not be reached in time.")


async def test_a_removed_account_is_waited_for_by_no_job(anna: Anna, owner: Pool) -> None:
    job = await anna.job()
    await anna.step(job)
    await owner.execute("UPDATE accounts SET status = 'removed'")
    await anna.step(job)
    found = await anna.shown(job)
    assert (found["settled"], found["code"], found["refused"]) == (True, "account_removed", 5)


async def test_a_job_is_taken_back_whole_and_once_at_a_time(anna: Anna) -> None:
    job = await anna.job()
    early = await anna.browser.post(f"/api/actions/jobs/{job}/undo")
    assert (early.status_code, early.json()["error"]["code"]) == (409, "not_undoable")
    await anna.run(job)
    asked = await anna.asked()
    first, second = [(await anna.browser.post(f"/api/actions/jobs/{job}/undo")).json() for _ in range(2)]
    assert first == second
    assert (first["action"], first["undoes"], first["total"]) == ("undo", str(job), 5)
    await anna.run(UUID(first["id"]))
    back = (await anna.asked())[len(asked) :]
    assert {one.by for one in back} == {f"undo:{one.request_id}" for one in asked}
    assert {(one.source, one.target) for one in back if isinstance(one, MoveRequested)} == {
        (anna.account.id_of("Archive"), anna.account.id_of("INBOX"))
    }
    again = await anna.browser.post(f"/api/actions/jobs/{job}/undo")
    assert (again.status_code, again.json()["error"]["message"]) == (409, "It was taken back already.")


async def test_a_key_makes_a_repetition_the_same_job(anna: Anna) -> None:
    first, second = [(await anna.act(key="one")).json()["id"] for _ in range(2)]
    assert first == second
    other = await anna.act(key="one", action="trash")
    assert (other.status_code, other.json()["error"]["code"]) == (409, "key_reused")


async def test_a_user_has_a_few_jobs_at_a_time(anna: Anna) -> None:
    jobs = [await anna.job(action="flags", add=[f"n{n}"]) for n in range(controller.MOST_OPEN)]
    refused = await anna.act()
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many_jobs")
    await anna.browser.post(f"/api/actions/jobs/{jobs[0]}/cancel")
    await anna.step(jobs[0])
    assert (await anna.act()).status_code == 202


async def test_more_than_a_job_may_hold_is_refused(anna: Anna, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST", 4)
    refused = await anna.act()
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many")
    assert (await anna.act(view="search", q="walrus")).status_code == 202


@pytest.mark.parametrize(
    ("wish", "status", "code"),
    [
        ({"action": "delete"}, 409, "not_confirmed"),
        ({"action": "junk"}, 409, "no_mailbox_for"),
        ({"action": "move"}, 400, "invalid_request"),
        ({"action": "burn"}, 400, "invalid_request"),
        ({"view": "nonsense"}, 400, "unknown_view"),
        ({"action": "flags"}, 400, "invalid_flags"),
    ],
)
async def test_what_can_not_be_done_to_everything_is_refused(
    anna: Anna, wish: dict[str, Any], status: int, code: str
) -> None:
    answer = await anna.act(**wish)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert (await anna.browser.get("/api/actions/jobs")).json() == {"jobs": []}


async def test_from_a_list_only_what_stands_in_it_is_deleted_for_ever(anna: Anna) -> None:
    reply = anna.account.arrived(mail("Re: Walrus 1", key="r", answers="1"), "Trash")
    await anna.told(reply)
    job = await anna.job(action="delete", view="special:trash", confirmed=True)
    await anna.step(job)
    (fact,) = await anna.asked()
    assert isinstance(fact, DeleteRequested)
    assert (fact.mailbox_id, fact.message_ids) == (anna.account.id_of("Trash"), [reply.message_id])


async def test_others_see_nothing_of_a_job(anna: Anna, open_browser: Callable[..., Any]) -> None:
    job = await anna.job()
    ben = open_browser()
    await ben.enter("ben")
    for method, path in (("GET", ""), ("POST", "/cancel"), ("POST", "/undo")):
        answer = await ben.request(method, f"/api/actions/jobs/{job}{path}")
        assert answer.status_code == 404
    assert (await ben.get("/api/actions/jobs")).json() == {"jobs": []}
    assert (await anna.shown(job))["state"] == "running"


async def test_a_job_is_seen_to_by_one_until_its_lease_ends(anna: Anna, owner: Pool) -> None:
    job = await anna.job()
    db, mine = anna.parts.db, [(anna.account.user_id, job)]
    lease = timedelta(seconds=30)
    assert await bulk.claim(db, "one", lease, 8) == mine
    assert await bulk.claim(db, "two", lease, 8) == []
    assert await bulk.claim(db, "one", lease, 8) == mine
    await owner.execute("UPDATE bulk_jobs SET lease_until = now() - interval '1 second'")
    assert await bulk.claim(db, "two", lease, 8) == mine
    await anna.run(job)
    assert await bulk.claim(db, "two", lease, 8) == []


async def test_what_fails_for_one_job_keeps_no_other_from_going_on(anna: Anna, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = await anna.job(), await anna.job(action="flags", add=["x"])
    step = working.step

    async def failing(parts: Gateway, user_id: UUID, job_id: UUID) -> bool:
        if job_id == bad:
            raise ConnectionError
        return await step(parts, user_id, job_id)

    monkeypatch.setattr(working, "step", failing)
    seeing = asyncio.create_task(working.keep_working(anna.parts))
    async with asyncio.timeout(10):
        while not await anna.asked():
            await asyncio.sleep(0.02)
    seeing.cancel()
    assert [type(one) for one in await anna.asked()][:1] == [FlagsRequested]
    assert (await anna.shown(good))["state"] == "running"
