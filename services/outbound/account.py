"""One account's requests, one at a time and in the order of the log, each until there is an outcome."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from contracts.facts import RequestApplied, RequestExpired, RequestRefused
from contracts.provider import MailWriter, ProviderAuthError, ProviderConnectError
from contracts.subjects import AccountSubjects
from projections.engine.log import Recorded
from projections.sql import Pool
from services.blobs import Blobs
from services.jobs import cooldowns
from services.jobs.cooldowns import group
from services.log.connection import Connection
from services.log.errors import LogError
from services.mail.budget import Full, HostBudget, Places, Purpose
from services.mail.smtp.submission import Submission
from services.mail.working import Working
from services.outbound import places
from services.outbound.changes import Request, carry_out
from services.outbound.errors import NotYet
from services.outbound.outcomes import Outcome, Outcomes
from services.outbound.trouble import FORESEEN, RETRY, RETRY_MOST, code, follows
from services.positions import Positions
from services.state import logins
from services.state.logins import Login
from services.vault import Vault

COOL = timedelta(seconds=60)
"""Of peace for a host that has too many connections."""

LINGER = 20.0
"""Seconds without a request after which the account is forgotten, so that the next is done with what is then true of it."""

PATIENCE = 10.0
"""Seconds for the read model to come along, before others have their turn."""

STEP = 300.0
"""Seconds for one try at the most, whatever the server does."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Patience:
    """With sending. Seconds: `looked_for` in Sent when nobody knows whether it was sent, `copy_awaited` when it was."""

    sending: timedelta
    looked_for: float
    copy_awaited: float
    mirrored_every: timedelta


@dataclass(frozen=True)
class Parts:
    """What the accounts of a process share. `turns`: how many of them change mail at once; `submissions`: how many send."""

    nc: Connection
    db: Pool
    positions: Positions
    vault: Vault
    budget: HostBudget
    blobs: Blobs
    connect: Callable[[Login, Places], MailWriter]
    submission: Callable[[Login], Submission]
    turns: asyncio.Semaphore
    submissions: asyncio.Semaphore
    expires: timedelta
    patience: Patience
    partitions: int
    worker: str


class Account:
    """Requests are put in; `waiting` are those without an outcome, the first of them in flight."""

    def __init__(self, parts: Parts, subjects: AccountSubjects, after: int) -> None:
        self.waiting: deque[Recorded[Request]] = deque()
        self._parts = parts
        self._subjects = subjects
        self._after = after
        self._outcomes = Outcomes(parts.nc, subjects)
        self._more = asyncio.Event()
        self._login: Login | None = None
        self._working: Working[MailWriter] | None = None

    def put(self, request: Recorded[Request]) -> None:
        self.waiting.append(request)
        self._more.set()

    async def run(self) -> None:
        """Until there was nothing to do for a while. Raises LogError."""
        try:
            await self._outcomes.read(self._after)
            while await self._any():
                request = self.waiting[0]
                if not self._outcomes.has(request.fact.request_id):
                    await self._outcomes.write(await self._settle(request))
                self._outcomes.forget(request.fact.request_id)
                self.waiting.popleft()
        finally:
            await self._disconnect()

    async def _any(self) -> bool:
        self._more.clear()
        if not self.waiting:
            try:
                async with asyncio.timeout(LINGER):
                    await self._more.wait()
            except TimeoutError:
                return bool(self.waiting)
        return True

    async def _settle(self, request: Recorded[Request]) -> Outcome:
        """The outcome of a request, however long it takes. Raises LogError."""
        fact, pause, strange = request.fact, RETRY, 0
        while datetime.now(UTC) - fact.at <= self._parts.expires:
            try:
                return await self._try(request)
            except LogError:
                raise
            except Exception as error:  # noqa: BLE001 - what nobody foresaw is tried again, and counted
                next_ = follows(error)
                strange += next_.strange
                await self._note(fact, error, strange=next_.strange)
                if next_.refused or strange == FORESEEN:
                    return RequestRefused(**self._who(), request_id=fact.request_id, code=next_.refused or code(error))
            await asyncio.sleep(min(pause, next_.most))
            pause = min(pause * 2, RETRY_MOST)
        return RequestExpired(**self._who(), request_id=fact.request_id)

    async def _note(self, fact: Request, error: Exception, *, strange: bool) -> None:
        """A connection is made anew after trouble; a host that has too many is left alone, by everybody."""
        named = {"account": str(fact.account_id), "request": str(fact.request_id)}
        if strange:
            log.error("request failed", **named, exc_info=error)
        else:
            log.info("request not done", **named, error=type(error).__name__, code=getattr(error, "code", ""))
        if isinstance(error, ProviderConnectError):
            await self._disconnect()
            if error.code == "too_many_connections" and not isinstance(error, Full) and self._login is not None:
                host = group(self._login.endpoint.host)
                await cooldowns.cool(self._parts.nc, host, datetime.now(UTC) + COOL)

    async def _try(self, request: Recorded[Request]) -> Outcome:
        parts, fact = self._parts, request.fact
        told = max(request.sequence, self._outcomes.last)
        if not await parts.positions.wait(fact.user_id, ("mail",), told, patience=PATIENCE):
            raise NotYet("the read model is behind")
        async with parts.turns, _in_time():
            found = await places.find(parts.db, self._subjects, fact.message_ids)
            working = await self._connected()
            try:
                async with working.used(Purpose.INTERACTIVE) as writer:
                    results = await carry_out(fact, found, writer)
            except ProviderAuthError:
                if not await self._changed():
                    raise
                raise NotYet("the owner has given other credentials") from None
        return RequestApplied(**self._who(), request_id=fact.request_id, results=results)

    async def _connected(self) -> Working[MailWriter]:
        """With the credentials of when it was connected first. Raises SecretMissing, and NotYet while the host cools down."""
        if self._working is None or self._login is None:
            parts, user, account = self._parts, self._subjects.user_id, self._subjects.account_id
            login = self._login = await logins.login(parts.db, parts.vault, user, account)
            if login.credentials.ended(time.time()):
                raise NotYet("sync has not refreshed the access token yet")
            if await cooldowns.until(parts.nc, group(login.endpoint.host), datetime.now(UTC)) is not None:
                raise NotYet("the host cools down")
            self._working = Working(lambda places: parts.connect(login, places), parts.budget)
        return self._working

    async def _changed(self) -> bool:
        """Whether the account has other credentials by now; they are used from here on."""
        user, account = self._subjects.user_id, self._subjects.account_id
        now = await logins.login(self._parts.db, self._parts.vault, user, account)
        used = self._login
        changed = used is None or (now.authority, now.credentials) != (used.authority, used.credentials)
        await self._disconnect()
        return changed

    async def _disconnect(self) -> None:
        working, self._working = self._working, None
        if working is not None:
            await working.close()

    def _who(self) -> dict[str, Any]:
        who = self._subjects
        return {"user_id": who.user_id, "account_id": who.account_id, "at": datetime.now(UTC)}


@asynccontextmanager
async def _in_time() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(STEP) as scope:
            yield
    except TimeoutError:
        if scope.expired():
            raise ProviderConnectError("timeout", "one change took too long") from None
        raise
