"""Proof that all mail is here: what the server had when sync last compared, beside what the read model holds."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from projections.accounts_state.rows import AccountRow
from projections.sql import Connection, Statements
from services.gateway.accounts.structs import Proof

query = Statements("services.gateway.accounts", "read.sql")


class _Counted(NamedTuple):
    check: datetime
    held: int


class Proofs:
    """Counts an account's placements once for each comparison, since there may be a million of them."""

    def __init__(self) -> None:
        self._counted: dict[UUID, _Counted] = {}

    async def of(self, db: Connection, user_id: UUID, states: dict[UUID, AccountRow]) -> dict[UUID, Proof]:
        """By account; none for one that was never compared."""
        proofs = {}
        for row in await db.fetch(query.checks, user_id):
            account_id, state = row["account_id"], states.get(row["account_id"])
            held = await self._held(db, user_id, account_id, row["latest"])
            told = state.last_sync_at if state else None
            # A message that sync told of after it found all equal is in one number and not in the other: it is left out.
            if row["equal"] and told is not None and told > row["checked_at"]:
                held = row["on_server"]
            proofs[account_id] = Proof(
                held=held,
                on_server=row["on_server"],
                checked_at=row["checked_at"],
                equal=row["equal"] and held == row["on_server"],
                repaired=state.repaired if state else 0,
                repaired_at=state.repaired_at if state else None,
            )
        return proofs

    async def _held(self, db: Connection, user_id: UUID, account_id: UUID, check: datetime) -> int:
        known = self._counted.get(account_id)
        if known is None or known.check != check:
            known = _Counted(check, await db.fetchval(query.held, user_id, account_id))
            self._counted[account_id] = known
        return known.held
