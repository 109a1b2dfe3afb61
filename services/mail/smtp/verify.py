"""Whether a submission server takes this login: EHLO, TLS and AUTH, and nothing is sent."""

import asyncio
import base64
import ssl
from contextlib import suppress

import aiosmtplib
from aiosmtplib import SMTP

from contracts.provider import ProviderAuthError, ProviderConnectError, ProviderError, ProviderProtocolError
from services.mail.dial import dial
from services.mail.endpoint import Credentials, Endpoint

TIMEOUT = 20.0
HELLO = "localhost"
"""What EHLO says: not this machine's own name, which is nobody's business."""

_DETAIL = 300


async def verify(endpoint: Endpoint, credentials: Credentials, trust: ssl.SSLContext | None = None) -> None:
    """Raises ProviderError with the server's own words. TLS is never optional where it was asked for (RFC 8314 §3)."""
    smtp = SMTP(
        hostname=endpoint.host,
        port=None,
        sock=await dial(endpoint.host, endpoint.port, TIMEOUT),
        local_hostname=HELLO,
        timeout=TIMEOUT,
        use_tls=endpoint.tls == "ssl",
        start_tls=False,  # done below, where its absence has a name of its own
        tls_context=trust,
    )
    try:
        await smtp.connect()
        await smtp.ehlo()
        if endpoint.tls == "starttls":
            await _start_tls(smtp, trust)
        await _log_in(smtp, credentials)
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        raise _translated(error, credentials) from None
    finally:
        with suppress(aiosmtplib.SMTPException, OSError, asyncio.TimeoutError):
            await smtp.quit(timeout=2)
        smtp.close()


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


def _translated(error: Exception, credentials: Credentials) -> ProviderError:
    detail = _printable(error, credentials)
    match error:
        case aiosmtplib.SMTPAuthenticationError():
            return ProviderAuthError("auth_failed", detail)
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


def _printable(error: Exception, credentials: Credentials) -> str:
    """The server's words without a secret that it may have echoed, as it is or as it was sent."""
    said = getattr(error, "message", "") or str(error)
    user = credentials.username
    for secret in filter(None, (credentials.password, credentials.access_token)):
        sent = (secret, f"\0{user}\0{secret}", f"user={user}\1auth=Bearer {secret}\1\1")
        for form in (secret, *(base64.b64encode(text.encode()).decode() for text in sent)):
            said = said.replace(form, "…")
    return "".join(char if char.isprintable() else " " for char in said)[:_DETAIL].strip()
