"""The second factor: the secret of an authenticator app in its envelope, and codes for whoever loses the app."""

import secrets
from hashlib import sha256
from uuid import UUID

from projections.sql import Connection, Pool, Statements

query = Statements("services.state", "factors.sql")

CODES = 10
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without what is read as something else
_LENGTH = 16  # of 31 letters: 79 bits, so a fast hash is enough


async def propose(db: Connection | Pool, user_id: UUID, sealed: bytes) -> bool:
    """The secret that is shown to the user; False when one is in use already."""
    return await db.fetchval(query.propose, user_id, sealed) is not None


async def proposed(db: Connection | Pool, user_id: UUID) -> bytes | None:
    sealed: bytes | None = await db.fetchval(query.proposed, user_id)
    return sealed


async def enable(db: Connection, user_id: UUID, sealed: bytes, step: int) -> list[str] | None:
    """Ask for codes from here on; gives the recovery codes, which nobody can show again. Run in a transaction.

    None when it was not this secret that was proposed last.
    """
    if await db.fetchval(query.enable, user_id, step, sealed) is None:
        return None
    return await renew_codes(db, user_id)


async def renew_codes(db: Connection, user_id: UUID) -> list[str]:
    """Ten fresh ones in place of those before. Run in a transaction."""
    codes = ["".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH)) for _ in range(CODES)]
    await db.execute(query.forget_recovery_codes, user_id)
    await db.execute(query.add_recovery_codes, user_id, [_hash(code) for code in codes])
    return ["-".join(code[n : n + 4] for n in range(0, _LENGTH, 4)) for code in codes]


async def disable(db: Connection, user_id: UUID) -> None:
    """Run in a transaction."""
    await db.execute(query.disable, user_id)
    await db.execute(query.forget_recovery_codes, user_id)


async def take_step(db: Connection | Pool, user_id: UUID, step: int) -> bool:
    """False when a code of this step or a later one was taken already."""
    return await db.fetchval(query.take_step, user_id, step) is not None


async def use_code(db: Connection | Pool, user_id: UUID, code: str) -> bool:
    """A recovery code, with or without its dashes; it is worth nothing from here on."""
    plain = code.lower().replace("-", "").replace(" ", "")
    return await db.fetchval(query.use_recovery_code, user_id, _hash(plain)) is not None


async def codes_left(db: Connection | Pool, user_id: UUID) -> int:
    left: int = await db.fetchval(query.count_recovery_codes, user_id)
    return left


def _hash(code: str) -> bytes:
    return sha256(code.encode()).digest()
