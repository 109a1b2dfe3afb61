"""Adding, reconnecting and removing an account: a row, sync's word that it works, the fact, and then the row is settled.

The password is sealed to sync's key as soon as it is here, and nothing in this process can open it again (§10.2).
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec
import structlog

from contracts.facts import AccountConnected, AccountRemoved
from contracts.subjects import AccountSubjects
from services import vault
from services.gateway.accounts import wishes
from services.gateway.accounts.advice import advice
from services.gateway.accounts.asking import ask
from services.gateway.accounts.changing import tell
from services.gateway.accounts.structs import NewAccount, Reconnect, Server
from services.gateway.deps import Gateway, as_user
from services.gateway.errors import Refused, not_found
from services.gateway.limits import count
from services.jobs import cooldowns
from services.jobs.errors import Skipped
from services.log import api
from services.log.append import append
from services.log.errors import LogError
from services.state import accounts
from services.state.accounts import Endpoint, Unsettled
from services.state.errors import AccountExists

SUBJECT = "rpc.sync.account.connect"
PATIENCE = 60
"""Seconds that sync has to log in to two servers."""

ABANDONED = timedelta(minutes=3)
"""Longer than connecting can take: whoever began it is gone."""

EVERY = 60

TRIES = 30
"""Of one user in 15 minutes: sync knocks at whatever server somebody names."""

log = structlog.get_logger()


class Connect(msgspec.Struct, frozen=True, kw_only=True):
    """What sync is asked; `sealed` holds the vault's Credentials."""

    user_id: UUID
    account_id: UUID
    email: str
    imap: Endpoint
    smtp: Endpoint | None
    sealed: bytes


class Row(NamedTuple):
    """A new account's. `color`: None for the first that is free."""

    email: str
    display_name: str
    color: str | None
    imap: Endpoint
    smtp: Endpoint | None


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """`code` of contracts.provider; `detail`: the server's own words."""

    code: str
    detail: str = ""


class Connected(msgspec.Struct, frozen=True, kw_only=True):
    """Sync's answer: `ok`, or why not."""

    ok: bool = False
    error: Failure | None = None


async def connect(parts: Gateway, user_id: UUID, wish: NewAccount) -> UUID:
    """A new account that works. Raises Refused, and then nothing of it is left."""
    wishes.check(wish)
    await count(parts.db, {f"connect:{user_id}": TRIES})
    imap, smtp = wishes.endpoint(wish.imap), wishes.endpoint(wish.smtp) if wish.smtp else None
    sealed = seal(parts, wish.imap, wish.smtp)

    async def ask_sync(account_id: UUID) -> None:
        asked = Connect(user_id=user_id, account_id=account_id, email=wish.email, imap=imap, smtp=smtp, sealed=sealed)
        await ask_whether(parts, SUBJECT, asked)

    row = Row(email=wish.email, display_name=wish.display_name, color=wish.color, imap=imap, smtp=smtp)
    return await added(parts, user_id, row, ask_sync)


async def added(parts: Gateway, user_id: UUID, row: Row, ask_sync: Callable[[UUID], Awaitable[None]]) -> UUID:
    """A pending row, active once sync has said that it works and the fact is in the log. Raises Refused."""
    try:
        async with as_user(parts.db, user_id) as db:
            account_id = await accounts.add(db, user_id, **row._asdict())
    except AccountExists:
        raise Refused(409, "account_exists", "This address is connected already, or just being connected.") from None
    try:
        await ask_sync(account_id)
    except BaseException:
        async with as_user(parts.db, user_id) as db:
            await accounts.forget(db, user_id, account_id)
        raise
    await _settle(parts, Unsettled(user_id, account_id, "pending"))
    return account_id


async def reconnect(parts: Gateway, user_id: UUID, account_id: UUID, wish: Reconnect) -> None:
    """Sync keeps the servers with the password that it tried at them. Raises Refused, and then nothing has changed."""
    wishes.check_servers(wish.imap, wish.smtp)
    async with as_user(parts.db, user_id) as db:
        account = next((one for one in await accounts.active(db, user_id) if one.id == account_id), None)
    if account is None:
        raise not_found("account")
    await count(parts.db, {f"connect:{user_id}": TRIES})
    asked = Connect(
        user_id=user_id,
        account_id=account_id,
        email=account.email,
        imap=wishes.endpoint(wish.imap),
        smtp=wishes.endpoint(wish.smtp) if wish.smtp else None,
        sealed=seal(parts, wish.imap, wish.smtp),
    )
    await ask_whether(parts, SUBJECT, asked)
    await tell(parts, user_id, account_id)


