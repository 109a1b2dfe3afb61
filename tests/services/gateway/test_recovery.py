"""A way back in by mail: only to an address that was shown to be one's own, and telling strangers nothing."""

from collections.abc import Callable
from typing import Any

import httpx
import psycopg
import pytest

from services.state import system_mails
from services.state.system_mails import Posted, SystemMail
from tests.services.gateway.conftest import SYNC_KEY

PASSWORD = "correct horse battery"
NEW = "another horse battery"
Browsers = Callable[..., Any]


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture(autouse=True)
def mailing(configured: Callable[..., None]) -> None:
    configured(system_mail_from="webmail@mail.test", public_url="https://webmail.test")


@pytest.fixture
def posted(database: str) -> Callable[[], list[SystemMail]]:
    """What outbound would read, as outbound does."""

    def read() -> list[SystemMail]:
        with psycopg.connect(database) as owner:
            rows = owner.execute(
                "SELECT user_id, id, sealed, attempts FROM system_mails ORDER BY created_at"
            ).fetchall()
        return [system_mails.opened(SYNC_KEY, Posted(*row)) for row in rows]

    return read


@pytest.fixture
async def anna(browser: Any) -> Any:
    await browser.sign_up("anna")
    return browser


async def wish(browser: Any, email: str = "anna@elsewhere.test", password: str = PASSWORD) -> httpx.Response:
    answer: httpx.Response = await browser.put("/api/auth/recovery", json={"password": password, "email": email})
    return answer


async def ask(browser: Any, handle: str, **how: Any) -> httpx.Response:
    answer: httpx.Response = await browser.post("/api/auth/password/reset-request", json={"handle": handle}, **how)
    return answer


def token_of(mail: SystemMail, page: str) -> str:
    address, _, token = mail.link.partition("#")
    assert address == f"https://webmail.test{page}"
    return token


async def verified(browser: Any, posted: Callable[[], list[SystemMail]], email: str = "anna@elsewhere.test") -> None:
    assert (await wish(browser, email)).status_code == 202
    answer = await browser.post("/api/auth/recovery/verify", json={"token": token_of(posted()[-1], "/verify")})
    assert answer.status_code == 204


async def test_an_address_counts_once_its_owner_opened_the_link(
    anna: Any, open_browser: Browsers, posted: Callable[[], list[SystemMail]]
) -> None:
    assert (await wish(anna)).status_code == 202
    (mail,) = posted()
    assert (mail.kind, mail.to, mail.language) == ("verify", "anna@elsewhere.test", "pl")
    assert (await anna.get("/api/auth/recovery")).json() == {"email": None}
    body = {"token": token_of(mail, "/verify")}
    assert (await open_browser().post("/api/auth/recovery/verify", json=body)).status_code == 204
    assert (await anna.get("/api/auth/recovery")).json() == {"email": "anna@elsewhere.test"}
    again = await open_browser().post("/api/auth/recovery/verify", json=body)
    assert refused(again) == (400, "link_useless")


async def test_a_link_for_a_new_password_goes_to_it_and_works_once(
    anna: Any, open_browser: Browsers, posted: Callable[[], list[SystemMail]]
) -> None:
    await verified(anna, posted)
    assert (await ask(open_browser(), "Anna")).status_code == 202
    mail = posted()[-1]
    assert (mail.kind, mail.to) == ("reset", "anna@elsewhere.test")
    body = {"token": token_of(mail, "/reset"), "new_password": NEW}
    assert (await open_browser().post("/api/auth/password/reset", json=body)).status_code == 204
    assert (await open_browser().sign_in("anna", NEW)).status_code == 200
    assert refused(await open_browser().post("/api/auth/password/reset", json=body)) == (400, "link_useless")


async def test_strangers_learn_nothing_of_who_is_here(
    anna: Any, open_browser: Browsers, posted: Callable[[], list[SystemMail]]
) -> None:
    """Nobody of that name, somebody without an address, somebody with one: one answer, and only the last gets mail."""
    await open_browser().sign_up("bob")
    await verified(anna, posted)
    before = len(posted())
    answers = [await ask(open_browser(), handle) for handle in ("nobody-here", "bob", "anna", "an\0nette")]
    assert {(answer.status_code, answer.content) for answer in answers} == {(202, answers[0].content)}
    assert [mail.to for mail in posted()[before:]] == ["anna@elsewhere.test"]


