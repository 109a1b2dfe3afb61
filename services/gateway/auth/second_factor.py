"""Two-step sign-in by an authenticator app: shown, proven once, then asked for."""

import time

from litestar import Controller, get, post
from litestar.params import JSONBody

from services.gateway.auth import totp
from services.gateway.auth.proving import TRIES, confirm
from services.gateway.auth.structs import BothFactors, Code, Confirmation, RecoveryCodes, SecondFactor, TotpSetup
from services.gateway.deps import CurrentUser, Parts
from services.gateway.errors import Refused
from services.gateway.limits import count
from services.gateway.security import signed_in
from services.state import attempts, factors, users


class SecondFactorController(Controller):
    """A secret is never shown again once a code of it was given."""

    path = "/auth/totp"
    tags = ("auth",)
    guards = (signed_in,)

    @get(operation_id="GetSecondFactor")
    async def shown(self, user: CurrentUser, parts: Parts) -> SecondFactor:
        found = await users.find(parts.db, user.user_id)
        return SecondFactor(
            enabled=found is not None and found[1].totp_secret is not None,
            recovery_codes_left=await factors.codes_left(parts.db, user.user_id),
        )

    @post("/setup", operation_id="SetUpTotp", status_code=200)
    async def set_up(self, user: CurrentUser, parts: Parts, data: JSONBody[Confirmation]) -> TotpSetup:
        """A fresh secret each time; the one before is forgotten."""
        await confirm(parts, user, data.password)
        secret = totp.fresh()
        if not await factors.propose(parts.db, user.user_id, totp.seal(parts.identity_key, user.user_id, secret)):
            raise Refused(409, "already_enabled", "Two-step sign-in is on already. Switch it off to begin anew.")
        uri = totp.uri(secret, user.handle, parts.settings.app_domain)
        return TotpSetup(uri=uri, qr=totp.picture(uri), secret=secret)

    @post("/enable", operation_id="EnableTotp", status_code=200)
    async def enable(self, user: CurrentUser, parts: Parts, data: JSONBody[Code]) -> RecoveryCodes:
        """The code shows that the app has the secret; it can't be used again to sign in."""
        tries = f"confirm:{user.user_id}"
        await count(parts.db, {tries: TRIES})
        sealed = await factors.proposed(parts.db, user.user_id)
        if sealed is None:
            raise Refused(409, "not_set_up", "Nothing is being set up. Begin with the picture for your app.")
        step = totp.step(totp.unseal(parts.identity_key, user.user_id, sealed), data.code, time.time())
        if step is None:
            raise Refused(403, "wrong_code", "This code is wrong. Wait for the next one and try again.")
        async with parts.db.acquire() as db, db.transaction():
            codes = await factors.enable(db, user.user_id, sealed, step)
            await attempts.forget(db, tries)
        if codes is None:
            raise Refused(409, "not_set_up", "It was set up anew meanwhile. Begin again with the picture.")
        return RecoveryCodes(codes=codes)

    @post("/recovery-codes", operation_id="RenewRecoveryCodes", status_code=200)
    async def renew(self, user: CurrentUser, parts: Parts, data: JSONBody[BothFactors]) -> RecoveryCodes:
        """Those before work no more."""
        known = await confirm(parts, user, data.password, data.code)
        if known.totp_secret is None:
            raise Refused(409, "not_enabled", "Two-step sign-in is off: there is nothing to recover from.")
        async with parts.db.acquire() as db, db.transaction():
            return RecoveryCodes(codes=await factors.renew_codes(db, user.user_id))

    @post("/disable", operation_id="DisableTotp", status_code=204)
    async def disable(self, user: CurrentUser, parts: Parts, data: JSONBody[BothFactors]) -> None:
        await confirm(parts, user, data.password, data.code)
        async with parts.db.acquire() as db, db.transaction():
            await factors.disable(db, user.user_id)
