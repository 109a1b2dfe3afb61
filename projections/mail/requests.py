"""Folds of requests, which are shown at once, and of what became of them."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from contracts.facts import (
    Applied,
    DeleteRequested,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
)
from projections.engine.log import Recorded
from projections.engine.transaction import Transaction
from projections.mail import pending, shown
from projections.mail.statements import apply

Requested = FlagsRequested | MoveRequested | DeleteRequested
Settled = RequestRefused | RequestExpired


async def ask(run: Sequence[Recorded[Requested]], tx: Transaction) -> None:
    """A request waits from here on, and what it asks for is shown."""
    messages: set[UUID] = set()
    for sequence, fact in run:
        asked = [fact.account_id, fact.request_id, fact.message_ids, sequence]
        await tx.execute(apply.add_pending, *asked, *_columns(fact))
        messages.update(fact.message_ids)
    await _show(messages, messages if isinstance(run[0].fact, FlagsRequested) else set(), tx)


def _columns(fact: Requested) -> tuple[str, list[str], list[str], UUID | None, UUID | None]:
    match fact:
        case FlagsRequested():
            return "flags", fact.add, fact.remove, None, None
        case MoveRequested():
            return "move", [], [], fact.source, fact.target
        case DeleteRequested():
            return "delete", [], [], fact.mailbox_id, None


async def roll_back(run: Sequence[Recorded[Settled]], tx: Transaction) -> None:
    """What was shown ahead of the server is shown no more."""
    messages: set[UUID] = set()
    flagged: set[UUID] = set()
    for _, fact in run:
        for row in await tx.fetch(apply.settle, fact.request_id):
            messages.add(row["message_id"])
            if row["kind"] == "flags":
                flagged.add(row["message_id"])
            if row["target"] is not None:
                await tx.execute(apply.unsettled_moves, [row["message_id"]], row["target"])
    await _show(messages, flagged, tx)


async def settle(run: Sequence[Recorded[RequestApplied]], tx: Transaction) -> None:
    """What the server did is what the server has."""
    messages: set[UUID] = set()
    flagged: set[UUID] = set()
    for sequence, fact in run:
        waiting = {row["message_id"]: row for row in await tx.fetch(apply.settle, fact.request_id)}
        messages.update(waiting)
        flagged.update(message for message, row in waiting.items() if row["kind"] == "flags")
        for result in fact.results:
            messages.add(result.message_id)
            await _apply(fact.account_id, result, waiting.get(result.message_id), sequence, tx)
    await _show(messages, flagged, tx)


async def _apply(account: UUID, result: Applied, asked: asyncpg.Record | None, sequence: int, tx: Transaction) -> None:
    """One placement. `asked` is None when this is told again: then only what can be repeated is."""
    place = (result.mailbox_id, result.generation, result.uid)
    await tx.execute(apply.number, result.message_id, *place)
    if result.uid and (result.moved_to is not None or (asked and asked["kind"] == "delete")):
        await tx.execute(apply.depart, account, *place, sequence)
    if result.moved_to is not None:
        gone = await tx.fetch(apply.apply_removal, *place)
        stood = await tx.fetch(apply.forget_unnumbered, result.message_id, result.moved_to)
        if gone or stood or asked:
            flags = result.flags if result.flags is not None else next((row["flags"] for row in (*gone, *stood)), ())
            await _arrive(account, result, pending.unmarked(flags), sequence, tx)
    elif asked and asked["kind"] == "delete":
        await tx.execute(apply.apply_removal, *place)
    else:
        await _flag(result, asked, sequence, tx)


async def _flag(result: Applied, asked: asyncpg.Record | None, sequence: int, tx: Transaction) -> None:
    place = (result.mailbox_id, result.generation, result.uid)
    flags = result.flags
    if flags is None and asked:  # the server did not tell: then it has what was asked for
        for row in await tx.fetch(apply.flags_of, *place):
            flags = pending.flagged(row["flags"], pending.Request("flags", asked["add"], asked["remove"]))
    if flags is not None:
        await tx.execute(apply.apply_flags, *place, sorted(set(flags)), result.modseq, sequence)


async def _arrive(account: UUID, result: Applied, flags: list[str], sequence: int, tx: Transaction) -> None:
    """A provisional placement where the message went; sync confirms it, or sees that it is gone again."""
    mailbox = next((row for row in await tx.fetch(apply.mailboxes) if row["id"] == result.moved_to), None)
    if mailbox is None or mailbox["shown"] is None or await tx.fetch(apply.placed, result.message_id, result.moved_to):
        return
    generation, uid = mailbox["shown"], None
    if result.copy_uid:
        for listing in ("shown", "staged"):
            if mailbox[f"{listing}_validity"] == result.copy_uidvalidity:
                generation, uid = mailbox[listing], result.copy_uid
    row = (account, result.message_id, result.moved_to, generation, uid, flags, result.moved_to)
    await tx.execute(apply.apply_move, *row, result.modseq, sequence)


async def _show(messages: set[UUID], flagged: set[UUID], tx: Transaction) -> None:
    if messages:
        threads = await shown.show(messages, tx, flagged=flagged, moved=messages - flagged)
        await shown.recount(threads, tx)
