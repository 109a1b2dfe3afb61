"""What went wrong on an IMAP connection, said in the words of `contracts.provider`."""

import errno
import socket
import ssl
from collections.abc import Iterable

from contracts.provider import (
    ErrorCode,
    MailboxError,
    ProviderAuthError,
    ProviderConnectError,
    ProviderError,
    ProviderNotSupported,
    ProviderProtocolError,
)
from services.mail.imap.parse import Status

DETAIL_LIMIT = 300

# Response codes of RFC 5530, RFC 3501 §7.1 and RFC 7162 that say whose trouble it is.
CONNECTION_CODES: dict[str, ErrorCode] = {
    "LIMIT": "too_many_connections",
    "UNAVAILABLE": "unavailable",
    "INUSE": "unavailable",
    "SERVERBUG": "unavailable",
    "CONTACTADMIN": "unavailable",
}
AUTH_CODES: dict[str, ErrorCode] = {
    "AUTHENTICATIONFAILED": "auth_failed",
    "AUTHORIZATIONFAILED": "auth_failed",
    "EXPIRED": "auth_failed",
    "PRIVACYREQUIRED": "login_disabled",
}
MAILBOX_CODES: dict[str, ErrorCode] = {
    "NONEXISTENT": "mailbox_missing",
    "TRYCREATE": "mailbox_missing",
    "NOPERM": "no_permission",
    "OVERQUOTA": "over_quota",
}
# Servers without RFC 5530 say it in prose only.
LIMIT_WORDS = ("too many", "maximum number of connections", "simultaneous connections", "connection limit")


def protocol(detail: str) -> ProviderProtocolError:
    return ProviderProtocolError("protocol", printable(detail))


def lost(detail: str) -> ProviderConnectError:
    return ProviderConnectError("connection_lost", printable(detail))


def silent(verb: str, seconds: float) -> ProviderConnectError:
    return ProviderConnectError("timeout", f"the server was silent for {seconds:.0f} s during {verb}")


def not_supported(detail: str) -> ProviderNotSupported:
    return ProviderNotSupported("not_supported", detail)


def ended(status: Status) -> ProviderConnectError:
    """The server said BYE (RFC 3501 §7.1.5)."""
    code = CONNECTION_CODES.get(status.code or "") or by_words(status.text) or "connection_lost"
    return ProviderConnectError(code, printable(status.text) or "the server ended the connection")


def login_refused(status: Status, secrets: Iterable[str]) -> ProviderError:
    """A NO or BAD to LOGIN or AUTHENTICATE. Without a code that says otherwise, the credentials are wrong."""
    detail = printable(status.text, secrets) or "the server refused the login"
    if code := CONNECTION_CODES.get(status.code or "") or (by_words(status.text) if not status.code else None):
        return ProviderConnectError(code, detail)
    return ProviderAuthError(AUTH_CODES.get(status.code or "", "auth_failed"), detail)


def refused(status: Status, verb: str) -> ProviderError:
    """A NO or BAD to any other command. The connection is still good, unless the code speaks of the whole server."""
    detail = printable(status.text) or f"the server refused {verb}"
    if code := CONNECTION_CODES.get(status.code or ""):
        return ProviderConnectError(code, detail)
    return MailboxError(MAILBOX_CODES.get(status.code or "", "rejected"), detail)


def by_words(text: str) -> ErrorCode | None:
    lowered = text.lower()
    return "too_many_connections" if any(words in lowered for words in LIMIT_WORDS) else None


def unconnected(error: OSError) -> ProviderConnectError:
    """Why no connection came about: name, port, network or TLS."""
    match error:
        case socket.gaierror():
            return ProviderConnectError("unknown_host", "no such host name")
        case ssl.SSLCertVerificationError():
            return ProviderConnectError("tls_failed", f"the server's certificate: {error.verify_message}")
        case ssl.SSLError():
            return ProviderConnectError("tls_failed", f"no TLS here: {error.reason or 'handshake failed'}")
        case TimeoutError():
            return ProviderConnectError("connect_timeout", "the server does not answer")
    # With several addresses asyncio gives one OSError whose text lists theirs.
    if error.errno == errno.ECONNREFUSED or f"[Errno {errno.ECONNREFUSED}]" in str(error):
        return ProviderConnectError("refused", "nothing listens on that port")
    if isinstance(error, ConnectionError):
        return ProviderConnectError("connection_lost", "the server closed the connection")
    return ProviderConnectError("unavailable", printable(error.strerror or "the network does not reach the server"))


def printable(text: str, secrets: Iterable[str] = ()) -> str:
    """A server's words made safe to show: no secret, no control characters, not long."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    shown = "".join(character if character.isprintable() else " " for character in text[: DETAIL_LIMIT * 2])
    return " ".join(shown.split())[:DETAIL_LIMIT]
