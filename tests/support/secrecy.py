"""The pytest plugin by which no test may show a secret: what is typed, sealed or set as a cookie is looked for in all that is said.

Secrets become known by themselves: fields of what test clients send, what the vault keeps or seals, sessions' cookies, keys of an
installation. They are looked for in every test's captured output, every exception that a test expects, every answer of the
API, everything published by the test's own process, and the logs and stores of installations. Each worker checks its own.
"""

import base64
import functools
import json
import re
from collections.abc import Awaitable, Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg
import pytest
from _pytest._code import ExceptionInfo

from services import vault
from services.config import SECRETS
from services.embedded.browser import Browser
from services.embedded.up import Installation
from services.log.connection import NO_ANSWER, Connection
from services.log.errors import LogError
from services.vault import Credentials
from tests.support import stores

TYPED = frozenset({"password", "new_password", "token"})
COOKIE = "__Host-session"
SHOWING = "/api/auth/totp/setup"
"""The one answer that is there to show its user a secret which is kept."""

LEAST = 10
"""Characters: what is shorter is no secret that could be told from a word."""

_WORD = re.compile(rf"[A-Za-z0-9_\-+/=]{{{LEAST},}}")
_AWAY = (*NO_ANSWER, LogError, psycopg.OperationalError, TimeoutError)

words: set[str] = set()
"""Secrets that are one word, found by looking at each word."""
phrases: set[str] = set()
"""Those that are not, found by searching."""
found: list[str] = []
"""Where a secret was shown since the last test ended."""


def know(secret: str) -> None:
    """From here on it must not be shown, nor its Base64."""
    if len(secret) < LEAST:
        return
    (words if _WORD.fullmatch(secret) else phrases).add(secret)
    words.add(base64.b64encode(secret.encode()).decode())


def look(where: str, text: str) -> None:
    """Note it when a secret is in there."""
    shown = not words.isdisjoint(_WORD.findall(text)) or any(phrase in text for phrase in phrases)
    if shown and where not in found:
        found.append(where)


def look_at_bytes(where: str, data: bytes) -> None:
    look(where, data.decode("utf-8", "replace"))


# -- what becomes known


def learn(body: object) -> None:
    """The secrets in what a client sends."""
    if isinstance(body, dict):
        for name, value in body.items():
            if name in TYPED and isinstance(value, str):
                know(value)
            learn(value)
    elif isinstance(body, list):
        for one in body:
            learn(one)


def learn_kept(raw: bytes) -> None:
    """What the vault is given: mostly credentials."""
    try:
        known = Credentials.decoded(raw)
    except (msgspec.MsgspecError, vault.VaultError):
        look_like = raw.decode("utf-8", "replace")
        if _WORD.fullmatch(look_like):
            know(look_like)
        return
    for secret in (known.imap_password, known.smtp_password or ""):
        know(secret)
    if known.oauth is not None:
        know(known.oauth.refresh_token)
        know(known.oauth.access_token)


# -- where it is looked for


def _watch_exceptions() -> None:
    fill = ExceptionInfo.fill_unfilled

    @functools.wraps(fill)
    def filled(self: "ExceptionInfo[BaseException]", exc_info: Any) -> None:
        error: BaseException | None = exc_info[1]
        while error is not None:
            look(f"exception {type(error).__name__}", f"{error} {error!r}")
            error = error.__cause__ or error.__context__
        fill(self, exc_info)

    ExceptionInfo.fill_unfilled = filled  # type: ignore[method-assign]


def _watch_answers() -> None:
    send, post = httpx.AsyncClient.send, Browser._send

    @functools.wraps(send)
    async def sent(self: httpx.AsyncClient, request: httpx.Request, **how: Any) -> httpx.Response:
        if request.headers.get("content-type") == "application/json":
            learn(_decoded(await request.aread()))
        answer = await send(self, request, **how)
        if answer.is_closed:
            know(answer.cookies.get(COOKIE) or "")
            if request.url.path == SHOWING:
                return answer
            told = [f"{name}: {value}" for name, value in answer.headers.multi_items() if name != "set-cookie"]
            look_at_bytes(f"answer of {request.method} {request.url.path}", "\n".join(told).encode() + answer.content)
        return answer

    @functools.wraps(post)
    def posted(self: Browser, method: str, path: str, body: object) -> bytes:
        learn(body)
        answer = post(self, method, path, body)
        know(self._cookies.get(COOKIE, ""))
        look_at_bytes(f"answer of {method} {path.partition('?')[0]}", answer)
        return answer

    httpx.AsyncClient.send = sent  # type: ignore[method-assign]
    Browser._send = posted  # type: ignore[method-assign]


def _decoded(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _watch_vault() -> None:
    seal, keep = vault.seal, vault.Vault.keep

    @functools.wraps(seal)
    def sealed(public_key: bytes, secret: bytes) -> bytes:
        learn_kept(secret)
        return seal(public_key, secret)

    @functools.wraps(keep)
    def kept(self: vault.Vault, account_id: Any, secret: bytes) -> bytes:
        learn_kept(secret)
        return keep(self, account_id, secret)

    vault.seal = sealed
    vault.Vault.keep = kept  # type: ignore[method-assign]


def _watch_log() -> None:
    publish: Callable[..., Awaitable[None]] = Connection.publish

    @functools.wraps(publish)
    async def published(self: Connection, subject: str, payload: bytes = b"", *rest: Any, **more: Any) -> None:
        look_at_bytes(f"published on {subject}", subject.encode() + b"\n" + payload)
        await publish(self, subject, payload, *rest, **more)

    Connection.publish = published  # type: ignore[method-assign]


_watch_exceptions()
_watch_answers()
_watch_vault()
_watch_log()


# -- installations


def search_product(running: Installation) -> None:
    """Its logs and all that it stored, before it stops; a server that a test has ended for good can't be read any more."""
    for file in (running.folder.root / "secrets").glob("*.json"):
        for name, secret in json.loads(file.read_bytes()).items():
            if name in SECRETS or name.endswith("_PASSWORD"):
                know(secret)
    search_logs(running.folder.logs)
    environ = running.folder.running_environment()
    if environ:
        search_rows(environ["DATABASE_URL"])
        try:
            look_at(stores.read(environ["NATS_URL"]))
        except _AWAY:
            return


async def search_installation(folder: Path, dsn: str, nats_url: str) -> None:
    """The same of a small one. `nats_url`: with the administrator's password."""
    search_logs(folder)
    search_rows(dsn)
    look_at(await stores.messages(nats_url))


def search_logs(folder: Path) -> None:
    for log in folder.glob("*.log"):
        look_at_bytes(f"log {log.name}", log.read_bytes())


def search_rows(dsn: str) -> None:
    try:
        look_at(stores.rows(dsn))
    except _AWAY:
        return


def look_at(places: Iterable[stores.Place]) -> None:
    for place in places:
        look_at_bytes(place.where, place.text)


# -- what comes of it


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """At its end a test fails when anything in it has shown a secret; the secret itself is not told."""
    report = yield
    if call.when == "teardown":
        for name, text in report.sections:
            look(name, text)
        if found and report.passed:
            report.outcome = "failed"
            report.longrepr = "a secret was shown in:\n" + "\n".join(found)
        found.clear()
    return report
