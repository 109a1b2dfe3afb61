"""The user's own choice of mailboxes for what the server does not say, checked before it is kept."""

from collections import Counter
from uuid import UUID

import msgspec

from contracts.facts import SpecialUse
from projections.mail import reader as mail
from projections.sql import Connection
from services.gateway.accounts.structs import SpecialUses
from services.gateway.errors import Refused, not_found
from services.state import accounts


async def choose(db: Connection, user_id: UUID, account_id: UUID, change: SpecialUses) -> None:
    """Raises Refused: for another's account as for none; for a mailbox that the account does not have or can't use."""
    account = next((one for one in await accounts.active(db, user_id) if one.id == account_id), None)
    if account is None:
        raise not_found("account")
    fit = {
        mailbox.id
        for mailbox in await mail.mailboxes(db, user_id)
        if mailbox.account_id == account_id and mailbox.selectable and mailbox.special_use != SpecialUse.INBOX
    }
    wished = {
        SpecialUse(use): mailbox
        for use, mailbox in msgspec.structs.asdict(change).items()
        if mailbox is not msgspec.UNSET
    }
    chosen = {use: mailbox for use, mailbox in {**account.special_uses, **wished}.items() if mailbox is not None}
    for use in wished:
        if use in chosen and chosen[use] not in fit:
            raise Refused(400, "invalid_choice", f"{use.value}: Choose a mailbox of this account that can hold mail.")
    if any(times > 1 for times in Counter(chosen.values()).values()):
        raise Refused(400, "invalid_choice", "One mailbox can be for one thing only.")
    await accounts.choose(db, user_id, account_id, chosen)
