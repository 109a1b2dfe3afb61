"""Whether an account works: connects, logs in and lists, and leaves nothing behind."""

import ssl

from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.list import list_mailboxes
from services.mail.imap.session import Session
from services.mail.imap.wire import Limits


async def verify(endpoint: Endpoint, credentials: Credentials, limits: Limits, trust: ssl.SSLContext | None) -> None:
    """Raises ProviderError with the server's own words."""
    session = Session(endpoint, limits)
    await session.open(credentials, trust)
    try:
        await list_mailboxes(session)
    finally:
        await session.logout()
