"""Proving who one is: password and code, counted before they are looked at; and the session that follows."""

import time
from uuid import UUID

from litestar import Response

from services.gateway.auth import passwords, totp
from services.gateway.auth.structs import Me
from services.gateway.deps import Gateway
from services.gateway.errors import AnyRequest, Refused
from services.gateway.limits import count
from services.gateway.security import SESSION_COOKIE, network, session_cookies
from services.state import attempts, factors, sessions, users
from services.state.sessions import Session

TRIES = 10
"""Wrong passwords and codes of one user, once signed in, in 15 minutes."""


async def confirm(parts: Gateway, user: Session, password: str, code: str | None = None) -> users.Login:
    """The password of who is signed in already, and with `code` the second factor too. Raises Refused."""
    key = f"confirm:{user.user_id}"
    await count(parts.db, {key: TRIES})
    found = await users.find(parts.db, user.user_id)
    known = found[1] if found and len(password) <= passwords.LENGTH_MAX else None
    if not await parts.passwords.verify(known.password_hash if known else None, password) or known is None:
        raise Refused(403, "wrong_password", "This is not your password. Check it and try again.")
    if code is not None and known.totp_secret is not None:
        await check_code(parts, known.user_id, known.totp_secret, code, status=403)
    async with parts.db.acquire() as db:
        await attempts.forget(db, key)
    return known


async def check_code(parts: Gateway, user_id: UUID, sealed: bytes, code: str, *, status: int) -> None:
    """A code of the app or a recovery code, which is used up. Raises Refused."""
    of_app = totp.step(totp.unseal(parts.identity_key, user_id, sealed), code, time.time())
    if of_app is not None and await factors.take_step(parts.db, user_id, of_app):
        return
    if of_app is None and await factors.use_code(parts.db, user_id, code):
        return
    raise Refused(status, "wrong_code", "This code is wrong or was used already. Wait for the next one and try again.")


async def welcome(request: AnyRequest, parts: Gateway, me: Me, status: int) -> Response[Me]:
    """A new session for this browser; the one that it had is ended, so that no old token lives on unseen."""
    days = parts.settings.session_ttl_days
    old = await sessions.find(parts.db, request.cookies.get(SESSION_COOKIE, ""), days)
    async with parts.db.acquire() as db:
        if old is not None:
            await sessions.end(db, old.user_id, old.id)
        agent = request.headers.get("user-agent", "")
        token, _ = await sessions.start(db, me.user_id, agent, days, network(request))
    await parts.hub.announce_active(me.user_id)
    return Response(me, status_code=status, cookies=session_cookies(parts.identity_key, token, days))


def good_password(password: str, localpart: str) -> str:
    """The same. Raises Refused."""
    if (reason := passwords.weakness(password, localpart)) is not None:
        raise Refused(400, "weak_password", reason)
    return password
