"""What an account's page says of its sync: the proof that all is here, the jobs, and the choice of mailboxes."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from contracts.facts import DriftRepaired, MailboxMarked, SpecialUse
from projections.sql import Pool
from services.gateway.accounts import shown
from services.gateway.accounts.structs import SpecialUses
from services.gateway.deps import Gateway
from services.jobs.jobs import Jobs
from services.log.errors import Unavailable
from tests.support.given import mail as letter

Mailer = Callable[..., Awaitable[Any]]

NOW = datetime.now(UTC)


@pytest.fixture
async def anna(browser: Any) -> dict[str, Any]:
    me: dict[str, Any] = await browser.enter("anna")
    return me


async def account(browser: Any) -> dict[str, Any]:
    (only,) = (await browser.get("/api/accounts")).json()["accounts"]
    return dict(only)


async def checked(owner: Pool, mail: Any, path: str, on_server: int, *, equal: bool = True, ago: float = 0) -> None:
    """What sync's audit writes."""
    await owner.execute(
        "INSERT INTO sync_checks (account_id, mailbox_id, user_id, held, on_server, equal, checked_at) "
        "VALUES ($1, $2, $3, $4, $4, $5, $6) ON CONFLICT (account_id, mailbox_id) DO UPDATE SET held = excluded.held, "
        "on_server = excluded.on_server, equal = excluded.equal, checked_at = excluded.checked_at",
        mail.account.account_id,
        mail.account.id_of(path),
        mail.account.user_id,
        on_server,
        equal,
        NOW - timedelta(seconds=ago),
    )


