"""Connect, list, change and remove mail accounts."""

from uuid import UUID

from litestar import Controller, delete, get, patch, post
from litestar.params import FromPath, JSONBody

from services.gateway.accounts import finding
from services.gateway.accounts.changing import change, choose_mailboxes
from services.gateway.accounts.connect import connect, reconnect, remove
from services.gateway.accounts.finding import Address, Checks, Found, Trial
from services.gateway.accounts.shown import shown
from services.gateway.accounts.structs import (
    Account,
    AccountChange,
    AccountList,
    NewAccount,
    Reconnect,
    SpecialUses,
)
from services.gateway.deps import CurrentUser, Db, Gateway, Parts, as_user
from services.gateway.errors import not_found
from services.gateway.security import signed_in


class AccountController(Controller):
    """What the accounts page shows."""

    path = "/accounts"
    tags = ("accounts",)
    guards = (signed_in,)

    @get(operation_id="ListAccounts")
    async def accounts(self, *, user: CurrentUser, db: Db, parts: Parts) -> AccountList:
        """With how their sync is doing and their mailboxes."""
        return AccountList(accounts=await shown(parts, db, user.user_id))

    @post(operation_id="AddAccount", status_code=201)
    async def add(self, *, user: CurrentUser, parts: Parts, data: JSONBody[NewAccount]) -> Account:
        """Tested by the part that speaks to mail servers, and kept only when it works."""
        return await _one(parts, user.user_id, await connect(parts, user.user_id, data))

    @post("/discover", operation_id="DiscoverAccount", status_code=200)
    async def discover(self, *, user: CurrentUser, parts: Parts, data: JSONBody[Address]) -> Found:
        """Which servers an e-mail address has; may take some seconds."""
        return await finding.discover(parts, user.user_id, data)

    @post("/test", operation_id="TestAccount", status_code=200)
    async def test(self, *, user: CurrentUser, parts: Parts, data: JSONBody[Trial]) -> Checks:
        """Connects and signs in, and keeps nothing."""
        return await finding.test(parts, user.user_id, data)

    @patch("/{account_id:uuid}", operation_id="ChangeAccount")
    async def change(
        self, *, user: CurrentUser, parts: Parts, account_id: FromPath[UUID], data: JSONBody[AccountChange]
    ) -> Account:
        """Its name and colour; pause it, or go on with it."""
        await change(parts, user.user_id, account_id, data)
        return await _one(parts, user.user_id, account_id)

    @post("/{account_id:uuid}/reconnect", operation_id="ReconnectAccount", status_code=200)
    async def reconnect(
        self, *, user: CurrentUser, parts: Parts, account_id: FromPath[UUID], data: JSONBody[Reconnect]
    ) -> Account:
        """With another password or other servers; what does not work changes nothing."""
        await reconnect(parts, user.user_id, account_id, data)
        return await _one(parts, user.user_id, account_id)

    @patch("/{account_id:uuid}/special-uses", operation_id="ChooseMailboxes")
    async def choose(
        self, *, user: CurrentUser, parts: Parts, account_id: FromPath[UUID], data: JSONBody[SpecialUses]
    ) -> Account:
        """Which mailboxes are for what. Sync begins the account anew with them."""
        await choose_mailboxes(parts, user.user_id, account_id, data)
        return await _one(parts, user.user_id, account_id)

    @delete("/{account_id:uuid}", operation_id="RemoveAccount")
    async def remove(self, *, user: CurrentUser, parts: Parts, account_id: FromPath[UUID]) -> None:
        """Its mail is shown no more at once, and erased later."""
        await remove(parts, user.user_id, account_id)


async def _one(parts: Gateway, user_id: UUID, account_id: UUID) -> Account:
    """Raises Refused when it was removed meanwhile."""
    async with as_user(parts.db, user_id) as db:
        for account in await shown(parts, db, user_id):
            if account.id == account_id:
                return account
    raise not_found("account")
