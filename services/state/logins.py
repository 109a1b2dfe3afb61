"""What it takes to log in to an account, for those processes that may open its secret."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

import msgspec

from contracts.facts import SpecialUse
from projections.sql import Pool, Statements
from services.jobs.job import Authority
from services.mail import endpoint as mail
from services.state.accounts import Endpoint
from services.state.errors import AccountPaused, GrantLost, SecretMissing
from services.vault import Credentials, Vault, VaultError

query = Statements("services.state", "logins.sql")


class Login(NamedTuple):
    """Where to log in with what, in whose name, and which mailboxes the owner chose for what; all read at one moment.

    `smtp`: None where mail is only read.
    """

    endpoint: Endpoint
    smtp: Endpoint | None
    credentials: Credentials
    authority: Authority
    special_uses: Mapping[SpecialUse, UUID]
    user_id: UUID
    account_id: UUID


async def login(db: Pool, vault: Vault, user_id: UUID, account_id: UUID) -> Login:
    """Raises SecretMissing, also when the account was removed meanwhile, GrantLost, and AccountPaused."""
    row = await db.fetchrow(query.settings, user_id, account_id)
    if row is None:
        raise SecretMissing("the account has no secret")
    if row["paused"]:
        raise AccountPaused("the account is paused")
    where = msgspec.json.decode(row["imap"], type=Endpoint)
    if not row["sealed"] and where.auth != "password":
        raise GrantLost("the grant is over")
    try:
        known = Credentials.decoded(vault.open(account_id, row["sealed"]))
    except VaultError as error:
        raise SecretMissing(str(error)) from None
    return Login(
        endpoint=where,
        smtp=msgspec.json.decode(row["smtp"], type=Endpoint) if row["smtp"] else None,
        credentials=known,
        authority=Authority(authorization_epoch=row["authorization_epoch"], credential_version=row["version"]),
        special_uses=msgspec.json.decode(row["special_uses"], type=dict[SpecialUse, UUID]),
        user_id=user_id,
        account_id=account_id,
    )


def endpoint(given: Endpoint) -> mail.Endpoint:
    """Where the provider connects."""
    return mail.Endpoint(host=given.host, port=given.port, tls=given.tls)


def for_imap(server: Endpoint, known: Credentials) -> mail.Credentials:
    """Of an OAuth account, its access token as it is now."""
    if known.oauth is not None:
        return mail.Credentials(username=server.username, access_token=known.oauth.access_token)
    return mail.Credentials(username=server.username, password=known.imap_password)


def for_smtp(server: Endpoint, known: Credentials) -> mail.Credentials:
    """As for IMAP, where nothing else was said."""
    if known.oauth is not None or known.smtp_password is None:
        return for_imap(server, known)
    return mail.Credentials(username=server.username, password=known.smtp_password)
