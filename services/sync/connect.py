"""`rpc.sync.account.connect`: does this account work? If so its secret is kept (§10.2); the gateway writes the rest."""

import asyncio
from uuid import UUID

import asyncpg
import msgspec
import structlog
from nats.aio.msg import Msg

from contracts import ids
from contracts.provider import ProviderError
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.database import UNAVAILABLE
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.errors import Lost
from services.mail import endpoint as mail
from services.mail.budget import HostBudget
from services.mail.imap.verify import verify as verify_imap
from services.mail.imap.wire import Limits
from services.mail.smtp.verify import verify as verify_smtp
from services.state.accounts import Endpoint
from services.sync import accounts
from services.vault import Credentials, Vault, VaultError, unseal

SUBJECT = "rpc.sync.account.connect"
QUEUE = "sync"
AT_ONCE = 20

_FAILED: tuple[type[Exception], ...] = (*UNAVAILABLE, asyncpg.ForeignKeyViolationError)
"""The second: the account was forgotten while it was tried."""

log = structlog.get_logger()


class Connect(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway asks; `sealed` holds the vault's Credentials."""

    user_id: UUID
    account_id: UUID
    imap: Endpoint
    smtp: Endpoint | None
    sealed: bytes


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """`code` of contracts.provider, or `internal`; `detail`: the server's own words."""

    code: str
    detail: str


class Connected(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`ok`, or why not."""

    ok: bool = False
    error: Failure | None = None


class Connector:
    """Tries accounts for the gateway, which can't open what it sealed."""

    def __init__(
        self, nc: Connection, db: Pool, vault: Vault, private_key: bytes, *, partitions: int, budget: HostBudget
    ) -> None:
        self._nc = nc
        self._db = db
        self._vault = vault
        self._private_key = private_key
        self._partitions = partitions
        self._budget = budget
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def run(self) -> None:
        """Answer until cancelled."""
        async with asyncio.TaskGroup() as group:

            async def asked(message: Msg) -> None:
                group.create_task(self._answer(message))

            await self._nc.subscribe(SUBJECT, QUEUE, asked)
            await asyncio.Event().wait()

    async def _answer(self, message: Msg) -> None:
        async with self._turns:
            try:
                answer = await self._connect(msgspec.json.decode(message.data, type=Connect))
            except (msgspec.MsgspecError, VaultError) as error:
                log.warning("connect not understood", error=type(error).__name__)
                answer = _failed("internal")
            except _FAILED as error:
                log.warning("connect failed", error=type(error).__name__)
                answer = _failed("internal")
            await self._nc.publish(message.reply, msgspec.json.encode(answer))

    async def _connect(self, wish: Connect) -> Connected:
        """Tried at both servers before anything is kept."""
        credentials = Credentials.decoded(unseal(self._private_key, wish.sealed))
        try:
            await self._try_imap(wish.imap, login(wish.imap.username, credentials.imap_password))
            if wish.smtp is not None:
                password = credentials.smtp_password or credentials.imap_password
                await verify_smtp(endpoint(wish.smtp), login(wish.smtp.username, password))
        except ProviderError as error:
            log.info("account does not work", account=str(wish.account_id), code=error.code)
            return Connected(error=Failure(code=error.code, detail=error.detail))
        if await accounts.keep(self._db, self._vault, wish.user_id, wish.account_id, credentials):
            await self._fence(wish.user_id, wish.account_id)
        return Connected(ok=True)

    async def _try_imap(self, wished: Endpoint, credentials: mail.Credentials) -> None:
        """Its connection counts as all others of this process do, and comes first: somebody waits."""
        limits = Limits()
        release = await self._budget.take(wished.host, limits.connect)
        try:
            await verify_imap(endpoint(wished), credentials, limits, trust=None)
        finally:
            release()

    async def _fence(self, user_id: UUID, account_id: UUID) -> None:
        """Take the account's epoch: whoever works with the credentials before is refused by the log, for good."""
        subjects = AccountSubjects(ids.partition(user_id, self._partitions), user_id, account_id)
        while True:
            try:
                await AccountAppender(self._nc, subjects).claim(QUEUE)
            except Lost:
                continue  # to somebody who wrote, or claimed, at the same moment
            return


def endpoint(given: Endpoint) -> mail.Endpoint:
    """Where the provider connects."""
    return mail.Endpoint(host=given.host, port=given.port, tls=given.tls)


def login(username: str, password: str) -> mail.Credentials:
    return mail.Credentials(username=username, password=password)


def _failed(code: str) -> Connected:
    return Connected(error=Failure(code=code, detail=""))
