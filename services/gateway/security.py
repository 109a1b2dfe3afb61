"""Who asks, from where: the session cookie, CSRF by double submit, the page's origin, and headers for every answer."""

import hmac
import ipaddress
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.handlers import BaseRouteHandler
from litestar.types import Message, Scope

from services.gateway.errors import AnyConnection, AnyRequest, Refused
from services.gateway.proxies import address
from services.state import sessions

SESSION_COOKIE = "__Host-session"
CSRF_COOKIE = "__Host-csrf"
CSRF_HEADER = "X-CSRF"

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_DAY = 86_400

BINARY = {"bytes": True}
"""`opt` of a route whose body may be bytes as well: no form can send application/octet-stream either."""

API_CSP = "default-src 'none'; frame-ancestors 'none'"
APP_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; manifest-src 'self'; worker-src 'self'"
)

# What every answer carries unless its route says otherwise.
_DEFAULTS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Content-Security-Policy": API_CSP,
}


async def signed_in(connection: AnyConnection, _: BaseRouteHandler) -> None:
    """A guard: a live session, and for every change its CSRF token in the header as well as in the cookie."""
    gateway = connection.app.state.gateway
    token = connection.cookies.get(SESSION_COOKIE, "")
    days = gateway.settings.session_ttl_days
    session = await sessions.find(gateway.db, token, days, network(connection)) if token else None
    if session is None:
        raise Refused(401, "not_signed_in", "You are not signed in, or your session has ended. Sign in again.")
    if connection.scope.get("method", "GET") not in _SAFE:
        expected = csrf_token(gateway.identity_key, token)
        given = connection.headers.get(CSRF_HEADER, "")
        double = connection.cookies.get(CSRF_COOKIE, "")
        if not (_same(given, expected) and _same(double, expected)):
            raise Refused(403, "csrf", "The request did not come from this page as it is now. Reload it and try again.")
    connection.scope["user"] = session


def same_origin(connection: AnyConnection, handler: BaseRouteHandler) -> None:
    """A guard: no other site's page changes anything, with or without a session; bodies are JSON, which forms can't send."""
    if connection.scope.get("method", "GET") in _SAFE:
        return
    if is_foreign(connection):
        raise Refused(403, "foreign_origin", "This request came from another site's page and was refused.")
    if connection.headers.get("content-length", "0") != "0" or "transfer-encoding" in connection.headers:
        kind = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json" and not (handler.opt.get("bytes") and kind == "application/octet-stream"):
            raise Refused(415, "unsupported_media_type", "Send JSON with Content-Type: application/json.")


def is_foreign(connection: AnyConnection) -> bool:
    """Whether a browser says that the asking page is not ours; programs send no Origin."""
    origin = connection.headers.get("origin")
    if origin is None:
        return connection.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
    return urlsplit(origin).netloc.lower() != connection.headers.get("host", "").lower()


def csrf_token(identity_key: bytes, session_token: str) -> str:
    """Bound to the session; only who has the key can make one."""
    digest = hmac.digest(identity_key, b"csrf:" + session_token.encode(), sha256)
    return urlsafe_b64encode(digest).decode().rstrip("=")


def session_cookies(identity_key: bytes, token: str, days: int) -> list[Cookie]:
    """`__Host-`: Secure, this host only, path `/` (RFC 6265bis §4.1.3.2)."""
    return [
        Cookie(SESSION_COOKIE, value=token, max_age=days * _DAY, secure=True, httponly=True, samesite="lax"),
        Cookie(CSRF_COOKIE, value=csrf_token(identity_key, token), max_age=days * _DAY, secure=True, samesite="lax"),
    ]


def no_cookies() -> list[Cookie]:
    return [
        Cookie(SESSION_COOKIE, value="", max_age=0, secure=True, httponly=True, samesite="lax"),
        Cookie(CSRF_COOKIE, value="", max_age=0, secure=True, samesite="lax"),
    ]


def cookies_work(request: AnyRequest) -> bool:
    """Browsers keep Secure cookies over TLS, and from this machine itself."""
    host = request.url.hostname or ""
    return request.url.scheme == "https" or host == "localhost" or host.endswith(".localhost") or _is_loopback(host)


def network(connection: AnyConnection) -> str:
    """Whom to count attempts against: an IPv4 address, or the /64 that one IPv6 customer has."""
    found = address(connection.client.host) if connection.client else None
    if found is None:
        return "unknown"
    return str(ipaddress.ip_network((found, 64), strict=False) if found.version == 6 else found)


def administrator(connection: AnyConnection, _: BaseRouteHandler) -> None:
    """A guard after `signed_in`."""
    if not connection.scope["user"].is_admin:
        raise Refused(403, "forbidden", "Only an administrator may do this.")


async def add_headers(message: Message, scope: Scope) -> None:
    """A hook on every answer, errors of unknown addresses too."""
    if message["type"] != "http.response.start":
        return
    headers: Any = MutableScopeHeaders.from_message(message)
    for name, value in _DEFAULTS.items():
        headers.setdefault(name, value)
    if scope.get("scheme") == "https":
        headers.setdefault("Strict-Transport-Security", "max-age=31536000")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
