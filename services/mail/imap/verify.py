"""Whether an account works: connects, logs in and lists, and leaves nothing behind."""

from services.mail.imap.connection import Account
from services.mail.imap.list import list_mailboxes


async def try_account(account: Account) -> None:
    session = await account.log_in()
    try:
        await list_mailboxes(session)
    finally:
        await session.logout()
