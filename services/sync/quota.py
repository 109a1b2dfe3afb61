"""How full an account's server is: asked seldom, kept beside the account as the server said it last."""

from contracts.provider import MailSource
from contracts.subjects import AccountSubjects
from projections.sql import Pool, Statements

query = Statements("services.sync", "quota.sql")

EVERY = 3600.0
"""Seconds between two questions."""


async def weigh(db: Pool, account: AccountSubjects, source: MailSource) -> None:
    """Raises ProviderError."""
    found = await source.quota()
    if found is None:
        await db.execute(query.forget, account.user_id, account.account_id)
    else:
        await db.execute(query.keep, account.user_id, account.account_id, found.used, found.limit)
