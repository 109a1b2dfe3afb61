"""An account is tried step by step at both servers, each step timed, and what is wrong is said by name."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from contracts.provider import ErrorCode, ProviderConnectError
from services.mail import refusal, trial
from services.mail.budget import HostBudget
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import ImapProvider, ImapWriter
from services.mail.imap.wire import Limits
from services.mail.trial import Check, Login, attempt
from services.reach import ANYWHERE, Reach
from tests.support.dovecot import Dovecot, User
from tests.support.scripted_imap import ScriptedImap


def login(port: int, user: User, host: str = "127.0.0.1") -> Login:
    return Endpoint(host=host, port=port, tls="none"), Credentials(username=user.name, password=user.password)


def told(checks: list[Check]) -> list[tuple[str, str | None]]:
    return [(check.name, check.code) for check in checks]


async def tried(imap: Login, smtp: Login | None = None, reach: Reach = ANYWHERE) -> list[Check]:
    return await attempt(imap, smtp, reach, None, HostBudget(2))


async def submission(password_answer: bytes) -> asyncio.Server:
    """Says this to whatever password."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 hello\r\n")
        while line := await reader.readline():
            word = line[:4].upper()
            writer.write(
                b"250-hello\r\n250 AUTH PLAIN\r\n"
                if word == b"EHLO"
                else b"221 bye\r\n"
                if word == b"QUIT"
                else password_answer
            )
        writer.close()

    return await asyncio.start_server(talk, "127.0.0.1", 0)


async def test_what_works_is_said_step_by_step(dovecot: Dovecot, mail_user: User) -> None:
    server = await submission(b"235 welcome\r\n")
    smtp = login(server.sockets[0].getsockname()[1], mail_user)
    checks = await tried(login(dovecot.port, mail_user), smtp)
    assert told(checks) == [(name, None) for name in ("imap_connect", "imap_login", "smtp_connect", "smtp_login")]
    assert all(0 <= check.ms < 10_000 for check in checks)
    server.close()


async def test_each_server_is_told_of_by_itself(dovecot: Dovecot, mail_user: User) -> None:
    server = await submission(b"535 5.7.8 no such luck\r\n")
    smtp = login(server.sockets[0].getsockname()[1], mail_user)
    wrong = User(mail_user.name, "wrong")
    assert told(await tried(login(dovecot.port, wrong), smtp)) == [
        ("imap_connect", None),
        ("imap_login", "auth_failed"),
        ("smtp_connect", None),
        ("smtp_login", "auth_failed"),
    ]
    checks = await tried(login(1, mail_user), smtp)
    assert told(checks) == [("imap_connect", "refused"), ("smtp_connect", None), ("smtp_login", "auth_failed")]
    assert checks[-1].detail == "5.7.8 no such luck"
    server.close()


async def test_a_private_address_is_not_tried_unless_the_operator_allows_it(dovecot: Dovecot, mail_user: User) -> None:
    here = login(dovecot.port, mail_user)
    assert told(await tried(here, here, Reach())) == [
        ("imap_connect", "private_address"),
        ("smtp_connect", "private_address"),
    ]


@pytest.mark.parametrize("made", [ImapProvider, ImapWriter])
async def test_later_connections_stay_within_reach_too(
    dovecot: Dovecot, mail_user: User, tmp_path: Path, made: Any
) -> None:
    """A name may lead elsewhere tomorrow."""
    endpoint, credentials = login(dovecot.port, mail_user)
    more = {"known": None, "spool": tmp_path} if made is ImapProvider else {}
    client = made(endpoint, credentials, reach=Reach(), **more)
    with pytest.raises(ProviderConnectError) as refused:
        await (client.list_mailboxes() if made is ImapProvider else client.find("INBOX", "<a@b>"))
    assert refused.value.code == "private_address"
    await client.close()


async def test_its_place_at_the_host_is_given_back(dovecot: Dovecot, mail_user: User) -> None:
    """One place is enough for both servers, one after the other."""
    budget = HostBudget(1)
    server = await submission(b"235 welcome\r\n")
    smtp = login(server.sockets[0].getsockname()[1], mail_user)
    for user in (mail_user, User(mail_user.name, "wrong"), mail_user):
        checks = await attempt(login(dovecot.port, user), smtp, ANYWHERE, None, budget)
        assert len(checks) == 4
    server.close()
    for _ in range(2):
        (check,) = await attempt(login(1, mail_user), None, ANYWHERE, None, budget)
        assert check.code == "refused"


async def test_submission_takes_a_place_at_its_host_too(mail_user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "Limits", lambda: Limits(connect=0.2))
    budget = HostBudget(1)
    give_back = await budget.take("127.0.0.1", 1)
    checks = await attempt(login(1, mail_user), login(1, mail_user), ANYWHERE, None, budget)
    assert told(checks) == [("imap_connect", "too_many_connections"), ("smtp_connect", "too_many_connections")]
    give_back()


SAID: list[tuple[str, ErrorCode]] = [
    (
        "[ALERT] Application-specific password required: https://support.google.com/accounts/answer/185833",
        "app_password_needed",
    ),
    ("Sorry, you need to create an app password to use this service", "app_password_needed"),
    ("NEOBHODIM parol prilozheniya / Application password is REQUIRED", "app_password_needed"),
    ("[ALERT] Your account is not enabled for IMAP use. Please visit your Gmail settings page", "access_off"),
    ("You are yet to enable IMAP for your account. Please contact your administrator", "access_off"),
    ("IMAP access is disabled for your account", "access_off"),
    ("[AUTHENTICATIONFAILED] Invalid credentials", "auth_failed"),
    ("LOGIN failed.", "auth_failed"),
]


@pytest.mark.parametrize(("said", "code"), SAID)
async def test_what_the_owner_has_to_do_is_heard_from_the_servers_words(said: str, code: ErrorCode) -> None:
    user = User("anna", "hunter2")
    async with ScriptedImap({"LOGIN": b"$ NO " + said.encode() + b"\r\n"}) as imap:
        server = await submission(b"535-5.7.9 " + said.encode() + b"\r\n535 5.7.9 see there\r\n")
        checks = await tried(login(imap.port, user), login(server.sockets[0].getsockname()[1], user))
        server.close()
    assert told(checks)[1::2] == [("imap_login", code), ("smtp_login", code)]
    assert all("hunter2" not in check.detail for check in checks)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("535 5.7.139 Authentication unsuccessful, basic authentication is disabled", "login_disabled"),
        ("5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant", "access_off"),
        ("Der Zugriff per POP3/IMAP ist deaktiviert", "access_off"),
        ("Włącz dostęp dla programów pocztowych", "access_off"),
        ("Użyj hasła aplikacji", "app_password_needed"),
        ("Wrong password", None),
        ("", None),
    ],
)
def test_servers_say_it_in_many_ways(said: str, code: ErrorCode | None) -> None:
    assert refusal.meaning(said) == code
