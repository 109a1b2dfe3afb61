"""Before an account is added: its servers are looked for and tried by sync, and the gateway bounds and passes on."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from nats.aio.msg import Msg
from nats.errors import NoRespondersError

from contracts.streams import Role
from services import vault
from services.gateway.accounts import finding
from services.gateway.deps import Gateway
from services.log.connection import connect
from services.mail.budget import HostBudget
from services.mail.discovery.outside import outside
from services.sync import discover
from services.sync.trial import Trier
from tests.support.dovecot import FULL, Dovecot, User

SYNC_KEY = bytes(range(32))
SECRET = "s3cret of anna"
IMAP = {"host": "IMAP.example.org", "port": 993, "tls": "ssl", "username": "anna", "password": SECRET}
SMTP = {"host": "smtp.example.org", "port": 587, "tls": "starttls", "username": "anna", "password": "another"}
FOUND = {
    "candidates": [
        {
            "source": "srv",
            "origin": "example.org",
            "imap": {"host": "imap.example.org", "port": 993, "tls": "ssl", "username": "anna@example.org"},
            "smtp": None,
            "auth": ["password"],
            "help": None,
            "foreign": True,
        }
    ],
    "steps": [{"method": "preset", "status": "nothing", "detail": "not known", "ms": 0}],
}


class Sync:
    """Answers as the sync worker does, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: bytes = b""

    async def take(self, message: Msg) -> None:
        self.asked.append(json.loads(message.data))
        await message.respond(self.answer)


@pytest.fixture
async def sync(parts: Gateway) -> AsyncIterator[Sync]:
    fake = Sync()
    subscriptions = [await parts.log.subscribe(one, cb=fake.take) for one in (finding.DISCOVER, finding.TEST)]
    yield fake
    for subscription in subscriptions:
        await subscription.unsubscribe()


@pytest.fixture
async def anna(browser: Any) -> dict[str, Any]:
    me: dict[str, Any] = await browser.enter("anna")
    return me


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_what_was_found_is_told_as_sync_told_it(browser: Any, anna: dict[str, Any], sync: Sync) -> None:
    sync.answer = json.dumps(FOUND).encode()
    answer = await browser.post("/api/accounts/discover", json={"email": "anna@example.org"})
    assert (answer.status_code, answer.json()) == (200, FOUND)
    assert sync.asked == [{"email": "anna@example.org"}]


@pytest.mark.parametrize("email", ["", "anna", "anna@", "an na@example.org", "a@" + "x" * 300])
async def test_what_is_no_address_is_looked_for_nowhere(
    browser: Any, anna: dict[str, Any], sync: Sync, email: str
) -> None:
    assert error(await browser.post("/api/accounts/discover", json={"email": email})) == (400, "invalid_account")
    assert sync.asked == []


async def test_ten_addresses_a_minute_are_looked_for(
    browser: Any, anna: dict[str, Any], sync: Sync, open_browser: Callable[..., Any]
) -> None:
    sync.answer = json.dumps({"candidates": [], "steps": []}).encode()
    body = {"email": "anna@example.org"}
    answers = await asyncio.gather(*(browser.post("/api/accounts/discover", json=body) for _ in range(15)))
    assert sorted(answer.status_code for answer in answers) == [200] * 10 + [429] * 5
    refused = await browser.post("/api/accounts/discover", json=body)
    assert 0 < int(refused.headers["retry-after"]) <= 60
    other = open_browser()
    await other.enter("ben")
    assert (await other.post("/api/accounts/discover", json=body)).status_code == 200


async def test_each_check_comes_with_what_to_do_and_the_servers_words(
    browser: Any, anna: dict[str, Any], sync: Sync
) -> None:
    failed = {"name": "imap_login", "ms": 212, "code": "app_password_needed", "detail": "[ALERT] Not this one"}
    sync.answer = json.dumps({"checks": [{"name": "imap_connect", "ms": 84}, failed]}).encode()
    answer = await browser.post("/api/accounts/test", json={"imap": IMAP, "smtp": SMTP})
    first, second = answer.json()["checks"]
    assert first == {"name": "imap_connect", "ms": 84, "code": None, "message": "", "detail": ""}
    assert (second["ms"], second["code"], second["detail"]) == (212, "app_password_needed", "[ALERT] Not this one")
    assert second["message"].startswith("The provider wants a password made for mail programs")


async def test_only_sync_can_open_the_passwords_that_are_tried(browser: Any, anna: dict[str, Any], sync: Sync) -> None:
    sync.answer = b'{"checks": [{"name": "imap_connect", "ms": 1}]}'
    await browser.post("/api/accounts/test", json={"imap": IMAP, "smtp": SMTP})
    (asked,) = sync.asked
    opened = vault.Credentials.decoded(vault.unseal(SYNC_KEY, base64.b64decode(asked.pop("sealed"))))
    assert (opened.imap_password, opened.smtp_password) == (SECRET, "another")
    assert SECRET not in json.dumps(asked)
    assert (asked["imap"]["host"], asked["smtp"]["port"]) == ("imap.example.org", 587)


