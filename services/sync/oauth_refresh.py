"""Access tokens that are good, of accounts that are entered by OAuth: one refresh of each, whoever else wants one.

A refresh holds a lease in the account's row from before the provider is asked until what it said is kept, under the version
of the secret that it began with. What a worker took to its grave, or the provider never answered, may have used the grant
up: it is asked no second time, the secret is emptied, and the account waits for its owner.
"""

import asyncio
import time
from collections.abc import Awaitable, Mapping
from datetime import timedelta
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid4

import structlog

from contracts.provider import ProviderAuthError, ProviderConnectError
from projections.sql import Pool, Statements
from services.database import UNAVAILABLE
from services.mail.endpoint import Credentials as Entering
from services.mail.endpoint import Entrance
from services.oauth.errors import GrantOver, NotNow, Uncertain
from services.oauth.tokens import Endpoint
from services.state.logins import Login, for_imap
from services.vault import Credentials, Tokens, Vault, VaultError

query = Statements("services.sync", "oauth.sql")

SPARE = timedelta(minutes=2)
"""Before its end an access token is used no more: logging in takes its time."""

AHEAD = timedelta(minutes=6)
"""Before its end it is refreshed without anybody's asking, for those as well who may only read it."""

LEASE = timedelta(seconds=60)
"""Longer than a question to a provider and keeping its answer can take."""

AGAIN, LATEST = timedelta(seconds=60), timedelta(hours=1)
"""Before a provider that was not to be had is asked again: as it wants, within these two."""

EVERY = 30.0
WAIT = 0.2
MOST, AT_ONCE = 256, 8

T = TypeVar("T")

log = structlog.get_logger()


class Grant(NamedTuple):
    """Whose tokens, and the version of the secret that they must be of."""

    user_id: UUID
    account_id: UUID
    version: int


class Refresher:
    """`endpoints`: the providers that this installation is known to, by name."""

    def __init__(self, db: Pool, vault: Vault, endpoints: Mapping[str, Endpoint]) -> None:
        self._db = db
        self._vault = vault
        self._endpoints = endpoints

    def entrance(self, login: Login) -> Entrance:
        """What to log in with: a password, or an access token that is looked for whenever one is needed."""
        if login.credentials.oauth is None:
            return for_imap(login.endpoint, login.credentials)
        grant = Grant(login.user_id, login.account_id, login.authority.credential_version)
        known = login.credentials.oauth

        async def current() -> Entering:
            nonlocal known
            if known.expires_at - time.time() < SPARE.total_seconds():
                known = await self._in_providers_words(grant)
            return for_imap(login.endpoint, Credentials(oauth=known))

        return current

    async def run(self) -> None:
        """Refresh what is soon to end, until cancelled."""
        turns = asyncio.Semaphore(AT_ONCE)
        while True:
            try:
                due = [Grant(*row) for row in await self._db.fetch(query.due, AHEAD, MOST)]
                await asyncio.gather(*(self._ahead(grant, turns) for grant in due))
            except UNAVAILABLE as error:
                log.warning("tokens not looked up", error=type(error).__name__)
            await asyncio.sleep(EVERY)

    async def tokens(self, grant: Grant, spare: timedelta = SPARE) -> Tokens:
        """Good for `spare`, or as long as the provider makes them. Raises GrantOver when there are none any more, and NotNow."""
        while True:
            row = await self._db.fetchrow(query.tokens, *grant, spare)
            if row is None or not row["sealed"]:
                raise GrantOver("the secret is no more, or another")
            known = self._opened(grant, row["sealed"])
            if row["fresh"]:
                return known
            if row["abandoned"]:
                await self._lose(grant, row["revision"], uuid4(), "abandoned")
            elif not row["free"]:
                await asyncio.sleep(WAIT)
            elif row["later"]:
                raise NotNow("the provider was not to be had a moment ago")
            else:
                fresh = await _to_its_end(self._refresh(grant, row["revision"], known))
                if fresh is not None:
                    return fresh

    async def _ahead(self, grant: Grant, turns: asyncio.Semaphore) -> None:
        async with turns:
            try:
                await self.tokens(grant, AHEAD)
            except (GrantOver, NotNow) as error:
                log.info("tokens not refreshed", account=str(grant.account_id), reason=str(error))

    async def _in_providers_words(self, grant: Grant) -> Tokens:
        try:
            return await self.tokens(grant)
        except GrantOver as error:
            raise ProviderAuthError("grant_lost", str(error)) from None
        except NotNow as error:
            raise ProviderConnectError("unavailable", str(error)) from None
        except UNAVAILABLE as error:
            raise ProviderConnectError("unavailable", type(error).__name__) from None

    async def _refresh(self, grant: Grant, revision: int, known: Tokens) -> Tokens | None:
        """Once, if the lease is to be had. None: look at the row again. Raises NotNow."""
        endpoint = self._endpoints.get(known.provider)
        if endpoint is None:
            raise NotNow("the provider's client id is not set")
        lease = uuid4()
        if await self._db.fetchval(query.take_refresh, *grant, revision, lease, LEASE) is None:
            return None
        try:
            fresh = await endpoint.refresh(known)
        except NotNow as error:
            log.warning("provider not to be had", account=str(grant.account_id), reason=str(error))
            wanted = timedelta(seconds=min(error.after, LATEST.total_seconds()))
            await self._db.execute(query.put_off, *grant, revision, lease, max(AGAIN, wanted))
            raise
        except (GrantOver, Uncertain) as error:
            await self._lose(grant, revision, lease, str(error))
            return None
        return fresh if await self._keep(grant, revision, lease, fresh) else None

    async def _keep(self, grant: Grant, revision: int, lease: UUID, fresh: Tokens) -> bool:
        """For as long as the lease lasts; False where the owner has given others meanwhile, or it was kept unheard."""
        sealed = self._vault.keep(grant.account_id, Credentials(oauth=fresh).encoded())
        end = time.monotonic() + LEASE.total_seconds() / 2
        while True:
            try:
                kept = await self._db.fetchval(query.keep_tokens, *grant, revision, lease, sealed, fresh.expires_at)
            except UNAVAILABLE:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(1)
            else:
                log.info("tokens refreshed", account=str(grant.account_id), kept=kept is not None)
                return kept is not None

    async def _lose(self, grant: Grant, revision: int, lease: UUID, reason: str) -> None:
        if await self._db.fetchval(query.lose, *grant, revision, lease) is not None:
            log.warning("grant is over", account=str(grant.account_id), reason=reason)

    def _opened(self, grant: Grant, sealed: bytes) -> Tokens:
        try:
            known = Credentials.decoded(self._vault.open(grant.account_id, sealed)).oauth
        except VaultError as error:
            raise GrantOver(str(error)) from None
        if known is None:
            raise GrantOver("a password was given instead")
        return known


async def _to_its_end(refresh: Awaitable[T]) -> T:
    """A refresh that was cut off would leave nobody who knows what came of it."""
    task = asyncio.ensure_future(refresh)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.gather(task, return_exceptions=True)
        raise