async def test_what_was_never_compared_has_no_proof(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    await mail_of(anna)
    assert (await account(browser))["proof"] is None


async def test_all_that_the_server_has_is_here(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    mail = await mail_of(anna)
    await mail.told(mail.account.mailbox("Archive"))
    for n in range(3):
        await mail.arrived(letter(key=f"a{n}"))
    await mail.arrived(letter(key="b"), "Archive")
    await checked(owner, mail, "INBOX", 3, ago=10)
    await checked(owner, mail, "Archive", 1, ago=60)
    proof = (await account(browser))["proof"]
    assert (proof["held"], proof["on_server"], proof["equal"]) == (4, 4, True)
    assert datetime.fromisoformat(proof["checked_at"]) == NOW - timedelta(seconds=60)


async def test_a_read_model_that_lacks_a_message_is_no_proof(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    """Whatever the log says: it is the server against what is shown."""
    mail = await mail_of(anna)
    await mail.arrived(letter(key="a"))
    await checked(owner, mail, "INBOX", 2)
    proof = (await account(browser))["proof"]
    assert (proof["held"], proof["on_server"], proof["equal"]) == (1, 2, False)


@pytest.mark.parametrize("equal", [True, False])
async def test_what_was_told_after_the_comparison_is_not_counted_unless_they_differed(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool, equal: bool
) -> None:
    mail = await mail_of(anna)
    for n in range(2):
        await mail.arrived(letter(key=f"a{n}"))
    numbers = dict.fromkeys(("uidvalidity", "high_uid", "backfill_from", "floor_uid", "synced", "total"), 2)
    inbox = mail.account.id_of("INBOX")
    mark = mail.account.fact(MailboxMarked, mailbox_id=inbox, generation=1, epoch=1, batch="b", done=True, **numbers)
    await mail.told(mark)
    await checked(owner, mail, "INBOX", 1, ago=(NOW - mark.at).total_seconds() + 1, equal=equal)
    proof = (await account(browser))["proof"]
    assert (proof["held"], proof["on_server"], proof["equal"]) == (1 if equal else 2, 1, equal)


async def test_a_difference_that_sync_found_is_no_proof_though_the_numbers_agree(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    mail = await mail_of(anna)
    await mail.arrived(letter(key="a"))
    await checked(owner, mail, "INBOX", 1, equal=False)
    assert (await account(browser))["proof"]["equal"] is False


async def test_a_proof_says_what_comparisons_have_made_right(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    mail = await mail_of(anna)
    await checked(owner, mail, "INBOX", 0)
    proof = (await account(browser))["proof"]
    assert (proof["repaired"], proof["repaired_at"]) == (0, None)
    inbox = mail.account.id_of("INBOX")
    await mail.told(mail.account.fact(DriftRepaired, mailbox_id=inbox, generation=1, missing=2, surplus=1, flags=4))
    proof = (await account(browser))["proof"]
    assert proof["repaired"] == 7
    assert proof["repaired_at"] is not None


async def test_placements_are_counted_once_for_each_comparison(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    mail = await mail_of(anna)
    await mail.arrived(letter(key="a"))
    await checked(owner, mail, "INBOX", 1, ago=60)
    assert (await account(browser))["proof"]["held"] == 1
    await mail.arrived(letter(key="b"))
    assert (await account(browser))["proof"]["held"] == 1
    await checked(owner, mail, "INBOX", 2, ago=0)
    proof = (await account(browser))["proof"]
    assert (proof["held"], proof["equal"]) == (2, True)


async def test_nobody_sees_anothers_proof(
    browser: Any, open_browser: Callable[..., Any], anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    mail = await mail_of(anna)
    await checked(owner, mail, "INBOX", 0)
    other = open_browser("192.0.2.7")
    ben = await other.enter("ben")
    await mail_of(ben)
    assert (await account(other))["proof"] is None
    assert (await account(browser))["proof"] is not None


async def test_an_account_shows_its_job(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    mail = await mail_of(anna)
    assert (await account(browser))["jobs"] == []
    (job,) = (await browser.post("/api/sync", json={})).json()["jobs"]
    assert (await account(browser))["jobs"] == [job]
    assert job["account_id"] == str(mail.account.account_id)


async def test_accounts_are_shown_while_the_log_is_away(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await mail_of(anna)

    async def away(*_: object) -> None:
        raise Unavailable("no answer")

    monkeypatch.setattr(Jobs, "currents", away)
    assert (await account(browser))["jobs"] is None


async def test_accounts_do_not_wait_for_a_log_that_is_slow(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    await mail_of(anna)
    monkeypatch.setattr(shown, "JOBS_WITHIN", 0)
    assert (await account(browser))["jobs"] is None


# -- the choice of mailboxes


async def tree(mail: Any, *paths: str) -> list[str]:
    """Gives their ids."""
    for path in paths:
        await mail.told(mail.account.mailbox(path))
    return [str(mail.account.id_of(path)) for path in paths]


async def choose(browser: Any, mail: Any, **uses: str | None) -> httpx.Response:
    answer: httpx.Response = await browser.patch(f"/api/accounts/{mail.account.account_id}/special-uses", json=uses)
    return answer


async def test_a_user_says_which_mailbox_is_for_what(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    mail = await mail_of(anna)
    sent, bin_ = await tree(mail, "Wysłane", "Kosz")
    answer = await choose(browser, mail, sent=sent, trash=bin_)
    assert answer.status_code == 200, answer.text
    assert answer.json()["special_uses"] == {"sent": sent, "trash": bin_}
    answer = await choose(browser, mail, sent=None)
    assert answer.json()["special_uses"] == {"trash": bin_}
    assert answer.json() == await account(browser)


async def test_the_choice_is_kept_where_sync_reads_it(
    browser: Any, anna: dict[str, Any], mail_of: Mailer, owner: Pool
) -> None:
    mail = await mail_of(anna)
    (sent,) = await tree(mail, "Wysłane")
    await choose(browser, mail, sent=sent)
    kept = await owner.fetchval("SELECT special_uses FROM accounts WHERE id = $1", mail.account.account_id)
    assert json.loads(kept) == {"sent": sent}


async def test_only_a_mailbox_of_this_account_that_can_hold_mail_is_chosen(
    browser: Any, anna: dict[str, Any], mail_of: Mailer
) -> None:
    mail, another = await mail_of(anna), await mail_of(anna, "b@example.org")
    (elsewhere,) = await tree(another, "Sent")
    await mail.told(mail.account.found("Folders", selectable=False))
    for odd in (str(mail.account.id_of("Folders")), str(mail.account.id_of("INBOX")), elsewhere, str(uuid4())):
        answer = await choose(browser, mail, sent=odd)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_choice")


async def test_one_mailbox_is_for_one_thing(browser: Any, anna: dict[str, Any], mail_of: Mailer) -> None:
    mail = await mail_of(anna)
    (one,) = await tree(mail, "One")
    assert (await choose(browser, mail, sent=one, trash=one)).status_code == 400
    assert (await choose(browser, mail, sent=one)).status_code == 200
    assert (await choose(browser, mail, trash=one)).status_code == 400
    assert (await choose(browser, mail, trash=one, sent=None)).json()["special_uses"] == {"trash": one}


@pytest.mark.parametrize("body", [{"inbox": str(UUID(int=1))}, {"all": None}, {"sent": "Sent"}, {"sent": 1}])
async def test_what_is_no_choice_is_refused(browser: Any, anna: dict[str, Any], mail_of: Mailer, body: Any) -> None:
    mail = await mail_of(anna)
    answer = await browser.patch(f"/api/accounts/{mail.account.account_id}/special-uses", json=body)
    assert answer.status_code == 400


async def test_nobody_chooses_for_another(
    browser: Any, open_browser: Callable[..., Any], anna: dict[str, Any], mail_of: Mailer
) -> None:
    mail = await mail_of(anna)
    (one,) = await tree(mail, "One")
    other = open_browser("192.0.2.7")
    await other.enter("ben")
    assert (await choose(other, mail, sent=one)).status_code == 404
    assert (await account(browser))["special_uses"] == {}


def test_every_use_but_the_inbox_and_all_mail_may_be_chosen() -> None:
    assert {*SpecialUses.__struct_fields__} == {use.value for use in SpecialUse} - {"inbox", "all"}
