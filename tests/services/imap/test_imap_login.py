"""Getting in by an access token, and being told why not in words that hold no secret."""

import base64
import logging
import time

import pytest

from contracts.provider import ErrorCode, ProviderAuthError, ProviderError
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.session import Session
from services.mail.imap.wire import Limits
from tests.support.dovecot import Dovecot, User
from tests.support.oauth_server import access_token
from tests.support.scripted_imap import Conversation, ScriptedImap

QUICK = Limits(connect=1.0, inactivity=1.0, total=5.0)
TOKEN = Credentials(username="a=b,c@example.test", access_token="ya29.secret-token")


async def opened(port: int, credentials: Credentials, limits: Limits = QUICK) -> Session:
    session = Session(Endpoint(host="127.0.0.1", port=port, tls="none"), limits)
    await session.open(credentials, None)
    return session


def capability(words: bytes) -> bytes:
    return b"* CAPABILITY IMAP4rev1 " + words + b"\r\n$ OK done\r\n"


async def test_a_real_server_takes_a_token_and_its_capabilities_are_learnt_again(
    dovecot: Dovecot, mail_user: User
) -> None:
    session = await opened(
        dovecot.port, Credentials(username=mail_user.name, access_token=access_token(mail_user.name))
    )
    assert session.qresync
    await session.logout()


async def test_a_token_that_is_refused_is_told_at_once(dovecot: Dovecot, mail_user: User) -> None:
    forged = access_token(mail_user.name, b"another secret")
    began = time.monotonic()
    with pytest.raises(ProviderAuthError) as caught:
        await opened(dovecot.port, Credentials(username=mail_user.name, access_token=forged), Limits())
    assert time.monotonic() - began < 5
    assert caught.value.code == "auth_failed"
    assert forged not in str(caught.value)


@pytest.mark.parametrize("initial", [b" SASL-IR", b""])
@pytest.mark.parametrize(
    ("mechanism", "message", "answered"),
    [
        (b"XOAUTH2", "user=a=b,c@example.test\1auth=Bearer ya29.secret-token\1\1", b""),
        (
            b"OAUTHBEARER",
            "n,a=a=3Db=2Cc@example.test,\1host=127.0.0.1\1port=@\1auth=Bearer ya29.secret-token\1\1",
            b"AQ==",
        ),
    ],
)
async def test_a_challenge_that_explains_a_refusal_is_answered_and_nothing_secret_is_told(
    caplog: pytest.LogCaptureFixture, mechanism: bytes, initial: bytes, message: str, answered: bytes
) -> None:
    heard: list[bytes] = []

    async def authenticate(conversation: Conversation, rest: bytes) -> None:
        _, name, *response = rest.split(b" ")
        if not response:
            conversation.say(b"+ \r\n")
            response = [(await conversation.reader.readline()).strip()]
        conversation.say(b"+ eyJzdGF0dXMiOiI0MDAifQ==\r\n")
        heard.extend([name, response[0], (await conversation.reader.readline()).strip()])
        conversation.say(b"$ NO " + response[0] + b" ya29.secret-token is no good\r\n")

    caplog.set_level(logging.DEBUG)
    script = {"CAPABILITY": capability(b"AUTH=" + mechanism + initial), "AUTHENTICATE": authenticate}
    async with ScriptedImap(script) as server:
        with pytest.raises(ProviderAuthError) as caught:
            await opened(server.port, TOKEN)
        expected = message.replace("@\1", f"{server.port}\1")
        assert heard == [mechanism, base64.b64encode(expected.encode()), answered]
    told = f"{caught.value!r} {caught.value.detail} {TOKEN!r} {caplog.text}"
    assert caught.value.code == "auth_failed"
    assert "is no good" in caught.value.detail
    assert "secret-token" not in told
    assert heard[1].decode() not in told


async def test_a_token_is_not_given_where_none_is_taken() -> None:
    async with ScriptedImap({"CAPABILITY": capability(b"AUTH=PLAIN")}) as server:
        with pytest.raises(ProviderAuthError) as caught:
            await opened(server.port, TOKEN)
    assert caught.value.code == "login_disabled"
    assert not any(b"AUTHENTICATE" in line for line in server.heard)


async def test_a_server_that_announces_plain_and_does_not_know_it_is_given_the_password_by_login() -> None:
    script = {"CAPABILITY": capability(b"AUTH=PLAIN"), "AUTHENTICATE": b"$ BAD unknown command\r\n"}
    async with ScriptedImap(script) as server:
        session = await opened(server.port, Credentials(username="alice", password='a "b" \\'))
        await session.logout()
    assert any(b'LOGIN "alice" "a \\"b\\" \\\\"' in line for line in server.heard)


@pytest.mark.parametrize("secret", ["a\0b", "line\r\nbreak", "one\1two"])
async def test_a_control_character_is_no_part_of_a_secret(secret: str) -> None:
    async with ScriptedImap({"CAPABILITY": capability(b"AUTH=XOAUTH2 SASL-IR")}) as server:
        for credentials in (
            Credentials(username="alice", access_token=secret),
            Credentials(username="alice", password=secret),
        ):
            with pytest.raises(ProviderAuthError) as caught:
                await opened(server.port, credentials)
            assert caught.value.code == "auth_failed"
    assert all(b"CAPABILITY" in line for line in server.heard)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"[ALERT] Too many simultaneous connections. (Failure)", "too_many_connections"),
        (b"Maximum number of connections from user+IP exceeded", "too_many_connections"),
        (b"[LIMIT] no", "too_many_connections"),
        (b"[THROTTLED] slow down", "too_many_connections"),
        (b"Concurrent connections limit exceeded for this mailbox", "too_many_connections"),
        (b"[OVERQUOTA] Account exceeded command or bandwidth limits. (Failure)", "too_many_connections"),
        (b"[UNAVAILABLE] Temporary authentication failure", "unavailable"),
        (b"User is authenticated but not connected.", "unavailable"),
        (b"Server Unavailable. 15", "unavailable"),
        (b"Internal error occurred, please try again later", "unavailable"),
        (b"[AUTHENTICATIONFAILED] Invalid credentials, try again", "auth_failed"),
        (b"[ALERT] Application-specific password required", "app_password_needed"),
        (b"LOGIN failed.", "auth_failed"),
        (b"AUTHENTICATE failed.", "auth_failed"),
    ],
)
async def test_a_busy_server_is_told_apart_from_a_wrong_password_whatever_its_words(
    said: bytes, code: ErrorCode
) -> None:
    async with ScriptedImap({"LOGIN": b"$ NO " + said + b"\r\n"}) as server:
        with pytest.raises(ProviderError) as caught:
            await opened(server.port, Credentials(username="alice", password="pw"))
    assert caught.value.code == code