@pytest.mark.parametrize("change", [{"host": "x/y"}, {"port": 0}, {"tls": "none"}, {"password": ""}])
async def test_settings_that_can_not_work_are_not_tried(
    browser: Any, anna: dict[str, Any], sync: Sync, change: dict[str, Any]
) -> None:
    answer = await browser.post("/api/accounts/test", json={"imap": {**IMAP, **change}, "smtp": None})
    assert error(answer) == (400, "invalid_account")
    assert sync.asked == []


@pytest.mark.parametrize("answer", [b"", b"{", b'{"checks": []}', b'{"checks": [{"name": "other", "ms": 1}]}'])
async def test_an_answer_that_makes_no_sense_counts_as_none(
    browser: Any, anna: dict[str, Any], sync: Sync, answer: bytes
) -> None:
    sync.answer = answer
    tried = await browser.post("/api/accounts/test", json={"imap": IMAP, "smtp": None})
    assert error(tried) == (503, "sync_unavailable")
    if b"checks" not in answer:
        found = await browser.post("/api/accounts/discover", json={"email": "anna@example.org"})
        assert error(found) == (503, "sync_unavailable")


async def test_without_sync_one_is_told_so(browser: Any, anna: dict[str, Any]) -> None:
    found = await browser.post("/api/accounts/discover", json={"email": "anna@example.org"})
    assert error(found) == (503, "sync_unavailable")


async def test_trying_counts_as_adding_does(
    browser: Any, anna: dict[str, Any], sync: Sync, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "TRIES", 2)
    sync.answer = b'{"checks": [{"name": "imap_connect", "ms": 1}]}'
    body = {"imap": IMAP, "smtp": None}
    assert [(await browser.post("/api/accounts/test", json=body)).status_code for _ in range(3)] == [200, 200, 429]


async def test_nobody_looks_or_tries_without_signing_in(browser: Any, sync: Sync) -> None:
    for path, body in (("discover", {"email": "a@b.example"}), ("test", {"imap": IMAP, "smtp": None})):
        assert (await browser.post(f"/api/accounts/{path}", json=body)).status_code == 401
    assert sync.asked == []


async def test_no_address_or_password_is_in_a_log_line(
    browser: Any, anna: dict[str, Any], sync: Sync, capfd: pytest.CaptureFixture[str]
) -> None:
    sync.answer = b"{"
    await browser.post("/api/accounts/discover", json={"email": "anna@example.org"})
    await browser.post("/api/accounts/test", json={"imap": IMAP, "smtp": {**SMTP, "port": "x"}})
    out, err = capfd.readouterr()
    assert SECRET not in out + err
    assert "anna@example.org" not in out + err


@pytest.fixture
async def real_sync(parts: Gateway, gateway_nats: Any) -> AsyncIterator[None]:
    """Sync's own answers, over the bus; only loopback is within reach."""
    nc = await connect(gateway_nats.url, Role.SYNC)
    world = outside(["127.0.0.0/8"])
    answering = [
        asyncio.create_task(discover.run(nc, world)),
        asyncio.create_task(Trier(world, HostBudget(4)).run(nc, SYNC_KEY)),
    ]
    while not all([await _answers(parts, subject) for subject in (finding.DISCOVER, finding.TEST)]):
        await asyncio.sleep(0.02)
    yield
    for task in answering:
        task.cancel()
    await asyncio.gather(*answering, return_exceptions=True)
    await nc.close()


async def _answers(parts: Gateway, subject: str) -> bool:
    try:
        await parts.log.request(subject, b"not understood", timeout=5)
    except NoRespondersError:
        return False
    return True


async def test_gateway_and_sync_understand_each_other(
    browser: Any, anna: dict[str, Any], real_sync: None, dovecot: Dovecot, mail_user: User
) -> None:
    found = (await browser.post("/api/accounts/discover", json={"email": "anna@Onet.pl"})).json()
    assert found["candidates"][0]["imap"]["host"] == "imap.poczta.onet.pl"
    assert [step["status"] for step in found["steps"]] == ["found"]
    nobody = (await browser.post("/api/accounts/discover", json={"email": "anna@[127.0.0.1]"})).json()
    assert nobody == {"candidates": [], "steps": []}

    here = {"host": FULL, "port": dovecot.port, "tls": "none", "username": mail_user.name}
    good = {**here, "password": mail_user.password}
    tried = (await browser.post("/api/accounts/test", json={"imap": good, "smtp": None})).json()["checks"]
    assert [(check["name"], check["code"]) for check in tried] == [("imap_connect", None), ("imap_login", None)]
    lan = {**good, "host": "10.1.2.3", "tls": "ssl"}
    (refused,) = (await browser.post("/api/accounts/test", json={"imap": lan, "smtp": None})).json()["checks"]
    assert (refused["code"], refused["message"][:38]) == ("private_address", "This name leads into a private network")
