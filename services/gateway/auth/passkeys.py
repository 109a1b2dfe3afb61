"""Passkeys: add one, look after them, sign in by one."""

import secrets
from typing import Any
from uuid import UUID

from litestar import Controller, Request, Response, delete, get, patch, post
from litestar.datastructures import Cookie
from litestar.params import FromPath, JSONBody

from services.gateway.auth import ceremonies
from services.gateway.auth.controller import LOGINS
from services.gateway.auth.proving import confirm, welcome
from services.gateway.auth.structs import (
    Ceremony,
    Confirmation,
    Me,
    NewPasskey,
    Passkey,
    PasskeyList,
    PasskeyLogin,
    PasskeyName,
)
from services.gateway.deps import CurrentUser, Parts
from services.gateway.errors import AnyRequest, Refused, not_found
from services.gateway.limits import count
from services.gateway.security import SESSION_COOKIE, network, signed_in
from services.state import attempts, challenges, passkeys, users

COOKIE = "__Host-passkey"
"""What binds a challenge to the browser that asked for it, before anybody is signed in."""

MOST = 20
NAME_LIMIT = 60
CHALLENGES = 60


class PasskeyController(Controller):
    """A challenge is good for one browser, once, for five minutes."""

    path = "/auth/passkeys"
    tags = ("auth",)

    @get(operation_id="ListPasskeys", guards=(signed_in,))
    async def listed(self, user: CurrentUser, parts: Parts) -> PasskeyList:
        return PasskeyList(passkeys=[_shown(one) for one in await passkeys.listed(parts.db, user.user_id)])

    @post("/options", operation_id="BeginPasskey", status_code=200, guards=(signed_in,))
    async def begin(
        self, request: Request[Any, Any, Any], user: CurrentUser, parts: Parts, data: JSONBody[Confirmation]
    ) -> Ceremony:
        """Asks for the password once more: whoever has only the session must not get a key to come back with."""
        await confirm(parts, user, data.password)
        known = await passkeys.credentials(parts.db, user.user_id)
        if len(known) >= MOST:
            raise Refused(409, "too_many_passkeys", f"You have {MOST} passkeys. Remove one that you no longer use.")
        challenge = await challenges.pose(parts.db, _of_session(request))
        at = ceremonies.site(request, parts.settings.app_domain)
        return Ceremony(options=ceremonies.to_register(at, user.user_id, user.handle, challenge, known))

    @post(operation_id="AddPasskey", status_code=201, guards=(signed_in,))
    async def add(
        self, request: Request[Any, Any, Any], user: CurrentUser, parts: Parts, data: JSONBody[NewPasskey]
    ) -> Passkey:
        challenge = await challenges.take(parts.db, _of_session(request))
        if challenge is None:
            raise Refused(400, "passkey_refused", "This took too long. Begin again.")
        at = ceremonies.site(request, parts.settings.app_domain)
        made = ceremonies.registered(at, challenge, data.credential)
        new = await passkeys.add(
            parts.db,
            user.user_id,
            credential_id=made.credential_id,
            public_key=made.credential_public_key,
            sign_count=made.sign_count,
            name=_name(data.name),
        )
        if new is None:
            raise Refused(409, "passkey_exists", "This passkey is known already.")
        return _shown(new)

    @patch("/{passkey_id:uuid}", operation_id="RenamePasskey", guards=(signed_in,))
    async def rename(
        self, user: CurrentUser, parts: Parts, passkey_id: FromPath[UUID], data: JSONBody[PasskeyName]
    ) -> Passkey:
        renamed = await passkeys.rename(parts.db, user.user_id, passkey_id, _name(data.name))
        if renamed is None:
            raise not_found("passkey")
        return _shown(renamed)

    @delete("/{passkey_id:uuid}", operation_id="RemovePasskey", guards=(signed_in,))
    async def remove(self, user: CurrentUser, parts: Parts, passkey_id: FromPath[UUID]) -> None:
        """It signs nobody in any more."""
        if not await passkeys.remove(parts.db, user.user_id, passkey_id):
            raise not_found("passkey")

    @post("/challenge", operation_id="BeginPasskeyLogin", status_code=200)
    async def challenge(self, request: Request[Any, Any, Any], parts: Parts) -> Response[Ceremony]:
        await count(parts.db, {f"challenge:{network(request)}": CHALLENGES})
        browser = secrets.token_urlsafe(32)
        challenge = await challenges.pose(parts.db, browser)
        at = ceremonies.site(request, parts.settings.app_domain)
        return Response(
            Ceremony(options=ceremonies.to_sign_in(at, challenge)),
            cookies=[_cookie(browser, int(challenges.LIFE.total_seconds()))],
        )

    @post("/login", operation_id="PasskeyLogin", status_code=200)
    async def login(self, request: Request[Any, Any, Any], parts: Parts, data: JSONBody[PasskeyLogin]) -> Response[Me]:
        """No code is asked for: the authenticator has checked that it is its owner who signs."""
        by_network = f"login from:{network(request)}"
        await count(parts.db, {by_network: LOGINS})
        challenge = await challenges.take(parts.db, request.cookies.get(COOKIE, ""))
        credential_id = ceremonies.credential_id(data.credential)
        known = await passkeys.find(parts.db, credential_id)
        if challenge is None or known is None:
            raise ceremonies.not_known()
        at = ceremonies.site(request, parts.settings.app_domain)
        proof = ceremonies.signed(at, challenge, data.credential, known)
        found = await users.find(parts.db, known.user_id)
        used = await passkeys.use(parts.db, known.user_id, credential_id, proof.new_sign_count)
        if found is None or not used:
            raise ceremonies.not_known()
        handle, user = found
        async with parts.db.acquire() as db:
            await attempts.take_back(db, by_network)
        me = Me(user_id=user.user_id, handle=handle, settings=user.settings, is_admin=user.is_admin)
        answer = await welcome(request, parts, me, 200)
        answer.set_cookie(_cookie("", 0))
        return answer


def _of_session(request: AnyRequest) -> str:
    return f"session:{request.cookies[SESSION_COOKIE]}"


def _cookie(value: str, seconds: int) -> Cookie:
    return Cookie(COOKIE, value=value, max_age=seconds, secure=True, httponly=True, samesite="strict")


def _name(given: str) -> str:
    name = " ".join(given.replace("\0", "").split())[:NAME_LIMIT]
    if not name:
        raise Refused(400, "invalid_name", "Give it a name by which you will know it.")
    return name


def _shown(one: passkeys.Passkey) -> Passkey:
    return Passkey(**one._asdict())
