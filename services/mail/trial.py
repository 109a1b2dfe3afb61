"""Whether an account works, tried step by step at both of its servers; nothing is kept and nothing is sent."""

import asyncio
import ssl
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack, suppress
from typing import Literal, TypeVar

from aiosmtplib import SMTP
from msgspec import Struct

from contracts.provider import ErrorCode, ProviderError
from services.mail.budget import HostBudget
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap.list import list_mailboxes
from services.mail.imap.parse import Status
from services.mail.imap.session import Session
from services.mail.imap.wire import Limits
from services.mail.smtp.verify import connected, log_in
from services.reach import Reach

Name = Literal["imap_connect", "imap_login", "smtp_connect", "smtp_login"]
T = TypeVar("T")

Login = tuple[Endpoint, Credentials]


class Check(Struct, frozen=True, kw_only=True):
    """`connect` is up to the greeting, certificate included. `code`: why it failed; `detail`: the server's own words."""

    name: Name
    ms: int
    code: ErrorCode | None = None
    detail: str = ""


async def attempt(
    imap: Login, smtp: Login | None, reach: Reach, trust: ssl.SSLContext | None, budget: HostBudget
) -> list[Check]:
    """Both servers at once. A server's checks end with the first that fails."""
    trials = [_imap(*imap, reach, trust, budget)]
    if smtp is not None:
        trials.append(_smtp(*smtp, reach, trust, budget))
    return [check for checks in await asyncio.gather(*trials) for check in checks]


async def _imap(
    endpoint: Endpoint, credentials: Credentials, reach: Reach, trust: ssl.SSLContext | None, budget: HostBudget
) -> list[Check]:
    checks: list[Check] = []
    with suppress(ProviderError):
        session, greeting = await _made(checks, "imap_connect", _connect(endpoint, reach, trust, budget))
        await _made(checks, "imap_login", _enter(session, greeting, credentials))
        await session.logout()
    return checks


async def _connect(
    endpoint: Endpoint, reach: Reach, trust: ssl.SSLContext | None, budget: HostBudget
) -> tuple[Session, Status]:
    """Its connection counts as all others of this process do, and comes first: somebody waits."""
    limits = Limits()
    session = Session(endpoint, limits, await budget.take(endpoint.host, limits.connect), reach=reach)
    return session, await session.connect(trust)


async def _enter(session: Session, greeting: Status, credentials: Credentials) -> None:
    await session.enter(greeting, credentials)
    try:
        await list_mailboxes(session)
    except BaseException:
        await session.logout()
        raise


async def _smtp(
    endpoint: Endpoint, credentials: Credentials, reach: Reach, trust: ssl.SSLContext | None, budget: HostBudget
) -> list[Check]:
    checks: list[Check] = []
    with suppress(ProviderError):
        async with AsyncExitStack() as stack:
            connection = await _made(checks, "smtp_connect", _greeted(stack, endpoint, reach, trust, budget))
            await _made(checks, "smtp_login", log_in(connection, credentials))
    return checks


async def _greeted(
    stack: AsyncExitStack, endpoint: Endpoint, reach: Reach, trust: ssl.SSLContext | None, budget: HostBudget
) -> SMTP:
    stack.callback(await budget.take(endpoint.host, Limits().connect))
    return await stack.enter_async_context(connected(endpoint, trust, reach))


async def _made(checks: list[Check], name: Name, step: Awaitable[T]) -> T:
    """The step's result, and how it went among the checks. Raises ProviderError as the step does."""
    began = time.monotonic()
    try:
        result = await step
    except ProviderError as error:
        checks.append(Check(name=name, ms=_since(began), code=error.code, detail=error.detail))
        raise
    checks.append(Check(name=name, ms=_since(began)))
    return result


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
