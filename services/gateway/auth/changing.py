"""Another password: by whoever knows the old one, or has a link of the operator's."""

from typing import Any

from litestar import Controller, Request, Response, post
from litestar.params import JSONBody

from services.gateway.auth.proving import confirm, good_password
from services.gateway.auth.structs import PasswordChange, PasswordReset
from services.gateway.deps import CurrentUser, Parts
from services.gateway.errors import Refused
from services.gateway.limits import count
from services.gateway.security import network, no_cookies, signed_in
from services.state import links, users

RESETS = 30


class PasswordController(Controller):
    """Either way every other session ends."""

    path = "/auth/password"
    tags = ("auth",)

    @post(operation_id="ChangePassword", status_code=204, guards=(signed_in,))
    async def change(self, user: CurrentUser, parts: Parts, data: JSONBody[PasswordChange]) -> None:
        """This session stays."""
        new = good_password(data.new_password, _localpart(user.handle))
        await confirm(parts, user, data.password)
        password_hash = await parts.passwords.hash(new)
        async with parts.db.acquire() as db, db.transaction():
            await users.change_password(db, user.user_id, password_hash, keep=user.id)

    @post("/reset", operation_id="ResetPassword", status_code=204)
    async def reset(
        self, request: Request[Any, Any, Any], parts: Parts, data: JSONBody[PasswordReset]
    ) -> Response[None]:
        """The link is used up only by a password that will do. Nobody is signed in by it."""
        await count(parts.db, {f"reset from:{network(request)}": RESETS})
        found = await links.whose(parts.db, data.token)
        if found is None:
            raise _useless()
        password_hash = await parts.passwords.hash(good_password(data.new_password, _localpart(found[1])))
        async with parts.db.acquire() as db, db.transaction():
            user_id = await links.use_reset(db, data.token)
            if user_id is None or not await users.change_password(db, user_id, password_hash):
                raise _useless()
        return Response(None, status_code=204, cookies=no_cookies())


def _useless() -> Refused:
    return Refused(400, "link_useless", "This link was used already or is too old. Ask for a new one.")


def _localpart(handle: str) -> str:
    return handle.partition("@")[0]
