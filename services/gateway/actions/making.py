"""Making a mailbox for what an account has none for: outbound makes it on the server, and it is chosen for that use."""

import asyncio
import time
from collections.abc import Sequence
from uuid import UUID

import msgspec

from contracts.facts import SpecialUse
from projections.mail import placements
from projections.mail.placements import Target
from projections.sql import Connection
from services.gateway.accounts.asking import ask
from services.gateway.actions.structs import MailboxMade, MailboxWish
from services.gateway.deps import Gateway, as_user
from services.gateway.errors import Refused, not_found
from services.gateway.history.shown import REASONS
from services.state import accounts

SUBJECT = "rpc.outbound.mailbox.create"
PATIENCE = 30
"""Seconds that the mail server has."""

SEEN_WITHIN = 8.0
"""Seconds for sync to find the new mailbox: the choice wakes it."""

PAUSE = 0.1

INBOX = "INBOX"


class Create(msgspec.Struct, frozen=True, kw_only=True):
    """What outbound is asked."""

    user_id: UUID
    account_id: UUID
    path: str


class Created(msgspec.Struct, frozen=True, kw_only=True):
    """Its answer: the mailbox as sync will call it, or why there is none."""

    mailbox_id: UUID | None = None
    code: str = ""
    detail: str = ""


async def make(parts: Gateway, user_id: UUID, account_id: UUID, wish: MailboxWish) -> tuple[MailboxMade, bool]:
    """The mailbox, and whether it is known already. Raises Refused."""
    async with as_user(parts.db, user_id) as db:
        if account_id not in {one.id for one in await accounts.active(db, user_id)}:
            raise not_found("account")
        own = [one for one in await placements.targets(db, user_id) if one.account_id == account_id]
    path = below(own, wish.name.strip())
    created = await ask(
        parts, SUBJECT, Create(user_id=user_id, account_id=account_id, path=path), Created, patience=PATIENCE
    )
    if created.mailbox_id is None:
        reason = REASONS.get(created.code, "The server did not make this mailbox.")
        said = f" The server said: {created.detail}" if created.detail else ""
        raise Refused(409, created.code or "rejected", f"{reason}{said}")
    use = SpecialUse(wish.use)
    async with as_user(parts.db, user_id) as db:
        await _choose(db, user_id, account_id, use, created.mailbox_id)
    made = MailboxMade(id=created.mailbox_id, path=path, use=use)
    return made, await _seen(parts, user_id, made.id, use)


def below(own: Sequence[Target], name: str) -> str:
    """Where a server keeps everything below INBOX, also the new one. Raises Refused for a name that means a place."""
    delimiter = next((one.delimiter for one in own if one.delimiter), None)
    if not name or (delimiter and delimiter in name) or not name.isprintable():
        raise Refused(400, "invalid_name", f"A name has no {delimiter or 'control characters'} in it.")
    others = [one.path for one in own if one.path != INBOX]
    prefix = f"{INBOX}{delimiter}"
    return prefix + name if delimiter and others and all(path.startswith(prefix) for path in others) else name


async def _choose(db: Connection, user_id: UUID, account_id: UUID, use: SpecialUse, mailbox_id: UUID) -> None:
    chosen = next(one.special_uses for one in await accounts.active(db, user_id) if one.id == account_id)
    await accounts.choose(db, user_id, account_id, {**chosen, use: mailbox_id})


async def _seen(parts: Gateway, user_id: UUID, mailbox_id: UUID, use: SpecialUse) -> bool:
    """Wait until sync has told of it, so that what needed it can be asked for again."""
    deadline = time.monotonic() + SEEN_WITHIN
    while time.monotonic() < deadline:
        async with as_user(parts.db, user_id) as db:
            found = await placements.targets(db, user_id)
        if any(one.id == mailbox_id and one.special_use is use for one in found):
            return True
        await asyncio.sleep(PAUSE)
    return False
