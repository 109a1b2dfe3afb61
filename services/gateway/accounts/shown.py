"""Accounts as the API shows them: the row, how its sync is doing, and its mailboxes with their counts."""

from collections import defaultdict
from uuid import UUID

from contracts.facts import AccountState, SpecialUse
from projections.accounts_state import reader as states
from projections.accounts_state.rows import AccountRow
from projections.mail import reader as mail
from projections.mail.rows import MailboxRow
from projections.sql import Connection
from services.gateway.accounts.advice import ADVICE
from services.gateway.accounts.structs import Account, Mailbox, Progress
from services.state import accounts


async def shown(db: Connection, user_id: UUID) -> list[Account]:
    """In the order in which they were added."""
    mailboxes: defaultdict[UUID, list[MailboxRow]] = defaultdict(list)
    for row in await mail.mailboxes(db, user_id):
        mailboxes[row.account_id].append(row)
    state = await states.accounts(db, user_id)
    return [_account(row, state.get(row.id), mailboxes[row.id]) for row in await accounts.active(db, user_id)]


def _account(row: accounts.Account, state: AccountRow | None, mailboxes: list[MailboxRow]) -> Account:
    code = state.code if state else ""
    return Account(
        id=row.id,
        email=row.email,
        display_name=row.display_name,
        color=row.color,
        state=state.state if state else AccountState.CONNECTING,
        state_code=code or None,
        state_detail=ADVICE.get(code, "") if code else "",
        progress=Progress(synced=state.synced if state else 0, total=state.total if state else 0),
        unread=sum(mailbox.unread for mailbox in mailboxes if mailbox.special_use == SpecialUse.INBOX),
        last_sync_at=state.last_sync_at if state else None,
        mailboxes=[_mailbox(mailbox) for mailbox in mailboxes],
    )


def _mailbox(row: MailboxRow) -> Mailbox:
    return Mailbox(
        id=row.id,
        path=row.path,
        name=row.name,
        delimiter=row.delimiter,
        special_use=SpecialUse(row.special_use) if row.special_use else None,
        selectable=row.selectable,
        unread=row.unread,
        total=row.total,
    )
