"""LOGIN and AUTHENTICATE (RFC 3501 §6.2): a password by PLAIN (RFC 4616), an access token by XOAUTH2 or OAUTHBEARER (RFC 7628)."""

import base64
from collections.abc import Sequence

from contracts.provider import ProviderAuthError
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import errors
from services.mail.imap.names import astring
from services.mail.imap.wire import Answer, Wire

FORBIDDEN = "\0\1\r\n"
DUMMY = base64.b64encode(b"\1")
"""Answers the challenge that explains a refused token, so that the refusal follows (RFC 7628 §3.2.3)."""


async def log_in(wire: Wire, capabilities: frozenset[str], endpoint: Endpoint, credentials: Credentials) -> Answer:
    """The answer that let us in. Capabilities may be others afterwards. Raises without a secret in what is told."""
    if any(character in FORBIDDEN for character in f"{credentials.username}{_secret(credentials)}"):
        raise ProviderAuthError("auth_failed", "a control character is not allowed in a user name, password or token")
    if credentials.access_token:
        answer, sent = await _with_token(wire, capabilities, endpoint, credentials)
    else:
        answer, sent = await _with_password(wire, capabilities, credentials)
    if answer.status.kind != "OK":
        raise errors.login_refused(answer.status, (sent, _secret(credentials)))
    return answer


async def _with_password(wire: Wire, capabilities: frozenset[str], credentials: Credentials) -> tuple[Answer, str]:
    """BAD is no word about the password: some servers announce PLAIN and know only LOGIN."""
    if "AUTH=PLAIN" in capabilities:
        message = f"\0{credentials.username}\0{credentials.password}"
        answer, sent = await _authenticate(wire, capabilities, b"PLAIN", message, ())
        if answer.status.kind != "BAD" or "LOGINDISABLED" in capabilities:
            return answer, sent
    elif "LOGINDISABLED" in capabilities:
        raise ProviderAuthError("login_disabled", "the server takes no password on this connection")
    answer = await wire.execute(
        "LOGIN", *(astring(one.encode()) for one in (credentials.username, credentials.password))
    )
    return answer, credentials.password.replace("\\", "\\\\").replace('"', '\\"')


async def _with_token(
    wire: Wire, capabilities: frozenset[str], endpoint: Endpoint, credentials: Credentials
) -> tuple[Answer, str]:
    user, bearer = credentials.username, f"auth=Bearer {credentials.access_token}\1"
    if "AUTH=XOAUTH2" in capabilities:
        return await _authenticate(wire, capabilities, b"XOAUTH2", f"user={user}\1{bearer}\1", (b"",))
    if "AUTH=OAUTHBEARER" in capabilities:
        name = user.replace("=", "=3D").replace(",", "=2C")  # RFC 5801 §4
        where = f"host={endpoint.host}\1port={endpoint.port}\1"
        return await _authenticate(wire, capabilities, b"OAUTHBEARER", f"n,a={name},\1{where}{bearer}\1", (DUMMY,))
    raise ProviderAuthError("login_disabled", "the server takes no access token on this connection")


async def _authenticate(
    wire: Wire, capabilities: frozenset[str], mechanism: bytes, message: str, answers: Sequence[bytes]
) -> tuple[Answer, str]:
    """The server's answer and what was sent, at once where it can be (RFC 4959)."""
    sent = base64.b64encode(message.encode())
    if "SASL-IR" in capabilities:
        answer = await wire.execute("AUTHENTICATE", mechanism, sent, answers=answers)
    else:
        answer = await wire.execute("AUTHENTICATE", mechanism, answers=(sent, *answers))
    return answer, sent.decode("ascii")


def _secret(credentials: Credentials) -> str:
    return credentials.access_token or credentials.password
