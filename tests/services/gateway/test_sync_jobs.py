"""Sync on demand over HTTP: only enqueued, by owner only, and with a reason for whatever is not."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from contracts.facts import AccountState, AccountStateChanged
from services.gateway.sync import controller
from services.jobs import cooldowns
from services.jobs.job import Authority, Limits
from services.jobs.jobs import Jobs
from services.log.connection import Connection

Mailer = Callable[..., Awaitable[Any]]

AUTHORITY = Authority(authorization_epoch=1, credential_version=1)


@pytest.fixture
async def anna(browser: Any) -> dict[str, Any]:
    me: dict[str, Any] = await browser.enter("anna")
    return me


@pytest.fixture
def worker(log: Connection) -> Jobs:
    """What a sync worker has."""
    return Jobs(log, Limits(retry=60))


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def reasons(answer: httpx.Response) -> dict[str, str]:
    return {skip["account_id"]: skip["reason"] for skip in answer.json()["skipped"]}


async def account_of(mail_of: Mailer, me: dict[str, Any], email: str = "anna@example.org") -> str:
    return str((await mail_of(me, email)).account.account_id)


async def started(browser: Any, account: str) -> dict[str, Any]:
    answer = await browser.post("/api/sync", json={"accounts": [account]})
    assert answer.status_code == 202, answer.text
    (job,) = answer.json()["jobs"]
    return dict(job)


async def status(browser: Any, job: str | None = None) -> list[dict[str, Any]]:
    answer = await browser.get("/api/sync/status", params={"job": job} if job else {})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["jobs"])


async def test_a_sync_is_only_enqueued(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    account = await account_of(mail_of, anna)
    job = await started(browser, account)
    assert (job["account_id"], job["kind"], job["state"]) == (account, "resync", "queued")
    assert await status(browser, job["id"]) == [job]
    assert await status(browser) == [job]


async def test_without_names_all_accounts_are_synced(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    accounts = {await account_of(mail_of, anna, f"a{n}@example.org") for n in range(3)}
    answer = await browser.post("/api/sync", json={})
    assert answer.status_code == 202
    assert {job["account_id"] for job in answer.json()["jobs"]} == accounts
    assert answer.json()["skipped"] == []


async def test_accounts_that_get_no_job_say_why_beside_those_that_do(
    browser: Any, anna: dict[str, Any], mail_of: Mailer
) -> None:
    first, second = [await account_of(mail_of, anna, f"a{n}@example.org") for n in range(2)]
    await started(browser, first)
    nobody = str(uuid4())
    answer = await browser.post("/api/sync", json={"accounts": [first, second, second, nobody]})
    assert answer.status_code == 202
    assert [job["account_id"] for job in answer.json()["jobs"]] == [second]
    assert reasons(answer) == {first: "already_queued", nobody: "not_owner"}
    assert all(skip["detail"] for skip in answer.json()["skipped"])


async def test_when_all_are_skipped_nothing_was_accepted(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    account = await account_of(mail_of, anna)
    await started(browser, account)
    answer = await browser.post("/api/sync", json={"accounts": [account]})
    assert error(answer) == (409, "nothing_enqueued")
    assert reasons(answer) == {account: "already_queued"}
    assert answer.json()["error"]["message"]


async def test_who_has_no_account_is_told_so(browser: Any, anna: dict[str, Any]) -> None:
    assert error(await browser.post("/api/sync", json={})) == (409, "no_accounts")


async def test_an_account_that_needs_its_owner_is_not_synced(
    browser: Any, anna: dict[str, Any], mail_of: Mailer
) -> None:
    mail = await mail_of(anna)
    await mail.told(
        mail.account.fact(AccountStateChanged, epoch=1, state=AccountState.RECONNECT_REQUIRED, code="auth_failed")
    )
    answer = await browser.post("/api/sync", json={})
    assert reasons(answer) == {str(mail.account.account_id): "reconnect_required"}


async def test_a_host_that_asked_for_peace_is_left_alone(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, log: Connection
) -> None:
    account = await account_of(mail_of, anna)
    group = cooldowns.group("imap.example.org")
    await cooldowns.cool(log, group, datetime.now(UTC) + timedelta(minutes=1))
    assert reasons(await browser.post("/api/sync", json={})) == {account: "cooling_down"}
    await cooldowns.cool(log, group, datetime.now(UTC))
    assert (await browser.post("/api/sync", json={})).status_code == 202


async def test_no_user_has_more_jobs_than_there_may_be(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    accounts = [await account_of(mail_of, anna, f"a{n}@example.org") for n in range(9)]
    answer = await browser.post("/api/sync", json={"accounts": accounts})
    assert len(answer.json()["jobs"]) == 8
    assert reasons(answer) == {accounts[8]: "too_many_jobs"}


async def test_a_job_is_its_owners_alone(
    browser: Any, open_browser: Callable[..., Any], anna: dict[str, Any], mail_of: Mailer
) -> None:
    """What another has looks like what nobody has, byte for byte."""
    account = await account_of(mail_of, anna)
    job = await started(browser, account)
    other = open_browser("192.0.2.7")
    await other.enter("ben")
    assert await status(other) == []
    seen = [await other.get("/api/sync/status", params={"job": one}) for one in (job["id"], str(uuid4()))]
    ended = [await other.post("/api/sync/cancel", json={"job": one}) for one in (job["id"], str(uuid4()))]
    for theirs, none in (seen, ended):
        assert (theirs.status_code, theirs.content) == (none.status_code, none.content) == (404, none.content)
    answer = await other.post("/api/sync", json={"accounts": [account]})
    assert error(answer) == (409, "nothing_enqueued")
    assert reasons(answer) == {account: "not_owner"}
    assert await status(browser, job["id"]) == [job]


async def test_a_job_is_cancelled_once_and_another_may_follow(
    browser: Any, anna: dict[str, Any], mail_of: Mailer
) -> None:
    account = await account_of(mail_of, anna)
    job = await started(browser, account)
    answer = await browser.post("/api/sync/cancel", json={"job": job["id"]})
    assert answer.status_code == 200
    cancelled = answer.json()
    assert (cancelled["state"], cancelled["code"]) == ("cancelled", "cancelled")
    assert (await browser.post("/api/sync/cancel", json={"job": job["id"]})).json() == cancelled
    second = await started(browser, account)
    assert [one["state"] for one in await status(browser)] == ["queued", "cancelled"]
    assert await status(browser, job["id"]) == [cancelled]
    assert second["id"] != job["id"]


async def test_what_became_of_a_job_is_shown_with_what_it_means(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, worker: Jobs
) -> None:
    account = await account_of(mail_of, anna)
    job = await started(browser, account)
    queued = await worker.find(UUID(anna["user_id"]), UUID(job["id"]))
    assert queued is not None
    held = await worker.claim(queued, "w", AUTHORITY)
    assert held is not None
    (running,) = await status(browser, job["id"])
    assert (running["state"], running["attempt"]) == ("running", 1)
    await held.progress(2, 400)
    await held.fail("unavailable", "[UNAVAILABLE] Backup in progress")
    (waiting,) = await status(browser, job["id"])
    assert (waiting["state"], waiting["code"], waiting["chunks"], waiting["messages"]) == (
        "queued",
        "unavailable",
        2,
        400,
    )
    assert waiting["detail"].endswith("The server said: [UNAVAILABLE] Backup in progress")
    assert waiting["due_at"] > running["due_at"]


async def test_what_has_ended_is_not_cancelled(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, worker: Jobs
) -> None:
    job = await started(browser, await account_of(mail_of, anna))
    queued = await worker.find(UUID(anna["user_id"]), UUID(job["id"]))
    assert queued is not None
    held = await worker.claim(queued, "w", AUTHORITY)
    assert held is not None
    await held.done()
    assert error(await browser.post("/api/sync/cancel", json={"job": job["id"]})) == (409, "already_ended")
    assert [one["state"] for one in await status(browser)] == ["done"]


@pytest.mark.parametrize("odd", ["*", ">", "a.b", f"{UUID(int=1)}.*", "", "*.*", f"{UUID(int=1)}x"])
async def test_only_an_id_is_an_id(browser: Any, anna: dict[str, Any], mail_of: Mailer, odd: str) -> None:
    await started(browser, await account_of(mail_of, anna))
    assert (await browser.post("/api/sync", json={"accounts": [odd]})).status_code == 400
    assert (await browser.post("/api/sync/cancel", json={"job": odd})).status_code == 400
    if odd:
        assert (await browser.get("/api/sync/status", params={"job": odd})).status_code == 400


@pytest.mark.parametrize("body", [{"kind": "bootstrap"}, {"kind": "backfill"}, {"user_id": str(uuid4())}, []])
async def test_nothing_but_what_a_user_may_ask_for_is_taken(browser: Any, anna: dict[str, Any], body: object) -> None:
    assert (await browser.post("/api/sync", json=body)).status_code == 400


async def test_nobody_asks_without_end(browser: Any, anna: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller, "TRIES", 2)
    for _ in range(2):
        await browser.post("/api/sync", json={})
    assert error(await browser.post("/api/sync", json={})) == (429, "too_many_attempts")


async def test_sync_needs_somebody_signed_in(browser: Any) -> None:
    assert (await browser.post("/api/sync", json={})).status_code == 401
    assert (await browser.get("/api/sync/status")).status_code == 401
    assert (await browser.post("/api/sync/cancel", json={"job": str(uuid4())})).status_code == 401
