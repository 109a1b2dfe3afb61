"""The outbox: every send with its state, as the facts about it say one after the other."""

from collections.abc import Sequence

from contracts.events import MessageSent, OutboxStateChanged
from contracts.facts import (
    AccountRemoved,
    SendAttempted,
    SendCancelled,
    SendDelivered,
    SendEdited,
    SendFailed,
    SendFiled,
    SendQueued,
    SendUnconfirmed,
)
from projections import sql
from projections.engine.log import Recorded
from projections.engine.projection import Projection
from projections.engine.transaction import Transaction

Settled = SendCancelled | SendDelivered | SendFailed | SendUnconfirmed
Told = SendQueued | SendEdited | SendAttempted | Settled

STATES: dict[type[Told], str] = {
    SendQueued: "queued",
    SendEdited: "queued",
    SendAttempted: "attempted",
    SendCancelled: "cancelled",
    SendDelivered: "delivered",
    SendFailed: "failed",
    SendUnconfirmed: "unconfirmed",
}

sending = Projection(
    "sending",
    version=1,
    schema=sql.text("projections.sending", "schema.sql"),
    grants=sql.text("projections.sending", "grants.sql"),
)
apply = sql.Statements("projections.sending", "apply.sql")


@sending.on(SendQueued)
async def queue(run: Sequence[Recorded[SendQueued]], tx: Transaction) -> None:
    for sequence, fact in run:
        draft = (fact.draft_id, fact.revision, fact.due)
        if await tx.fetch(apply.queue, fact.account_id, fact.outbox_id, *draft, fact.at, sequence):
            _tell(fact, tx)


@sending.on(SendEdited)
async def edit(run: Sequence[Recorded[SendEdited]], tx: Transaction) -> None:
    for sequence, fact in run:
        if await tx.fetch(apply.edit, fact.outbox_id, sequence, fact.draft_id, fact.revision, fact.due):
            _tell(fact, tx)


@sending.on(SendAttempted)
async def attempt(run: Sequence[Recorded[SendAttempted]], tx: Transaction) -> None:
    for sequence, fact in run:
        if await tx.fetch(apply.attempt, fact.outbox_id, sequence, fact.attempt):
            _tell(fact, tx)


async def settle(run: Sequence[Recorded[Settled]], tx: Transaction) -> None:
    for sequence, fact in run:
        refused = fact.refused if isinstance(fact, SendDelivered) else 0
        code = fact.code if isinstance(fact, SendFailed) else ""
        if await tx.fetch(apply.settle, fact.outbox_id, sequence, STATES[type(fact)], refused, code, fact.at):
            _tell(fact, tx)
            if isinstance(fact, SendDelivered):
                tx.announce(MessageSent(user_id=tx.user_id, account_id=fact.account_id, outbox_id=fact.outbox_id))


sending.on(SendCancelled)(settle)
sending.on(SendDelivered)(settle)
sending.on(SendFailed)(settle)
sending.on(SendUnconfirmed)(settle)


@sending.on(SendFiled)
async def file(run: Sequence[Recorded[SendFiled]], tx: Transaction) -> None:
    for sequence, fact in run:
        await tx.execute(apply.file, fact.outbox_id, sequence, fact.copy)


@sending.on(AccountRemoved)
async def forget(run: Sequence[Recorded[AccountRemoved]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.forget, fact.account_id)


def _tell(fact: Told, tx: Transaction) -> None:
    tx.announce(
        OutboxStateChanged(
            user_id=tx.user_id, account_id=fact.account_id, outbox_id=fact.outbox_id, state=STATES[type(fact)]
        )
    )
