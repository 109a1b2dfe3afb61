"""The addresses and names that a user's mail is from."""

import re
from uuid import UUID

from litestar import Controller, delete, get, patch, post
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, UnsetType

from projections.sql import Connection
from services.gateway.deps import CurrentUser, Db, Gateway, Parts, as_user
from services.gateway.errors import Refused, not_found
from services.gateway.identities.shown import shown
from services.gateway.identities.structs import Identity, IdentityChange, IdentityList, NewIdentity
from services.gateway.lines import one_line
from services.gateway.security import signed_in
from services.state import identities

_ADDRESS = re.compile(r"[^@\s<>\"(),:;\[\]\\\x00-\x1f\x7f]{1,64}@[^@\s<>\"(),:;\[\]\\\x00-\x1f\x7f]{1,189}")
"""A dot-atom, also in other scripts (RFC 6531); what the server takes as a sender, it says when mail is sent."""


class AccountIdentityController(Controller):
    """Of one account."""

    path = "/accounts/{account_id:uuid}/identities"
    tags = ("accounts",)
    guards = (signed_in,)

    @get(operation_id="ListIdentities")
    async def identities(self, *, user: CurrentUser, db: Db, account_id: FromPath[UUID]) -> IdentityList:
        return IdentityList(identities=[shown(one) for one in await _of_account(db, user.user_id, account_id)])

    @post(operation_id="AddIdentity", status_code=201)
    async def add(
        self, *, user: CurrentUser, parts: Parts, account_id: FromPath[UUID], data: JSONBody[NewIdentity]
    ) -> Identity:
        """Another one, from an address that the account's server lets it send from."""
        async with as_user(parts.db, user.user_id) as db:
            await _of_account(db, user.user_id, account_id)
        signature = await parts.cleaner.written(data.signature)
        async with as_user(parts.db, user.user_id) as db:
            added = await identities.add(
                db,
                user.user_id,
                account_id,
                name=one_line(data.name),
                email=_address(data.email, "email"),
                reply_to=data.reply_to and _address(data.reply_to, "reply_to"),
                signature=signature,
            )
        if added is None:
            raise Refused(409, "too_many_identities", "This account has too many identities. Remove one first.")
        return shown(added)


class IdentityController(Controller):
    """Each by itself."""

    path = "/identities/{identity_id:uuid}"
    tags = ("accounts",)
    guards = (signed_in,)

    @patch(operation_id="ChangeIdentity")
    async def change(
        self, *, user: CurrentUser, parts: Parts, identity_id: FromPath[UUID], data: JSONBody[IdentityChange]
    ) -> Identity:
        """What is left out stays."""
        if data.is_default is False:
            raise Refused(400, "invalid_request", "is_default: Make another identity the default one instead.")
        signature = await _cleaned(parts, data.signature)
        async with as_user(parts.db, user.user_id) as db:
            changed = await identities.change(
                db,
                user.user_id,
                identity_id,
                name=None if data.name is UNSET else one_line(data.name),
                email=None if data.email is UNSET else _address(data.email, "email"),
                reply_to=None if data.reply_to is UNSET else data.reply_to and _address(data.reply_to, "reply_to"),
                signature=signature,
            )
            if changed is None:
                raise not_found("identity")
            return shown(await identities.prefer(db, user.user_id, changed) if data.is_default is True else changed)

    @delete(operation_id="RemoveIdentity")
    async def remove(self, *, user: CurrentUser, db: Db, identity_id: FromPath[UUID]) -> None:
        """Its drafts are from the account's default one then, which can't be removed."""
        if identity_id not in {one.id for one in await identities.of_user(db, user.user_id)}:
            raise not_found("identity")
        if not await identities.remove(db, user.user_id, identity_id):
            raise Refused(409, "default_identity", "Make another identity the default one first.")


async def _of_account(db: Connection, user_id: UUID, account_id: UUID) -> list[identities.Identity]:
    """At least the default one. Raises Refused."""
    found = [one for one in await identities.of_user(db, user_id) if one.account_id == account_id]
    if not found:
        raise not_found("account")
    return found


async def _cleaned(parts: Gateway, signature: str | UnsetType) -> str | None:
    return None if signature is UNSET else await parts.cleaner.written(signature)


def _address(text: str, field: str) -> str:
    if not _ADDRESS.fullmatch(text.strip()):
        raise Refused(400, "bad_address", f"{field}: This is no e-mail address.")
    return text.strip()
