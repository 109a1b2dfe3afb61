"""Who mail is from: every account has a default identity and may have more, and one user's are nobody else's."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from services.gateway.deps import Gateway, as_user
from services.state import identities


@pytest.fixture
async def account(browser: Any, mail_of: Callable[..., Awaitable[Any]]) -> str:
    """Of Anna, who is signed in."""
    mail = await mail_of(await browser.enter("anna"))
    return str(mail.account.account_id)


async def add(browser: Any, account: str, **wish: Any) -> dict[str, Any]:
    body = {"email": "sales@example.org", "name": "Anna of Sales", **wish}
    answer = await browser.post(f"/api/accounts/{account}/identities", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def listed(browser: Any, account: str) -> list[dict[str, Any]]:
    answer = await browser.get(f"/api/accounts/{account}/identities")
    found: list[dict[str, Any]] = answer.json()["identities"]
    return found


async def test_every_account_has_a_default_identity_from_its_beginning(browser: Any, account: str) -> None:
    (only,) = await listed(browser, account)
    assert (only["email"], only["is_default"], only["account_id"]) == ("anna@example.org", True, account)
    (shown,) = (await browser.get("/api/accounts")).json()["accounts"]
    assert shown["identities"] == [only]


async def test_an_account_has_several_and_one_is_chosen_as_the_default(browser: Any, account: str) -> None:
    made = await add(browser, account, reply_to="desk@example.org")
    answer = await browser.patch(f"/api/identities/{made['id']}", json={"is_default": True})
    assert answer.json() == {**made, "is_default": True}
    first, second = await listed(browser, account)
    assert (first["id"], first["is_default"], second["is_default"]) == (made["id"], True, False)


async def test_what_is_left_out_of_a_change_stays(browser: Any, account: str) -> None:
    made = await add(browser, account, signature="<p>Anna</p>", reply_to="desk@example.org")
    answer = await browser.patch(f"/api/identities/{made['id']}", json={"name": "Sales", "reply_to": ""})
    assert answer.json() == {**made, "name": "Sales", "reply_to": ""}


async def test_a_signature_is_cleaned_and_keeps_its_images(browser: Any, account: str) -> None:
    html = '<p onclick="x()">Anna</p><script>steal()</script><img src="https://example.org/logo.png">'
    made = await add(browser, account, signature=html)
    assert made["signature"] == '<p>Anna</p><img src="https://example.org/logo.png">'


async def test_the_default_one_stays_and_others_go(browser: Any, account: str) -> None:
    made = await add(browser, account)
    default = (await listed(browser, account))[0]
    refused = await browser.delete(f"/api/identities/{default['id']}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "default_identity")
    assert (await browser.delete(f"/api/identities/{made['id']}")).status_code == 204
    assert await listed(browser, account) == [default]


@pytest.mark.parametrize(
    "email", ["", "anna", "anna@", "a b@example.org", "a@example.org\r\nBcc: b@example.org", "<a@b>"]
)
async def test_what_is_no_address_is_refused_by_name(browser: Any, account: str, email: str) -> None:
    answer = await browser.post(f"/api/accounts/{account}/identities", json={"email": email, "name": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_address")
    assert answer.json()["error"]["message"].startswith("email:")


async def test_a_name_stays_in_its_line(browser: Any, account: str) -> None:
    made = await add(browser, account, name="Anna\r\nBcc: all@example.org\0")
    assert made["name"] == "Anna Bcc: all@example.org"


async def test_an_account_has_only_so_many(browser: Any, account: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identities, "MOST", 2)
    await add(browser, account)
    answer = await browser.post(f"/api/accounts/{account}/identities", json={"email": "c@example.org", "name": ""})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_identities")


async def test_another_user_neither_sees_nor_changes_them(
    browser: Any, account: str, open_browser: Callable[..., Any], parts: Gateway
) -> None:
    identity = (await listed(browser, account))[0]["id"]
    bob = open_browser()
    me = await bob.enter("bob")
    assert (await bob.get(f"/api/accounts/{account}/identities")).status_code == 404
    assert (await bob.patch(f"/api/identities/{identity}", json={"name": "Bob"})).status_code == 404
    assert (await bob.delete(f"/api/identities/{identity}")).status_code == 404
    async with as_user(parts.db, UUID(me["user_id"])) as db:
        assert await db.fetch("SELECT * FROM identities") == []


async def test_an_identity_can_be_made_for_an_own_account_only(
    browser: Any, account: str, open_browser: Callable[..., Any], parts: Gateway
) -> None:
    me = await open_browser().enter("bob")
    async with as_user(parts.db, UUID(me["user_id"])) as db:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await db.execute(
                "INSERT INTO identities (user_id, account_id, email, name) SELECT id, $1, 'b@example.org', '' FROM users "
                "WHERE handle = 'anna@mail.test'",
                UUID(account),
            )
