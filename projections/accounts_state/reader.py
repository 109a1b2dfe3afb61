"""Questions about how accounts' sync is doing."""

from uuid import UUID

from contracts.facts import AccountState
from projections import sql
from projections.accounts_state.rows import AccountRow
from projections.sql import Connection

query = sql.Statements("projections.accounts_state", "read.sql")


async def accounts(db: Connection, user_id: UUID) -> dict[UUID, AccountRow]:
    """By id, every account of the user that is connected and not removed."""
    rows = await db.fetch(query.accounts, user_id)
    return {row["account_id"]: AccountRow(**{**row, "state": AccountState(row["state"])}) for row in rows}
