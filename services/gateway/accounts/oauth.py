"""Accounts that are entered by signing in at their provider: the browser goes there, and comes back with a code (RFC 6749 §4.1).

What comes back is taken once, in the session that sent the browser there. The code goes to sync as it came, and nothing
else of it is ever here.
"""

from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
import structlog
from litestar import Controller, Request, get, post
from litestar.params import FromQuery, JSONBody, QueryParameter
from litestar.response import Redirect

from services import vault
from services.config import OAuthName
from services.gateway.accounts import wishes
from services.gateway.accounts.advice import ADVICE_ON_SIGNING_IN
from services.gateway.accounts.changing import tell
from services.gateway.accounts.connect import TRIES, Row, added, ask_whether
from services.gateway.deps import CurrentUser, Gateway, Parts, as_user
from services.gateway.errors import Refused
from services.gateway.limits import count
from services.gateway.security import signed_in
from services.oauth import pkce
from services.oauth.providers import PROVIDERS
from services.state import accounts, sign_ins
from services.state.accounts import Endpoint
from services.state.sign_ins import SignIn

SUBJECT = "rpc.sync.oauth.exchange"
BACK = "/api/accounts/oauth/callback"
WIZARD = "/settings/accounts/new"

Brought = Annotated[str, QueryParameter(name="state")]
"""Litestar keeps the name for itself."""

log = structlog.get_logger()


class NewSignIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a new account, or of one that is to be connected again: the address says which."""

    provider: OAuthName
    email: str
    display_name: str


class SignInPage(msgspec.Struct, frozen=True, kw_only=True):
    """Where the browser goes now."""

    url: str


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """What sync is asked; `code` and `verifier` are sealed."""

    user_id: UUID
    account_id: UUID
    provider: str
    imap: Endpoint
    smtp: Endpoint
    code: bytes
    verifier: bytes
    redirect_uri: str


class OAuthController(Controller):
    """There and back."""

    path = "/accounts/oauth"
    tags = ("accounts",)
    guards = (signed_in,)

    @post("/start", operation_id="BeginSignIn", status_code=200)
    async def start(
        self, request: Request[Any, Any, Any], user: CurrentUser, parts: Parts, data: JSONBody[NewSignIn]
    ) -> SignInPage:
        """Good for ten minutes, once, and in this session."""
        wishes.check_email(data.email)
        wishes.check_look(data.display_name, None)
        client = parts.settings.oauth.get(data.provider)
        if client is None:
            raise Refused(409, "not_set_up", ADVICE_ON_SIGNING_IN["not_set_up"])
        await count(parts.db, {f"connect:{user.user_id}": TRIES})
        proof, back = pkce.verifier(), str(request.base_url).rstrip("/") + BACK
        sealed = vault.seal(parts.sync_public_key, proof.encode())
        state = await sign_ins.begin(
            parts.db, user.id, SignIn(data.provider, data.email, data.display_name, back, sealed)
        )
        url = pkce.sign_in_url(
            PROVIDERS[data.provider],
            client_id=client.id,
            redirect_uri=back,
            state=state,
            proof=proof,
            email=data.email,
        )
        return SignInPage(url=url)

    @get("/callback", operation_id="EndSignIn", status_code=303)
    async def callback(
        self, user: CurrentUser, parts: Parts, brought: Brought = "", code: FromQuery[str] = ""
    ) -> Redirect:
        """Where the provider sends the browser; goes on to the wizard, with the account or with the reason why not."""
        told = {}
        try:
            sign_in = await _taken(parts, user.id, brought, code)
            told["connected"] = str(await _connected(parts, user.user_id, sign_in, code))
        except Refused as refused:
            log.info("not signed in at a provider", code=refused.code)
            told["sign_in"] = refused.code
        return Redirect(f"{WIZARD}?{urlencode(told)}", status_code=303)


async def _taken(parts: Gateway, session_id: UUID, state: str, code: str) -> SignIn:
    """Raises Refused. Without a code somebody said no at the provider, or the provider did."""
    sign_in = await sign_ins.take(parts.db, session_id, state)
    if sign_in is None or not code:
        reason = "too_late" if sign_in is None else "denied"
        raise Refused(422, reason, ADVICE_ON_SIGNING_IN[reason])
    return sign_in


async def _connected(parts: Gateway, user_id: UUID, sign_in: SignIn, code: str) -> UUID:
    """A new account, or the user's own of that address, which then is entered this way. Raises Refused."""
    provider = PROVIDERS.get(sign_in.provider)
    if provider is None:
        raise Refused(409, "not_set_up", ADVICE_ON_SIGNING_IN["not_set_up"])
    imap, smtp = provider.servers(sign_in.email)

    async def ask_sync(account_id: UUID) -> None:
        asked = Exchange(
            user_id=user_id,
            account_id=account_id,
            provider=sign_in.provider,
            imap=imap,
            smtp=smtp,
            code=vault.seal(parts.sync_public_key, code.encode()),
            verifier=sign_in.verifier,
            redirect_uri=sign_in.redirect_uri,
        )
        await ask_whether(parts, SUBJECT, asked)

    async with as_user(parts.db, user_id) as db:
        known = [one.id for one in await accounts.active(db, user_id) if one.email.lower() == sign_in.email.lower()]
    if not known:
        row = Row(email=sign_in.email, display_name=sign_in.display_name, color=None, imap=imap, smtp=smtp)
        return await added(parts, user_id, row, ask_sync)
    await ask_sync(known[0])
    await tell(parts, user_id, known[0])
    return known[0]
