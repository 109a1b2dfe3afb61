"""Sign up, in and out."""

from typing import Any

import msgspec
from litestar import Controller, Request, Response, get, post
from litestar.params import JSONBody

from services.gateway.auth import handles, passwords
from services.gateway.auth.structs import Login, Me, Registration
from services.gateway.deps import CurrentUser, Gateway, Parts
from services.gateway.errors import AnyRequest, Refused
from services.gateway.limits import count
from services.gateway.security import SESSION_COOKIE, network, no_cookies, session_cookies, signed_in
from services.gateway.settings.zones import known_zone
from services.state import attempts, sessions, users
from services.state.errors import HandleTaken
from services.state.settings import DEFAULT

LOGINS = 10
REGISTRATIONS = 60


class AuthController(Controller):
    """Sessions begin and end here."""

    path = "/auth"
    tags = ("auth",)

    @post("/register", operation_id="Register", status_code=201)
    async def register(
        self, request: Request[Any, Any, Any], data: JSONBody[Registration], parts: Parts
    ) -> Response[Me]:
        """A new user, signed in."""
        if parts.settings.registration != "open":
            raise Refused(403, "registration_closed", "Nobody can sign up here by themselves. Ask the operator.")
        localpart = _localpart(data.localpart)
        if (reason := passwords.weakness(data.password, localpart)) is not None:
            raise Refused(400, "weak_password", reason)
        settings = msgspec.structs.replace(DEFAULT, tz=known_zone(data.tz), language=data.language)
        await count(parts.db, {f"register:{network(request)}": REGISTRATIONS})
        password_hash = await parts.passwords.hash(data.password)
        handle = handles.full(localpart, parts.settings.app_domain)
        try:
            user_id = await users.register(parts.db, handle, password_hash, settings)
        except HandleTaken:
            raise Refused(409, "handle_taken", "Somebody has this handle already. Choose another.") from None
        return await _welcome(request, parts, Me(user_id=user_id, handle=handle, settings=settings), 201)

    @post("/login", operation_id="Login", status_code=200)
    async def login(self, request: Request[Any, Any, Any], data: JSONBody[Login], parts: Parts) -> Response[Me]:
        """Ten attempts in 15 minutes for each handle, and from each network."""
        handle = handles.of_login(data.handle, parts.settings.app_domain)
        by_handle, by_network = f"login:{handle}", f"login from:{network(request)}"
        await count(parts.db, {by_handle: LOGINS, by_network: LOGINS})
        known = await users.login(parts.db, handle) if len(data.password) <= passwords.LENGTH_MAX else None
        if not await parts.passwords.verify(known.password_hash if known else None, data.password) or known is None:
            raise Refused(401, "invalid_credentials", "Handle and password do not match. Check both and try again.")
        async with parts.db.acquire() as db:
            await attempts.forget(db, by_handle)
            await attempts.take_back(db, by_network)
        return await _welcome(request, parts, Me(user_id=known.user_id, handle=handle, settings=known.settings), 200)

    @post("/logout", operation_id="Logout", status_code=204, guards=(signed_in,))
    async def logout(self, user: CurrentUser, parts: Parts) -> Response[None]:
        """Ends this session and its sockets, in every gateway."""
        await sessions.end(parts.db, user.user_id, user.id)
        return Response(None, status_code=204, cookies=no_cookies())

    @get("/me", operation_id="Me", guards=(signed_in,))
    async def me(self, request: Request[Any, Any, Any], user: CurrentUser, parts: Parts) -> Response[Me]:
        """Who is signed in; gives the CSRF cookie again."""
        body = Me(user_id=user.user_id, handle=user.handle, settings=user.settings)
        token = request.cookies[SESSION_COOKIE]
        return Response(body, cookies=session_cookies(parts.identity_key, token, parts.settings.session_ttl_days))


def _localpart(given: str) -> str:
    localpart = handles.normalised(given)
    if localpart is None:
        raise Refused(
            400,
            "invalid_handle",
            f"Use {handles.LENGTH_MIN} to {handles.LENGTH_MAX} of a-z, 0-9, dot, dash and underscore, "
            "beginning and ending with a letter or digit, without two dots in a row.",
        )
    if handles.is_reserved(localpart):
        raise Refused(400, "reserved_handle", "This name is kept for the service itself. Choose another.")
    return localpart


async def _welcome(request: AnyRequest, parts: Gateway, me: Me, status: int) -> Response[Me]:
    """A new session for this browser; the one that it had is ended, so that no old token lives on unseen."""
    days = parts.settings.session_ttl_days
    old = await sessions.find(parts.db, request.cookies.get(SESSION_COOKIE, ""), days)
    async with parts.db.acquire() as db:
        if old is not None:
            await sessions.end(db, old.user_id, old.id)
        token, _ = await sessions.start(db, me.user_id, request.headers.get("user-agent", ""), days)
    await parts.hub.announce_active(me.user_id)
    return Response(me, status_code=status, cookies=session_cookies(parts.identity_key, token, days))
