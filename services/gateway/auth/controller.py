"""Sign up, in and out, and leave."""

from typing import Any

import msgspec
from litestar import Controller, Request, Response, delete, get, post
from litestar.params import JSONBody

from services.gateway.accounts.connect import remove
from services.gateway.auth import handles, passwords
from services.gateway.auth.proving import check_code, confirm, good_password, welcome
from services.gateway.auth.structs import Confirmation, Login, Me, Registration
from services.gateway.deps import CurrentUser, Gateway, Parts, as_user
from services.gateway.errors import Refused
from services.gateway.limits import count
from services.gateway.security import SESSION_COOKIE, network, no_cookies, session_cookies, signed_in
from services.gateway.settings.zones import known_zone
from services.state import accounts, attempts, links, sessions, users
from services.state.errors import HandleTaken
from services.state.settings import DEFAULT, Settings

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
        """A new user, signed in. The first one is the administrator."""
        await _may_register(parts, data.invitation)
        localpart = _localpart(data.localpart)
        password = good_password(data.password, localpart)
        settings = msgspec.structs.replace(DEFAULT, tz=known_zone(data.tz), language=data.language)
        await count(parts.db, {f"register:{network(request)}": REGISTRATIONS})
        password_hash = await parts.passwords.hash(password)
        handle = handles.full(localpart, parts.settings.app_domain)
        new = await _register(parts, handle, password_hash, settings, data.invitation)
        me = Me(user_id=new.user_id, handle=handle, settings=settings, is_admin=new.is_admin)
        return await welcome(request, parts, me, 201)

    @post("/login", operation_id="Login", status_code=200)
    async def login(self, request: Request[Any, Any, Any], data: JSONBody[Login], parts: Parts) -> Response[Me]:
        """Ten attempts in 15 minutes for each handle, and from each network; a code is asked for after a good password."""
        handle = handles.of_login(data.handle, parts.settings.app_domain)
        by_handle, by_network = f"login:{handle}", f"login from:{network(request)}"
        await count(parts.db, {by_handle: LOGINS, by_network: LOGINS})
        known = await users.login(parts.db, handle) if len(data.password) <= passwords.LENGTH_MAX else None
        if not await parts.passwords.verify(known.password_hash if known else None, data.password) or known is None:
            raise Refused(401, "invalid_credentials", "Handle and password do not match. Check both and try again.")
        if known.totp_secret is not None:
            if not data.code:
                async with parts.db.acquire() as db:
                    await attempts.take_back(db, by_network)  # the attempt that this one is half of is still to come
                raise Refused(401, "code_required", "Give the code that your authenticator app shows.")
            await check_code(parts, known.user_id, known.totp_secret, data.code, status=401)
        async with parts.db.acquire() as db:
            await attempts.forget(db, by_handle)
            await attempts.take_back(db, by_network)
        me = Me(user_id=known.user_id, handle=handle, settings=known.settings, is_admin=known.is_admin)
        return await welcome(request, parts, me, 200)

    @post("/logout", operation_id="Logout", status_code=204, guards=(signed_in,))
    async def logout(self, user: CurrentUser, parts: Parts) -> Response[None]:
        """Ends this session and its sockets, in every gateway."""
        await sessions.end(parts.db, user.user_id, user.id)
        return Response(None, status_code=204, cookies=no_cookies())

    @get("/me", operation_id="Me", guards=(signed_in,))
    async def me(self, request: Request[Any, Any, Any], user: CurrentUser, parts: Parts) -> Response[Me]:
        """Who is signed in; gives the CSRF cookie again."""
        body = Me(user_id=user.user_id, handle=user.handle, settings=user.settings, is_admin=user.is_admin)
        token = request.cookies[SESSION_COOKIE]
        return Response(body, cookies=session_cookies(parts.identity_key, token, parts.settings.session_ttl_days))

    @delete("/me", operation_id="Leave", status_code=204, guards=(signed_in,))
    async def leave(self, user: CurrentUser, parts: Parts, data: JSONBody[Confirmation]) -> Response[None]:
        """Nobody signs in here any more, at once; every account is erased, and then the user."""
        await confirm(parts, user, data.password)
        async with parts.db.acquire() as db, db.transaction():
            await users.remove(db, user.user_id)
        await _remove_accounts(parts, user)
        return Response(None, status_code=204, cookies=no_cookies())


async def _may_register(parts: Gateway, invitation: str) -> None:
    match parts.settings.registration:
        case "closed":
            raise Refused(403, "registration_closed", "Nobody can sign up here by themselves. Ask the operator.")
        case "invite" if not await links.is_invitation(parts.db, invitation):
            raise Refused(
                403, "invitation_needed", "Signing up here needs an invitation that is still good. Ask for a new one."
            )


async def _register(
    parts: Gateway, handle: str, password_hash: str, settings: Settings, invitation: str
) -> users.Registered:
    """With the invitation used up, or neither."""
    try:
        async with parts.db.acquire() as db, db.transaction():
            if parts.settings.registration == "invite" and not await links.use_invitation(db, invitation):
                raise Refused(403, "invitation_needed", "This invitation has just been used. Ask for a new one.")
            return await users.register(db, handle, password_hash, settings)
    except HandleTaken:
        raise Refused(409, "handle_taken", "Somebody has this handle already. Choose another.") from None


async def _remove_accounts(parts: Gateway, user: sessions.Session) -> None:
    """What can't be done now, the eraser finds by itself."""
    async with as_user(parts.db, user.user_id) as db:
        connected = await accounts.active(db, user.user_id)
    for account in connected:
        try:
            await remove(parts, user.user_id, account.id)
        except Refused:
            continue


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