async def test_whoever_asks_does_not_choose_where_the_link_leads(
    anna: Any, open_browser: Browsers, posted: Callable[[], list[SystemMail]]
) -> None:
    await verified(anna, posted)
    other = open_browser()
    await ask(other, "anna", headers={"Host": "evil.test", "X-Forwarded-Host": "evil.test"})
    token_of(posted()[-1], "/reset")


async def test_an_unproven_address_gets_no_link_for_a_password(
    anna: Any, open_browser: Browsers, posted: Callable[[], list[SystemMail]]
) -> None:
    await wish(anna)
    await ask(open_browser(), "anna")
    assert [mail.kind for mail in posted()] == ["verify"]
    body = {"token": token_of(posted()[0], "/verify"), "new_password": NEW}
    assert refused(await open_browser().post("/api/auth/password/reset", json=body)) == (400, "link_useless")


async def test_the_address_before_stays_until_the_new_one_is_proven(
    anna: Any, posted: Callable[[], list[SystemMail]]
) -> None:
    await verified(anna, posted)
    await wish(anna, "other@elsewhere.test")
    await wish(anna, "third@elsewhere.test")
    assert (await anna.get("/api/auth/recovery")).json() == {"email": "anna@elsewhere.test"}
    second, third = posted()[-2:]
    answer = await anna.post("/api/auth/recovery/verify", json={"token": token_of(second, "/verify")})
    assert refused(answer) == (400, "link_useless")
    await anna.post("/api/auth/recovery/verify", json={"token": token_of(third, "/verify")})
    assert (await anna.get("/api/auth/recovery")).json() == {"email": "third@elsewhere.test"}


async def test_it_is_set_and_forgotten_with_the_password(
    anna: Any, open_browser: Browsers, posted: Callable[[], list[SystemMail]]
) -> None:
    assert refused(await wish(anna, password="wrong wrong wrong")) == (403, "wrong_password")
    await verified(anna, posted)
    wrong = await anna.request("DELETE", "/api/auth/recovery", json={"password": "wrong wrong wrong"})
    assert refused(wrong) == (403, "wrong_password")
    right = await anna.request("DELETE", "/api/auth/recovery", json={"password": PASSWORD})
    assert right.status_code == 204
    await ask(open_browser(), "anna")
    assert [mail.kind for mail in posted()] == ["verify"]


@pytest.mark.parametrize(
    "email",
    [
        "",
        "anna",
        "a@b@c",
        "a b@c.test",
        "a@c.test\r\nBcc: x@y.test",
        "a,b@c.test",
        "<a@c.test>",
        "a@c.test, d",
        "é" * 400,
    ],
)
async def test_what_is_no_single_address_is_refused(
    anna: Any, posted: Callable[[], list[SystemMail]], email: str
) -> None:
    assert (await wish(anna, email)).status_code == 400
    assert posted() == []


async def test_asking_is_counted_for_known_and_unknown_handles_alike(anna: Any, open_browser: Browsers) -> None:
    for handle in ("anna", "nobody-here"):
        answers = [await ask(open_browser(f"198.51.100.{n}"), handle) for n in range(6)]
        assert [answer.status_code for answer in answers] == [202] * 5 + [429]


async def test_neither_address_nor_link_can_be_read_in_the_database(
    anna: Any, posted: Callable[[], list[SystemMail]], database: str
) -> None:
    await wish(anna)
    (mail,) = posted()
    with psycopg.connect(database) as owner:
        (sealed,) = owner.execute("SELECT sealed FROM system_mails").fetchone() or ()
        (links,) = owner.execute("SELECT string_agg(l::text, '') FROM links l").fetchone() or ()
    token = token_of(mail, "/verify")
    assert mail.to.encode() not in sealed
    assert token.encode() not in sealed
    assert token not in links


async def test_without_a_mail_server_there_is_nothing_of_this(anna: Any, configured: Callable[..., None]) -> None:
    configured(system_mail_from="")
    assert (await anna.get("/api/config")).json()["recovery"] is False
    assert refused(await wish(anna)) == (404, "not_found")
    assert refused(await ask(anna, "anna")) == (404, "not_found")
