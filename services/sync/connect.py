"""`rpc.sync.account.connect`: does this account work? If so its secret is kept (§10.2); the gateway writes the rest."""

from uuid import UUID

import msgspec
import structlog

from contracts import ids
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.database import UNAVAILABLE
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.errors import Lost
from services.state.accounts import Endpoint
from services.sync import accounts
from services.sync.serve import QUEUE, serve
from services.sync.trial import Trier
from services.vault import Credentials, Vault, VaultError, unseal

SUBJECT = "rpc.sync.account.connect"

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
        self, nc: Connection, db: Pool, vault: Vault, private_key: bytes, trier: Trier, *, partitions: int
    ) -> None:
        self._nc = nc
        self._db = db
        self._vault = vault
        self._private_key = private_key
        self._partitions = partitions
        self._trier = trier

    async def run(self) -> None:
        """Answer until cancelled."""
        await serve(self._nc, SUBJECT, self._respond)

    async def _respond(self, asked: bytes) -> bytes:
        try:
            answer = await self._connect(msgspec.json.decode(asked, type=Connect))
        except (msgspec.MsgspecError, VaultError) as error:
            log.warning("connect not understood", error=type(error).__name__)
            answer = _failed("internal")
        except UNAVAILABLE as error:
            log.warning("connect failed", error=type(error).__name__)
            answer = _failed("internal")
        return msgspec.json.encode(answer)

    async def _connect(self, wish: Connect) -> Connected:
        credentials = Credentials.decoded(unseal(self._private_key, wish.sealed))
        return await self.keep(wish.user_id, wish.account_id, accounts.Tried(wish.imap, wish.smtp, credentials))

    async def keep(self, user_id: UUID, account_id: UUID, given: accounts.Tried) -> Connected:
        """Tried at both servers before anything is kept. Raises what Postgres raises while it is away, and LogError."""
        for check in await self._trier.checks(*given):
            if check.code is not None:
                log.info("account does not work", account=str(account_id), code=check.code)
                return Connected(error=Failure(code=check.code, detail=check.detail))
        active = await accounts.keep(self._db, self._vault, user_id, account_id, given)
        if active is None:
            log.warning("account was gone when it was tried", account=str(account_id))
            return _failed("internal")
        if active:
            await self._fence(user_id, account_id)
        return Connected(ok=True)

    async def _fence(self, user_id: UUID, account_id: UUID) -> None:
        """Take the account's epoch: whoever works with the credentials before is refused by the log, for good."""
        subjects = AccountSubjects(ids.partition(user_id, self._partitions), user_id, account_id)
        while True:
            try:
                await AccountAppender(self._nc, subjects).claim(QUEUE)
            except Lost:
                continue  # to somebody who wrote, or claimed, at the same moment
            return


def _failed(code: str) -> Connected:
    return Connected(error=Failure(code=code, detail=""))
