"""An account's mail server, for as long as something is done there on its own account."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from contracts.provider import MailWriter
from contracts.subjects import AccountSubjects
from services.outbound.account import Parts
from services.outbound.errors import NotYet
from services.state import logins
from services.state.logins import Login


async def credentials(parts: Parts, account: AccountSubjects) -> Login:
    """As they are now. Raises SecretMissing, AccountPaused, NotYet."""
    login = await logins.login(parts.db, parts.vault, account.user_id, account.account_id)
    if login.credentials.ended(time.time()):
        raise NotYet("sync has not refreshed the access token yet")
    return login


@asynccontextmanager
async def connected(parts: Parts, account: AccountSubjects) -> AsyncIterator[MailWriter]:
    """Connects when it is used. Raises what `credentials` raises."""
    writer = parts.connect(await credentials(parts, account), parts.budget)
    try:
        yield writer
    finally:
        await writer.close()
