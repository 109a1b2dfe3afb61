"""`rpc.outbound.mailbox.create`: makes a mailbox that somebody waits for, and says how sync will call it."""

import asyncio
from collections.abc import Callable
from uuid import UUID

import msgspec
import structlog
from nats.aio.msg import Msg

from contracts import ids
from contracts.provider import MailWriter, ProviderError
from projections.sql import Pool
from services.database import UNAVAILABLE
from services.log.connection import Connection
from services.mail.budget import HostBudget, Places
from services.state import logins
from services.state.errors import AccountPaused, SecretMissing
from services.state.logins import Login
from services.vault import Vault

SUBJECT = "rpc.outbound.mailbox.create"
QUEUE = "outbound"
AT_ONCE = 20

_FAILED: tuple[type[Exception], ...] = (msgspec.MsgspecError, *UNAVAILABLE)

log = structlog.get_logger()


class Create(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway asks."""

    user_id: UUID
    account_id: UUID
    path: str


class Created(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The mailbox, or why there is none: `code` of contracts.provider, and the server's own words."""

    mailbox_id: UUID | None = None
    code: str = ""
    detail: str = ""


class Maker:
    """Answers until cancelled."""

    def __init__(
        self, nc: Connection, db: Pool, vault: Vault, connect: Callable[[Login, Places], MailWriter], budget: HostBudget
    ) -> None:
        self._nc = nc
        self._db = db
        self._vault = vault
        self._connect = connect
        self._budget = budget
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:

            async def asked(message: Msg) -> None:
                group.create_task(self._answer(message))

            await self._nc.subscribe(SUBJECT, QUEUE, asked)
            await asyncio.Event().wait()

    async def _answer(self, message: Msg) -> None:
        async with self._turns:
            try:
                answer = await self._make(msgspec.json.decode(message.data, type=Create))
            except ProviderError as error:
                answer = Created(code=error.code, detail=error.detail)
            except SecretMissing as missing:
                answer = Created(code=missing.code)
            except AccountPaused:
                answer = Created(code="paused")
            except _FAILED as error:
                log.warning("mailbox not made", error=type(error).__name__)
                answer = Created(code="internal")
            await self._nc.publish(message.reply, msgspec.json.encode(answer))

    async def _make(self, wish: Create) -> Created:
        login = await logins.login(self._db, self._vault, wish.user_id, wish.account_id)
        writer = self._connect(login, self._budget)
        try:
            status = await writer.create(wish.path)
        finally:
            await writer.close()
        log.info("mailbox made", account=str(wish.account_id))
        return Created(mailbox_id=ids.mailbox_id(wish.account_id, wish.path, status.uidvalidity))