async def remove(parts: Gateway, user_id: UUID, account_id: UUID) -> None:
    """Shown no more from here on. Raises Refused when the user has no such account."""
    async with as_user(parts.db, user_id) as db:
        if not await accounts.remove(db, user_id, account_id):
            raise not_found("account")
    await _settle(parts, Unsettled(user_id, account_id, "removed"))


async def finish(parts: Gateway) -> None:
    """What a gateway that died left half done: a pending account that the log does not know was never connected."""
    for row in await accounts.unsettled(parts.db, ABANDONED):
        subject = _subjects(parts, row).account
        if row.status == "active":
            await tell(parts, row.user_id, row.id)
        elif row.status == "pending" and await api.last(parts.log, parts.partition(row.user_id), subject) is None:
            async with as_user(parts.db, row.user_id) as db:
                await accounts.forget(db, row.user_id, row.id)
        else:
            await _settle(parts, row)
        log.info("account finished", account_id=str(row.id), status=row.status)


async def keep_finishing(parts: Gateway) -> None:
    """At the start and now and then; a log or database that does not answer is asked again the next time."""
    while True:
        try:
            await finish(parts)
        except (LogError, Refused, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("accounts not finished", error=type(error).__name__)
        await asyncio.sleep(EVERY)


async def ask_whether(parts: Gateway, subject: str, asked: msgspec.Struct) -> None:
    """Whether sync says that it works. Raises Refused with its reason, and what to do."""
    answer = await ask(parts, subject, asked, Connected, patience=PATIENCE)
    if answer.error is not None or not answer.ok:
        failure = answer.error or Failure(code="rejected")
        raise Refused(422, failure.code, advice(failure.code, failure.detail))


async def _settle(parts: Gateway, row: Unsettled) -> None:
    """The fact, the job, then the row, then (for a moment) until it shows. Any of them twice changes nothing.

    A job for a new account waits until the account is active; those of a removed one end.
    """
    kind = AccountRemoved if row.status == "removed" else AccountConnected
    fact = kind(user_id=row.user_id, account_id=row.id, at=datetime.now(UTC))
    try:
        sequence = await append(parts.log, _subjects(parts, row).account, fact, key=f"{row.id}:{row.status}")
        await (_end_job(parts, row) if row.status == "removed" else _begin_job(parts, row))
    except LogError:
        raise Refused(503, "log_unavailable", "It is noted and will be done in a few minutes.") from None
    async with as_user(parts.db, row.user_id) as db:
        await accounts.settle(db, row.user_id, row.id)
    await parts.positions.wait(row.user_id, ("accounts_state", "mail"), sequence)


async def _begin_job(parts: Gateway, row: Unsettled) -> None:
    """Its first sync. Where there is no room for it now, the worker that has the account asks again."""
    async with as_user(parts.db, row.user_id) as db:
        host = (await accounts.hosts(db, row.user_id, "pending")).get(row.id, "")
    try:
        await parts.jobs.enqueue(row.user_id, row.id, "bootstrap", by="user", group=cooldowns.group(host))
    except Skipped as reason:
        log.info("no job for a new account", account_id=str(row.id), reason=reason.code)


async def _end_job(parts: Gateway, row: Unsettled) -> None:
    job = await parts.jobs.current(row.user_id, row.id)
    if job is not None and job.active:
        await parts.jobs.cancel(row.user_id, job.id)


def seal(parts: Gateway, imap: Server, smtp: Server | None) -> bytes:
    """Their passwords, for sync alone."""
    passwords = vault.Credentials(imap_password=imap.password, smtp_password=smtp.password if smtp else None)
    return vault.seal(parts.sync_public_key, passwords.encoded())


def _subjects(parts: Gateway, row: Unsettled) -> AccountSubjects:
    return AccountSubjects(parts.partition(row.user_id), row.user_id, row.id)
