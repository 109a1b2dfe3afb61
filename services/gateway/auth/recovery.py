"""A way back in by mail: an address of one's own, shown to be so, and a link for a new password that is sent there."""

from email.errors import HeaderParseError
from email.headerregistry import Address
from typing import Any

from litestar import Controller, Request, Response, delete, get, post, put
from litestar.background_tasks import BackgroundTask
from litestar.params import JSONBody

from services.gateway.accounts.wishes import check_email
from services.gateway.auth import handles
from services.gateway.auth.proving import confirm
from services.gateway.auth.structs import Confirmation, Recovery, RecoveryWish, ResetRequest, Token
from services.gateway.deps import CurrentUser, Gateway, Parts
from services.gateway.errors import Refused, not_found
from services.gateway.limits import count
from services.gateway.security import network, signed_in
from services.state import links, system_mails, users
from services.state.system_mails import SystemMail

REQUESTS = 5
"""For one handle in 15 minutes, and of one user for an address."""

OF_A_NETWORK = 30


class RecoveryController(Controller):
    """Where the operator has set no SYSTEM_MAIL_FROM, there is nothing of this."""

    path = "/auth"
    tags = ("auth",)

    @get("/recovery", operation_id="GetRecovery", guards=(signed_in,))
    async def shown(self, user: CurrentUser, parts: Parts) -> Recovery:
        return Recovery(email=await users.recovery_email(parts.db, user.user_id))

    @put("/recovery", operation_id="SetRecovery", status_code=202, guards=(signed_in,))
    async def wish(self, user: CurrentUser, parts: Parts, data: JSONBody[RecoveryWish]) -> None:
        """A link is sent there; until it is opened, the address before stays."""
        _offered(parts)
        _check_address(data.email)
        await confirm(parts, user, data.password)
        await count(parts.db, {f"recovery:{user.user_id}": REQUESTS})
        async with parts.db.acquire() as db, db.transaction():
            token = await links.verification(db, user.user_id, data.email)
            link = f"{parts.settings.public_url}/verify#{token}"
            mail = SystemMail(kind="verify", to=data.email, link=link, language=user.settings.language)
            await system_mails.post(db, user.user_id, parts.sync_public_key, mail)

    @delete("/recovery", operation_id="ForgetRecovery", guards=(signed_in,))
    async def forget(self, user: CurrentUser, parts: Parts, data: JSONBody[Confirmation]) -> None:
        await confirm(parts, user, data.password)
        await users.forget_recovery_email(parts.db, user.user_id)

    @post("/recovery/verify", operation_id="VerifyRecovery", status_code=204)
    async def verify(self, request: Request[Any, Any, Any], parts: Parts, data: JSONBody[Token]) -> None:
        """By whoever has the link, signed in or not."""
        await count(parts.db, {f"verify from:{network(request)}": OF_A_NETWORK})
        if not await links.verify(parts.db, data.token):
            raise Refused(400, "link_useless", "This link was used already or is too old. Ask for a new one.")

    @post("/password/reset-request", operation_id="RequestReset", status_code=202)
    async def ask(self, request: Request[Any, Any, Any], parts: Parts, data: JSONBody[ResetRequest]) -> Response[None]:
        """The same answer for every handle, and what is done for one that exists is done after it."""
        _offered(parts)
        handle = handles.of_login(data.handle, parts.settings.app_domain)
        await count(parts.db, {f"reset:{handle}": REQUESTS, f"resets from:{network(request)}": OF_A_NETWORK})
        return Response(None, status_code=202, background=BackgroundTask(_send_link, parts, handle))


async def _send_link(parts: Gateway, handle: str) -> None:
    """To a name of PUBLIC_URL, never of the request: whoever asks must not choose where the token goes."""
    async with parts.db.acquire() as db, db.transaction():
        known = await users.recoverable(db, handle)
        if known is not None:
            link = f"{parts.settings.public_url}/reset#{await links.reset(db, known.user_id)}"
            mail = SystemMail(kind="reset", to=known.email, link=link, language=known.settings.language)
            await system_mails.post(db, known.user_id, parts.sync_public_key, mail)


def _check_address(email: str) -> None:
    """One address of mail and nothing else (RFC 5322 §3.4.1). Raises Refused."""
    check_email(email)
    try:
        Address(addr_spec=email)
    except (ValueError, IndexError, HeaderParseError):
        raise Refused(400, "invalid_email", "Write the whole address, such as anna@example.org.") from None


def _offered(parts: Gateway) -> None:
    if not parts.settings.system_mail_from:
        raise not_found("page")
