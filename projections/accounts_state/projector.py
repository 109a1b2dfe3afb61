"""The state of accounts: what sync says of them, how far it is, and when it last was there."""

from collections.abc import Sequence
from uuid import UUID

from contracts.events import AccountStateChangedEvent, SyncProgress
from contracts.facts import (
    AccountChanged,
    AccountConnected,
    AccountRemoved,
    AccountState,
    AccountStateChanged,
    DriftRepaired,
    LeaseTaken,
    MailboxLost,
    MailboxMarked,
)
from projections import sql
from projections.engine.log import Recorded
from projections.engine.projection import Projection
from projections.engine.transaction import Transaction

accounts_state = Projection("accounts_state", version=2, schema=sql.text("projections.accounts_state", "schema.sql"))
apply = sql.Statements("projections.accounts_state", "apply.sql")


@accounts_state.on(AccountConnected)
async def connect(run: Sequence[Recorded[AccountConnected]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.connect, fact.account_id)
        _tell(fact.account_id, AccountState.CONNECTING, "", tx)


@accounts_state.on(AccountRemoved)
async def remove(run: Sequence[Recorded[AccountRemoved]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.remove, fact.account_id)
        await tx.execute(apply.remove_progress, fact.account_id)
        _tell(fact.account_id, AccountState.DISABLED, "removed", tx)


@accounts_state.on(AccountChanged)
async def tell_change(run: Sequence[Recorded[AccountChanged]], tx: Transaction) -> None:
    """Name, colour and such are in no read model: whoever shows them looks at them again."""
    for row in await tx.fetch(apply.states, list({fact.account_id for _, fact in run})):
        _tell(row["account_id"], AccountState(row["state"]), row["code"], tx)


@accounts_state.on(LeaseTaken)
async def lease(run: Sequence[Recorded[LeaseTaken]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.lease, fact.account_id, fact.epoch, fact.worker)


@accounts_state.on(AccountStateChanged)
async def change_state(run: Sequence[Recorded[AccountStateChanged]], tx: Transaction) -> None:
    for _, fact in run:
        if await tx.fetch(apply.change_state, fact.account_id, fact.state, fact.code, fact.retry_at):
            _tell(fact.account_id, fact.state, fact.code, tx)


@accounts_state.on(MailboxMarked)
async def mark(run: Sequence[Recorded[MailboxMarked]], tx: Transaction) -> None:
    """The last mark of each mailbox counts; one announcement a mailbox."""
    latest = {fact.mailbox_id: fact for _, fact in run}
    rows = [
        (one.account_id, one.mailbox_id, one.generation, one.synced, one.total, one.done, one.at)
        for one in latest.values()
    ]
    known = {row["mailbox_id"] for row in await tx.fetch(apply.mark, *map(list, zip(*rows, strict=True)))}
    await tx.execute(apply.synced, [fact.account_id for _, fact in run], [fact.at for _, fact in run])
    for one in latest.values():
        if one.mailbox_id in known:
            tx.announce(
                SyncProgress(
                    user_id=tx.user_id,
                    account_id=one.account_id,
                    mailbox_id=one.mailbox_id,
                    synced=one.synced,
                    total=one.total,
                )
            )


@accounts_state.on(MailboxLost)
async def lose(run: Sequence[Recorded[MailboxLost]], tx: Transaction) -> None:
    await tx.execute(apply.lose, [fact.mailbox_id for _, fact in run])


@accounts_state.on(DriftRepaired)
async def repair(run: Sequence[Recorded[DriftRepaired]], tx: Transaction) -> None:
    for sequence, fact in run:
        await tx.execute(apply.repair, fact.account_id, sequence, fact.missing + fact.surplus + fact.flags, fact.at)


def _tell(account: UUID, state: AccountState, code: str, tx: Transaction) -> None:
    tx.announce(AccountStateChangedEvent(user_id=tx.user_id, account_id=account, state=state, code=code))
