"""What a request is given: the signed-in user, a transaction that sees only this user's rows, and the process' own parts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide

from contracts import ids
from projections import sql
from projections.sql import Connection, Pool
from services.blobs import Blobs
from services.config import Settings
from services.gateway.accounts.proof import Proofs
from services.gateway.auth.passwords import Passwords
from services.gateway.drafts.missed import Missed
from services.gateway.messages.cleaning import Cleaner
from services.gateway.messages.opening import Opener
from services.gateway.realtime.hub import Hub
from services.gateway.static.bundle import Bundle
from services.jobs.jobs import Jobs
from services.log.connection import Connection as Log
from services.positions import Positions
from services.state.sessions import Session


@dataclass(frozen=True, repr=False)
class Gateway:
    """The parts of this process that requests share; shows nothing of itself, since it holds a key."""

    settings: Settings
    identity_key: bytes
    sync_public_key: bytes
    db: Pool
    log: Log
    blobs: Blobs
    hub: Hub
    positions: Positions
    passwords: Passwords
    bundle: Bundle
    opener: Opener
    cleaner: Cleaner
    jobs: Jobs
    proofs: Proofs
    missed: Missed = field(default_factory=Missed)

    def partition(self, user_id: UUID) -> int:
        return ids.partition(user_id, self.settings.partitions)


if TYPE_CHECKING:
    SignedIn = Request[Session, Any, State]
else:
    SignedIn = Request


CurrentUser: TypeAlias = NamedDependency[Session]
Db: TypeAlias = NamedDependency[Connection]
Parts: TypeAlias = NamedDependency[Gateway]


@asynccontextmanager
async def as_user(pool: Pool, user_id: UUID) -> AsyncIterator[Connection]:
    """A transaction in which row-level security shows this user's rows and no others."""
    async with sql.begun(pool, f"BEGIN; SET LOCAL app.user_id = '{user_id}'") as (db, _):  # a UUID needs no quoting
        yield db


def provide_parts(state: State) -> Gateway:
    gateway: Gateway = state.gateway
    return gateway


def provide_user(request: SignedIn) -> Session:
    return request.user


async def provide_db(request: SignedIn, state: State) -> AsyncIterator[Connection]:
    async with as_user(state.gateway.db, request.user.user_id) as db:
        yield db


DEPENDENCIES = {
    "parts": Provide(provide_parts, sync_to_thread=False),
    "user": Provide(provide_user, sync_to_thread=False),
    "db": Provide(provide_db),
}
