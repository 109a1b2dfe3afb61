"""What the service itself sends leaves by the operator's server, once, and is tried again while that is away."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from aiosmtpd.smtp import SMTP, Envelope

from projections.sql import Pool
from services import vault
from services.config import ConfigurationError
from services.outbound import system_mail
from services.outbound.system_mail import Sender, message, relay
from services.state import system_mails
from services.state.system_mails import SystemMail

PRIVATE = bytes(range(32))
LINK = "https://webmail.test/reset#t0ken"


class Mailbox:
    """A mail server that keeps what it is given, or refuses it."""

    def __init__(self) -> None:
        self.got: list[EmailMessage] = []
        self.refuses = False

    async def handle_DATA(self, _server: object, _session: object, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        if self.refuses:
            return "451 Try again later"
        content = envelope.content
        assert isinstance(content, bytes)
        got = message_from_bytes(content, policy=default)
        assert envelope.rcpt_tos == [got["To"]]
        self.got.append(got)
        return "250 OK"


@asynccontextmanager
async def mail_server(mailbox: Mailbox) -> AsyncIterator[str]:
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(mailbox), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    yield f"smtp://127.0.0.1:{port}"
    server.close()


@pytest.fixture
async def db(database: str) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=4) as pool:
        yield pool


@pytest.fixture
async def user(db: Pool) -> UUID:
    user_id: UUID = await db.fetchval("INSERT INTO users (handle, password_hash) VALUES ('ada', '-') RETURNING id")
    return user_id


async def post(db: Pool, user: UUID, **change: Any) -> None:
    mail = SystemMail(**{"kind": "reset", "to": "ada@elsewhere.test", "link": LINK, "language": "en", **change})
    await system_mails.post(db, user, vault.public_key(PRIVATE), mail)


@asynccontextmanager
async def sending(db: Pool, url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(system_mail, "EVERY", 0.02)
    sender = Sender(db, PRIVATE, url, "Webmail <webmail@mail.test>", ssl.create_default_context())
    running = asyncio.create_task(sender.run())
    yield
    running.cancel()


async def until(true: Any) -> None:
    async with asyncio.timeout(20):
        while not await true():
            await asyncio.sleep(0.02)


async def left(db: Pool) -> int:
    count: int = await db.fetchval("SELECT count(*) FROM system_mails")
    return count


async def test_what_waits_is_sent_once_by_however_many(db: Pool, user: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    mailbox = Mailbox()
    for n in range(5):
        await post(db, user, to=f"ada{n}@elsewhere.test")
    async with mail_server(mailbox) as url, sending(db, url, monkeypatch), sending(db, url, monkeypatch):
        await until(lambda: _none(db))
    assert sorted(mail["To"] for mail in mailbox.got) == [f"ada{n}@elsewhere.test" for n in range(5)]
    assert all(LINK in mail.get_content() for mail in mailbox.got)


async def _none(db: Pool) -> bool:
    return await left(db) == 0


async def test_a_server_that_refuses_is_tried_again_and_not_for_ever(
    db: Pool, user: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox = Mailbox()
    mailbox.refuses = True
    await post(db, user)

    async def tried(times: int) -> bool:
        await db.execute("UPDATE system_mails SET due_at = now()")
        attempts = await db.fetchval("SELECT attempts FROM system_mails")
        return attempts is None or attempts >= times

    async with mail_server(mailbox) as url, sending(db, url, monkeypatch):
        await until(lambda: tried(2))
        assert await left(db) == 1
        mailbox.refuses = False
        await until(lambda: tried(1 << 20))
    assert len(mailbox.got) == 1

    await post(db, user)
    async with sending(db, "smtp://127.0.0.1:1", monkeypatch):
        await until(lambda: tried(1 << 20))
    assert await left(db) == 0


async def test_a_mail_that_was_sealed_for_nobody_is_dropped_and_the_next_is_sent(
    db: Pool, user: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox = Mailbox()
    await db.execute("INSERT INTO system_mails (user_id, sealed) VALUES ($1, 'x')", user)
    await post(db, user)
    async with mail_server(mailbox) as url, sending(db, url, monkeypatch):
        await until(lambda: _none(db))
    assert len(mailbox.got) == 1


@pytest.mark.parametrize("kind", ["verify", "reset"])
@pytest.mark.parametrize("language", ["en", "pl"])
def test_every_kind_is_written_in_every_language(kind: Any, language: Any) -> None:
    mail = SystemMail(kind=kind, to="ada@elsewhere.test", link=LINK, language=language)
    made = message(mail, "Webmail <webmail@mail.test>")
    assert (made["To"], made["From"]) == ("ada@elsewhere.test", "Webmail <webmail@mail.test>")
    assert made["Message-ID"].endswith("@mail.test>")
    assert made["Auto-Submitted"] == "auto-generated"
    assert f"\n{LINK}\n" in made.get_content()
    assert repr(mail) == f"SystemMail({kind})"


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "user"),
    [
        ("smtps://u%40x:p%2Fw@smtp.test", "smtp.test", 465, "ssl", "u@x"),
        ("smtp://u:p@smtp.test:2525", "smtp.test", 2525, "starttls", "u"),
        ("smtp://smtp.test", "smtp.test", 587, "starttls", None),
        ("smtp://localhost:25", "localhost", 25, "none", None),
        ("smtp://127.0.0.1:25", "127.0.0.1", 25, "none", None),
        ("smtp://localhost.evil.test", "localhost.evil.test", 587, "starttls", None),
    ],
)
def test_only_this_machine_is_spoken_to_without_tls(url: str, host: str, port: int, tls: str, user: str | None) -> None:
    endpoint, credentials = relay(url)
    assert (endpoint.host, endpoint.port, endpoint.tls) == (host, port, tls)
    assert (credentials.username if credentials else None) == user


@pytest.mark.parametrize("url", ["smtps://", "smtp://user@", "smtp://smtp.test:port"])
def test_a_url_without_a_host_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(ConfigurationError, match="SYSTEM_SMTP_URL"):
        relay(url)
