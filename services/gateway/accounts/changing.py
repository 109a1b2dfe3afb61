"""Name, colour and pause of an account: a row that notes by itself what changed, the fact, and then the row is settled."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec
import structlog

from contracts.facts import AccountChanged
from contracts.subjects import AccountSubjects
from services.gateway.accounts import wishes
from services.gateway.accounts.choices import choose
from services.gateway.accounts.structs import AccountChange, SpecialUses
from services.gateway.deps import Gateway, as_user
from services.gateway.errors import not_found
from services.log.append import append
from services.log.errors import LogError
from services.state import accounts

log = structlog.get_logger()


async def change(parts: Gateway, user_id: UUID, account_id: UUID, wish: AccountChange) -> None:
    """In effect at once. Raises Refused."""
    wishes.check_change(wish)
    wished = {field: value for field, value in msgspec.structs.asdict(wish).items() if value is not msgspec.UNSET}
    async with as_user(parts.db, user_id) as db:
        if not await accounts.change(db, user_id, account_id, **wished):
            raise not_found("account")
    await tell(parts, user_id, account_id)


async def choose_mailboxes(parts: Gateway, user_id: UUID, account_id: UUID, wish: SpecialUses) -> None:
    """In effect at once. Raises Refused."""
    async with as_user(parts.db, user_id) as db:
        await choose(db, user_id, account_id, wish)
    await tell(parts, user_id, account_id)


async def tell(parts: Gateway, user_id: UUID, account_id: UUID) -> None:
    """Tell the log which fields changed. Where that fails, whoever finishes what others left half done does it."""
    async with as_user(parts.db, user_id) as db:
        untold = await accounts.untold(db, user_id, account_id)
    if untold is None:
        return
    subject = AccountSubjects(parts.partition(user_id), user_id, account_id).account
    fact = AccountChanged(user_id=user_id, account_id=account_id, at=datetime.now(UTC), fields=untold.fields)
    try:
        await append(parts.log, subject, fact, key=f"{account_id}:{untold.revision}")
    except LogError as error:
        log.warning("change not told yet", account_id=str(account_id), error=type(error).__name__)
        return
    async with as_user(parts.db, user_id) as db:
        await accounts.told(db, user_id, account_id, untold.revision)
