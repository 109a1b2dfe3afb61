"""What went wrong on an IMAP connection, said in the words of `contracts.provider`."""

import re
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
from services.mail import dial, refusal
from services.mail.imap.parse import Status

DETAIL_LIMIT = 300

# Response codes of RFC 5530, RFC 3501 §7.1, RFC 7162 and of Exchange that say whose trouble it is.
CONNECTION_CODES: dict[str, ErrorCode] = {
    "LIMIT": "too_many_connections",
    "THROTTLED": "too_many_connections",
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
# Servers without RFC 5530 say it in prose only, and some beside a code that speaks of something else.
WORDS: dict[ErrorCode, re.Pattern[str]] = {
    "too_many_connections": re.compile(
        r"too many|maximum (number of )?connections|(simultaneous|concurrent) (connections|sessions|logins)"
        r"|connection(s| count)? (limit|exceeded)|(number of|allowed) connections|rate limit|throttl|bandwidth limits"
    ),
    "unavailable": re.compile(
        r"try (again|later)|temporar|unavailable|internal (server )?error|server (error|busy)|system error|not connected"
    ),
}


class Misunderstood(MailboxError):
    """BAD: the server knows no such command, or not this form of it."""


def protocol(detail: str) -> ProviderProtocolError:
    return ProviderProtocolError("protocol", printable(detail))


def lost(detail: str) -> ProviderConnectError:
    return ProviderConnectError("connection_lost", printable(detail))


def silent(verb: str, seconds: float) -> ProviderConnectError:
    return ProviderConnectError("timeout", f"the server was silent for {seconds:.0f} s during {verb}")


def endless(verb: str, seconds: float) -> ProviderConnectError:
    return ProviderConnectError("timeout", f"no end of {verb} after {seconds:.0f} s")


def trickle(verb: str, rate: float) -> ProviderConnectError:
    return ProviderConnectError("timeout", f"only {rate:.0f} bytes a second during {verb}")


def not_supported(detail: str) -> ProviderNotSupported:
    return ProviderNotSupported("not_supported", detail)


def ended(status: Status) -> ProviderConnectError:
    """The server said BYE (RFC 3501 §7.1.5)."""
    code = CONNECTION_CODES.get(status.code or "") or by_words(status.text) or "connection_lost"
    return ProviderConnectError(code, printable(status.text) or "the server ended the connection")


def login_refused(status: Status, secrets: Iterable[str]) -> ProviderError:
    """A NO or BAD to LOGIN or AUTHENTICATE. Without a code that says otherwise, the credentials are wrong."""
    detail = printable(status.text, secrets) or "the server refused the login"
    if needed := refusal.meaning(detail):
        return ProviderAuthError(needed, detail)
    if code := CONNECTION_CODES.get(status.code or "") or (
        by_words(status.text) if status.code not in AUTH_CODES else None
    ):
        return ProviderConnectError(code, detail)
    return ProviderAuthError(AUTH_CODES.get(status.code or "", "auth_failed"), detail)


def refused(status: Status, verb: str) -> ProviderError:
    """A NO or BAD to any other command. The connection is still good, unless the code speaks of the whole server."""
    detail = printable(status.text) or f"the server refused {verb}"
    if code := CONNECTION_CODES.get(status.code or ""):
        return ProviderConnectError(code, detail)
    kind = Misunderstood if status.kind == "BAD" else MailboxError
    return kind(MAILBOX_CODES.get(status.code or "", "rejected"), detail)


def by_words(text: str) -> ErrorCode | None:
    lowered = text.lower()
    return next((code for code, words in WORDS.items() if words.search(lowered)), None)


def unconnected(error: OSError) -> ProviderConnectError:
    """Why no conversation came about, TLS included."""
    match error:
        case ssl.SSLCertVerificationError():
            return ProviderConnectError("tls_failed", f"the server's certificate: {error.verify_message}")
        case ssl.SSLError():
            return ProviderConnectError("tls_failed", f"no TLS here: {error.reason or 'handshake failed'}")
        case ConnectionAbortedError():  # what asyncio says of a handshake that took too long
            return ProviderConnectError("connect_timeout", "the server does not finish the TLS handshake")
    return dial.unconnected(error)


def printable(text: str, secrets: Iterable[str] = ()) -> str:
    """A server's words made safe to show: no secret, no control characters, not long."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    shown = "".join(character if character.isprintable() else " " for character in text[: DETAIL_LIMIT * 2])
    return " ".join(shown.split())[:DETAIL_LIMIT]
