"""What readers of accounts' state get."""

from datetime import datetime
from uuid import UUID

import msgspec

from contracts.facts import AccountState


class AccountRow(msgspec.Struct, frozen=True, kw_only=True):
    """`code` says why, empty when all is well. `synced` of `total` messages are readable, over all mailboxes. `repaired`
    placements were made right by audits, the last of them at `repaired_at`.
    """

    account_id: UUID
    state: AccountState
    code: str
    retry_at: datetime | None
    epoch: int
    worker: str
    last_sync_at: datetime | None
    synced: int
    total: int
    repaired_at: datetime | None
    repaired: int
