"""The history of requests: what was asked, by whom, and what the server made of it."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from contracts.facts import (
    AccountRemoved,
    DeleteRequested,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
)
from projections import sql
from projections.engine.log import Recorded
from projections.engine.projection import Projection
from projections.engine.transaction import Transaction

UNDO = "undo:"
"""Before the id of the request that another one takes back, in `by`."""

Requested = FlagsRequested | MoveRequested | DeleteRequested

history = Projection("history", version=1, schema=sql.text("projections.history", "schema.sql"))
apply = sql.Statements("projections.history", "apply.sql")


async def ask(run: Sequence[Recorded[Requested]], tx: Transaction) -> None:
    for sequence, fact in run:
        kind, add, remove, source, target = _columns(fact)
        who = (fact.account_id, fact.request_id)
        told = (sequence, fact.at, fact.by, undoes(fact.by), kind, add, remove, source, target, len(fact.message_ids))
        await tx.execute(apply.ask, *who, *told)
        await tx.execute(apply.touch, *who, fact.message_ids, [] if source is None else [source])


history.on(FlagsRequested)(ask)
history.on(MoveRequested)(ask)
history.on(DeleteRequested)(ask)


def undoes(by: str) -> UUID | None:
    """The request that one asked for in this name takes back."""
    try:
        return UUID(by.removeprefix(UNDO)) if by.startswith(UNDO) else None
    except ValueError:
        return None


def _columns(fact: Requested) -> tuple[str, list[str], list[str], UUID | None, UUID | None]:
    match fact:
        case FlagsRequested():
            return "flags", fact.add, fact.remove, None, None
        case MoveRequested():
            return "move", [], [], fact.source, fact.target
        case DeleteRequested():
            return "delete", [], [], fact.mailbox_id, None


@history.on(RequestApplied)
async def apply_(run: Sequence[Recorded[RequestApplied]], tx: Transaction) -> None:
    for _, fact in run:
        if not await tx.fetch(apply.settle, fact.request_id, "applied", "", fact.at):
            continue
        sources: defaultdict[UUID, set[UUID]] = defaultdict(set)
        for result in fact.results:
            sources[result.message_id] |= {result.mailbox_id} if result.moved_to else set()
        texts = ["{" + ",".join(sorted(map(str, one))) + "}" for one in sources.values()]
        await tx.execute(apply.done, fact.request_id, list(sources), texts)


@history.on(RequestRefused)
async def refuse(run: Sequence[Recorded[RequestRefused]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.fetch(apply.settle, fact.request_id, "refused", fact.code, fact.at)


@history.on(RequestExpired)
async def expire(run: Sequence[Recorded[RequestExpired]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.fetch(apply.settle, fact.request_id, "expired", "", fact.at)


@history.on(AccountRemoved)
async def forget(run: Sequence[Recorded[AccountRemoved]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.forget, fact.account_id)
        await tx.execute(apply.forget_touched, fact.account_id)
