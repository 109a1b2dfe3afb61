"""No test of this project can show a secret unnoticed: here are tests that do, each in a way of its own, and all of them fail."""

import subprocess
import sys
from pathlib import Path

from tests.support.rules import ROOT

LEAKS = """
import asyncio
import base64
import json
import logging
from pathlib import Path

import httpx
import pytest

from services.embedded.nats import NatsServer
from services.log.connection import connect
from contracts.streams import Role
from services import vault
from services.vault import Credentials, Tokens, Vault
from tests.support import secrecy

PHRASE, WORD = "brass lantern 42 owls", "0123456789abcdef"


def client(answers):
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text=answers(request)))
    return httpx.AsyncClient(transport=transport, base_url="http://mail.test")


def typed(answers=lambda _: "fine"):
    async def send():
        async with client(answers) as browser:
            await browser.post("/login", json={"handle": "anna", "imap": {"password": PHRASE}})
    asyncio.run(send())


def kept(secret):
    Vault(bytes(32)).keep(__import__("uuid").uuid4(), secret)


def test_clean():
    typed()
    kept(Credentials(imap_password=WORD).encoded())
    print("nothing here")


def test_printed():
    typed()
    print(f"password={PHRASE}!")


def test_logged():
    kept(Credentials(imap_password=WORD).encoded())
    logging.getLogger("any").warning("login %s", {"password": WORD})


def test_logged_as_base64():
    kept(Credentials(imap_password=WORD).encoded())
    print(base64.b64encode(WORD.encode()).decode())


def test_raised():
    typed()
    with pytest.raises(ValueError):
        raise ValueError(f"wrong: {PHRASE}")


def test_raised_from():
    typed()
    with pytest.raises(KeyError):
        try:
            raise ValueError(PHRASE)
        except ValueError as error:
            raise KeyError("no") from error


def test_answered():
    typed(lambda request: request.content.decode())


def test_a_token_is_printed():
    tokens = Tokens(provider="google", refresh_token="a-refresh-token-of-anna", access_token="t" * 20, expires_at=0)
    vault.seal(vault.public_key(bytes(range(32))), Credentials(oauth=tokens).encoded())
    print("got a-refresh-token-of-anna")


def test_a_session_is_printed():
    def answer(request):
        return httpx.Response(200, headers={"set-cookie": "__Host-session=abcdefghijklmnop; Secure; Path=/"})
    async def ask():
        transport = httpx.MockTransport(answer)
        async with httpx.AsyncClient(transport=transport, base_url="https://mail.test") as browser:
            await browser.get("/")
    asyncio.run(ask())
    print("session abcdefghijklmnop")


def test_in_a_log_of_a_process(tmp_path):
    typed()
    (tmp_path / "sync.log").write_text(json.dumps({"event": "oops", "why": PHRASE}))
    secrecy.search_logs(tmp_path)


def test_in_the_log(tmp_path):
    server = NatsServer(tmp_path / "nats")
    server.start()
    kept(Credentials(imap_password=WORD).encoded())
    async def publish():
        nc = await connect(server.url, Role.ADMIN)
        await nc.publish("event.any", json.dumps({"secret": WORD}).encode())
        await nc.close()
    try:
        asyncio.run(publish())
    finally:
        server.stop()
"""


def test_whatever_shows_a_secret_fails_and_nothing_else_does(tmp_path: Path) -> None:
    leaks = tmp_path / "test_leaks.py"
    leaks.write_text(LEAKS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.support.secrecy", "-c", "/dev/null", "-q", "-rE"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", str(leaks)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    failed = {line.partition("::")[2].split()[0] for line in done.stdout.splitlines() if line.startswith("ERROR ")}
    named = {line.partition("(")[0].removeprefix("def ") for line in LEAKS.splitlines() if line.startswith("def test_")}
    assert failed == named - {"test_clean"}, done.stdout
    summary = done.stdout.partition("short test summary")[2]
    assert "42 owls" not in summary


def test_it_watches_this_very_run(pytestconfig: object) -> None:
    from services.log.connection import Connection

    assert pytestconfig.pluginmanager.hasplugin("tests.support.secrecy")  # type: ignore[attr-defined]
    assert hasattr(Connection.publish, "__wrapped__")
