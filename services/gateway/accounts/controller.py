"""Connect, list and remove mail accounts."""

from uuid import UUID

from litestar import Controller, delete
from litestar.params import FromPath

from services.gateway.accounts.connect import remove
from services.gateway.deps import CurrentUser, Parts
from services.gateway.security import signed_in


class AccountController(Controller):
    """What the accounts page shows."""

    path = "/accounts"
    tags = ("accounts",)
    guards = (signed_in,)

    @delete("/{account_id:uuid}", operation_id="RemoveAccount")
    async def remove(self, user: CurrentUser, parts: Parts, account_id: FromPath[UUID]) -> None:
        """Its mail is shown no more at once, and erased later."""
        await remove(parts, user.user_id, account_id)
