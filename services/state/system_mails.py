"""Mails that the service itself sends: written by the gateway, which seals them, and sent by outbound, which alone can read them."""

from typing import Literal, NamedTuple
from uuid import UUID

import msgspec

from projections.sql import Connection, Pool, Statements
from services import vault
from services.state.settings import Language

query = Statements("services.state", "system_mails.sql")


class SystemMail(msgspec.Struct, frozen=True, kw_only=True):
    """`verify`: is this address yours? `reset`: choose a new password. Shows nothing of itself."""

    kind: Literal["verify", "reset"]
    to: str
    link: str
    language: Language

    def __repr__(self) -> str:
        return f"SystemMail({self.kind})"


class Posted(NamedTuple):
    """One that waits; `attempts` counts this one."""

    user_id: UUID
    id: UUID
    sealed: bytes
    attempts: int


async def post(db: Connection | Pool, user_id: UUID, public_key: bytes, mail: SystemMail) -> None:
    await db.execute(query.post, user_id, vault.seal(public_key, msgspec.json.encode(mail)))


def opened(private_key: bytes, posted: Posted) -> SystemMail:
    """Raises VaultError."""
    plain = vault.unseal(private_key, posted.sealed)
    try:
        return msgspec.json.decode(plain, type=SystemMail)
    except msgspec.MsgspecError:
        raise vault.VaultError("what was unsealed is no mail") from None


async def claim(db: Connection | Pool) -> Posted | None:
    """One that is due, for whoever asks first; it is due again after a minute, then two, unless it is finished."""
    row = await db.fetchrow(query.claim)
    return Posted(*row) if row else None


async def finish(db: Connection | Pool, posted: Posted) -> None:
    await db.execute(query.finish, posted.user_id, posted.id)
