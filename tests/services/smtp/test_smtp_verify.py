"""A submission server is tried with TLS as it was asked for, and what is wrong is said by name; nothing is sent."""

import asyncio
import base64
import ssl
import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from contracts.provider import ProviderAuthError, ProviderConnectError, ProviderError
from services.mail.endpoint import Credentials, Endpoint
from services.mail.smtp import verify as module
from services.mail.smtp.verify import connected, log_in
from tests.support import certificate
from tests.support.dovecot import free_ports

TOKEN = Credentials(username="alice@example.test", access_token="ya29.token")
GOOD = Credentials(username="alice@example.test", password="right")


class Sink:
    """Counts what is sent, and remembers how the client calls itself."""

    def __init__(self) -> None:
        self.sent = 0
        self.names: list[str] = []

    async def handle_EHLO(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        self.names.append(hostname)
        return responses

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        self.sent += 1
        return "250 taken"


def authenticator(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object) -> AuthResult:
    good = isinstance(data, LoginPassword) and data.password == GOOD.password.encode()
    return AuthResult(success=good, handled=False)


class Tokens(SMTP):
    """Takes access tokens beside passwords, and says why not as Google does: by a challenge."""

    async def auth_XOAUTH2(self, _: SMTP, arguments: list[str]) -> AuthResult:  # noqa: N802 - aiosmtpd's name
        user, bearer, *_ = base64.b64decode(arguments[1]).decode().split("\1")
        if (user, bearer) == (f"user={TOKEN.username}", f"auth=Bearer {TOKEN.access_token}"):
            return AuthResult(success=True)
        assert await self.challenge_auth("eyJzdGF0dXMiOiI0MDAifQ==", encode_to_b64=False) == b""
        await self.push(f"535 5.7.8 {arguments[1]} is not accepted")
        return AuthResult(success=False, handled=True)


class Servers:
    def __init__(self, sink: Sink, starttls: int, tls: int, plain: int, cert: Path) -> None:
        self.sink = sink
        self.starttls, self.tls, self.plain = starttls, tls, plain
        self.trust = certificate.trusting(cert)


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[Servers]:
    cert = certificate.write(tmp_path / "tls")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, cert.with_name("key.pem"))
    sink, loop = Sink(), asyncio.get_running_loop()

    def smtp(*, starttls: bool, auth: bool = True) -> SMTP:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # aiosmtpd warns of servers without TLS of its own
            return Tokens(
                sink,
                tls_context=context if starttls else None,
                require_starttls=starttls,
                auth_require_tls=starttls or not auth,
                authenticator=authenticator if auth else None,
                loop=loop,
            )

    listening = [
        await loop.create_server(lambda: smtp(starttls=True), "127.0.0.1", 0),
        await loop.create_server(lambda: smtp(starttls=False), "127.0.0.1", 0, ssl=context),
        await loop.create_server(lambda: smtp(starttls=False, auth=False), "127.0.0.1", 0),
    ]
    ports = [server.sockets[0].getsockname()[1] for server in listening]
    yield Servers(sink, *ports, cert)
    for server in listening:
        server.close()


async def verify(endpoint: Endpoint, credentials: Credentials, trust: ssl.SSLContext | None = None) -> None:
    async with connected(endpoint, trust) as smtp:
        await log_in(smtp, credentials)


def at(port: int, tls: str) -> Endpoint:
    return Endpoint(host="127.0.0.1", port=port, tls=tls)  # type: ignore[arg-type] # one of the three


async def test_a_login_that_works_is_said_to_work_and_nothing_is_sent(servers: Servers) -> None:
    await verify(at(servers.starttls, "starttls"), GOOD, servers.trust)
    await verify(at(servers.tls, "ssl"), GOOD, servers.trust)
    assert servers.sink.sent == 0
    assert set(servers.sink.names) == {"localhost"}


@pytest.mark.parametrize("tls", ["starttls", "ssl"])
async def test_a_wrong_password_is_auth_failed_and_appears_nowhere(servers: Servers, tls: str) -> None:
    port = servers.starttls if tls == "starttls" else servers.tls
    with pytest.raises(ProviderAuthError) as refused:
        await verify(at(port, tls), Credentials(username="alice", password="hunter2"), servers.trust)
    assert refused.value.code == "auth_failed"
    assert "hunter2" not in f"{refused.value} {refused.value.detail} {refused.value.__cause__}"


async def test_an_access_token_is_taken_or_refused_at_once(servers: Servers) -> None:
    await verify(at(servers.starttls, "starttls"), TOKEN, servers.trust)
    old = Credentials(username=TOKEN.username, access_token="ya29.expired")
    with pytest.raises(ProviderAuthError) as refused:
        await verify(at(servers.tls, "ssl"), old, servers.trust)
    assert refused.value.code == "auth_failed"
    sent = base64.b64encode(f"user={old.username}\1auth=Bearer {old.access_token}\1\1".encode()).decode()
    assert "expired" not in refused.value.detail
    assert sent not in refused.value.detail
    with pytest.raises(ProviderAuthError) as refused:
        await verify(at(servers.plain, "none"), TOKEN)
    assert refused.value.code == "login_disabled"


@pytest.mark.parametrize("tls", ["starttls", "ssl"])
async def test_a_certificate_that_nobody_vouches_for_is_tls_failed(servers: Servers, tls: str) -> None:
    port = servers.starttls if tls == "starttls" else servers.tls
    with pytest.raises(ProviderConnectError) as refused:
        await verify(at(port, tls), GOOD)
    assert refused.value.code == "tls_failed"


async def test_tls_that_was_asked_for_is_never_done_without(servers: Servers) -> None:
    with pytest.raises(ProviderError) as refused:
        await verify(at(servers.plain, "starttls"), GOOD, servers.trust)
    assert refused.value.code == "tls_failed"


async def test_a_server_that_takes_no_password_is_login_disabled(servers: Servers) -> None:
    with pytest.raises(ProviderError) as refused:
        await verify(at(servers.plain, "none"), GOOD)
    assert refused.value.code == "login_disabled"


async def test_nobody_on_the_port_is_refused() -> None:
    with pytest.raises(ProviderConnectError) as refused:
        await verify(at(free_ports(1)[0], "ssl"), GOOD)
    assert refused.value.code == "refused"


async def test_a_host_that_does_not_exist_is_unknown() -> None:
    with pytest.raises(ProviderConnectError) as refused:
        await verify(Endpoint(host="no-such-host.invalid", port=587, tls="ssl"), GOOD)
    assert refused.value.code == "unknown_host"


async def test_a_server_that_says_nothing_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    monkeypatch.setattr(module, "TIMEOUT", 0.3)
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    with pytest.raises(ProviderConnectError) as refused:
        await verify(at(server.sockets[0].getsockname()[1], "none"), GOOD)
    assert refused.value.code in ("connect_timeout", "timeout")
    server.close()


async def test_what_is_no_mail_server_is_a_protocol_error() -> None:
    async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(web, "127.0.0.1", 0)
    with pytest.raises(ProviderError) as refused:
        await verify(at(server.sockets[0].getsockname()[1], "none"), GOOD)
    assert refused.value.code in ("protocol", "connection_lost")
    server.close()
