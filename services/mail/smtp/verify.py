"""Whether a submission server takes this login: EHLO, TLS and AUTH, and nothing is sent."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import aiosmtplib
from aiosmtplib import SMTP

from contracts.provider import ProviderAuthError, ProviderConnectError, ProviderError, ProviderProtocolError
from services.mail import refusal
from services.mail.dial import dial
from services.mail.endpoint import Credentials, Endpoint
from services.reach import ANYWHERE, Reach

TIMEOUT = 20.0
HELLO = "localhost"
"""What EHLO says: not this machine's own name, which is nobody's business."""

_DETAIL = 300


@asynccontextmanager
async def connected(
    endpoint: Endpoint, trust: ssl.SSLContext | None = None, reach: Reach = ANYWHERE
) -> AsyncIterator[SMTP]:
    """Greeted, over TLS, which is never optional where it was asked for (RFC 8314 §3). Raises ProviderError."""
    smtp = SMTP(
        hostname=endpoint.host,
        port=None,
        sock=await dial(endpoint.host, endpoint.port, TIMEOUT, reach),
        local_hostname=HELLO,
        timeout=TIMEOUT,
        use_tls=endpoint.tls == "ssl",
        start_tls=False,  # done below, where its absence has a name of its own
        tls_context=trust,
    )
    try:
        with translated():
            await smtp.connect()
            await smtp.ehlo()
            if endpoint.tls == "starttls":
                await _start_tls(smtp, trust)
        yield smtp
    finally:
        with suppress(aiosmtplib.SMTPException, OSError, asyncio.TimeoutError):
            await smtp.quit(timeout=2)
        smtp.close()


async def log_in(smtp: SMTP, credentials: Credentials) -> None:
    """Raises ProviderError with the server's own words."""
    with translated(credentials):
        await _log_in(smtp, credentials)


async def _start_tls(smtp: SMTP, trust: ssl.SSLContext | None) -> None:
    if not smtp.supports_extension("starttls"):
        raise ProviderConnectError("tls_failed", "the server offers no TLS")
    await smtp.starttls(tls_context=trust)
    await smtp.ehlo()


async def _log_in(smtp: SMTP, credentials: Credentials) -> None:
    if not credentials.access_token:
        if not smtp.supported_auth_methods:
            raise ProviderAuthError("login_disabled", "the server takes no password on this connection")
        await smtp.login(credentials.username, credentials.password)
    elif "xoauth2" in smtp.server_auth_methods:
        await smtp.auth_xoauth2(credentials.username, credentials.access_token)
    else:
        raise ProviderAuthError("login_disabled", "the server takes no access token on this connection")


@contextmanager
def translated(credentials: Credentials | None = None) -> Iterator[None]:
    """Whatever the library raises as a ProviderError."""
    try:
        yield
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        raise _told(error, printable(error, credentials)) from None


def _told(error: Exception, detail: str) -> ProviderError:
    match error:
        case aiosmtplib.SMTPAuthenticationError() if error.code < 500:  # RFC 4954 §6: it can't tell just now
            return ProviderConnectError("unavailable", detail)
        case aiosmtplib.SMTPAuthenticationError():
            return ProviderAuthError(refusal.meaning(detail) or "auth_failed", detail)
        case aiosmtplib.SMTPNotSupported():  # it takes only what is no password
            return ProviderAuthError("login_disabled", detail)
        case ssl.SSLError():
            return ProviderConnectError("tls_failed", detail)
        case aiosmtplib.SMTPTimeoutError():
            return ProviderConnectError("connect_timeout", detail)
        case aiosmtplib.SMTPConnectError():
            return _unconnected(error, detail)
        case aiosmtplib.SMTPServerDisconnected() | ConnectionResetError():
            return ProviderConnectError("connection_lost", detail)
        case aiosmtplib.SMTPResponseException() if 400 <= error.code < 500:  # RFC 5321 §4.2.1: a passing trouble
            return ProviderConnectError("unavailable", detail)
        case _:
            return ProviderProtocolError("protocol", detail)


def _unconnected(error: aiosmtplib.SMTPConnectError, detail: str) -> ProviderError:
    """The socket was connected, so it is TLS, or the server hung up before it greeted."""
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ssl.SSLError):
        return ProviderConnectError("tls_failed", detail)
    return ProviderConnectError("unavailable", detail)


def printable(error: Exception, credentials: Credentials | None) -> str:
    """The server's words without a secret that it may have echoed, as it is or as it was sent."""
    said = getattr(error, "message", "") or str(error)
    for form in _secrets(credentials) if credentials else ():
        said = said.replace(form, "…")
    return "".join(char if char.isprintable() else " " for char in said)[:_DETAIL].strip()


def _secrets(credentials: Credentials) -> Iterator[str]:
    user = credentials.username
    for secret in filter(None, (credentials.password, credentials.access_token)):
        yield secret
        for sent in (secret, f"\0{user}\0{secret}", f"user={user}\1auth=Bearer {secret}\1\1"):
            yield base64.b64encode(sent.encode()).decode()
