"""Whether an account works: connects, logs in and lists, and leaves nothing behind."""

import ssl

from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.connection import Account
from services.mail.imap.list import list_mailboxes
from services.mail.imap.wire import Limits


async def verify(endpoint: Endpoint, credentials: Credentials, limits: Limits, trust: ssl.SSLContext | None) -> None:
    """Raises ProviderError with the server's own words."""
    await try_account(Account(endpoint, credentials, limits, trust))


async def try_account(account: Account) -> None:
    session = await account.log_in()
    try:
        await list_mailboxes(session)
    finally:
        await session.logout()
