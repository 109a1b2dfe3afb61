"""Folds of requests, which are shown at once, and of what became of them."""

from collections.abc import Container, Mapping, Sequence
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
from projections.mail.statements import apply, array, columns

Requested = FlagsRequested | MoveRequested | DeleteRequested
Settled = RequestRefused | RequestExpired
Place = tuple[UUID, int, int]
"""Mailbox, generation, uid."""


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
        rows = await tx.fetch(apply.settle, fact.request_id)
        messages.update(row["message_id"] for row in rows)
        flagged.update(row["message_id"] for row in rows if row["kind"] == "flags")
        for target in {row["target"] for row in rows} - {None}:
            await tx.execute(apply.unsettled_moves, [row["message_id"] for row in rows], target)
    await _show(messages, flagged, tx)


async def settle(run: Sequence[Recorded[RequestApplied]], tx: Transaction) -> None:
    """What the server did is what the server has."""
    messages: set[UUID] = set()
    flagged: set[UUID] = set()
    for sequence, fact in run:
        waiting = {row["message_id"]: row for row in await tx.fetch(apply.settle, fact.request_id)}
        messages.update(waiting, (result.message_id for result in fact.results))
        flagged.update(message for message, row in waiting.items() if row["kind"] == "flags")
        await _apply(fact, waiting, sequence, tx)
    await _show(messages, flagged, tx)


async def _apply(fact: RequestApplied, waiting: Mapping[UUID, asyncpg.Record], sequence: int, tx: Transaction) -> None:
    """A fact of a thousand placements is as many statements as one of a single one.

    Who is not `waiting` is told of again: then only what can be repeated is.
    """
    results = fact.results
    numbered = [(result.message_id, *_place(result)) for result in results if result.uid]
    await tx.execute(apply.number, *columns(numbered, 4))
    moved = [result for result in results if result.moved_to is not None]
    deleted = [result for result in results if result.moved_to is None and _kind(result, waiting) == "delete"]
    left = [_place(result) for result in (*moved, *deleted)]
    if left:
        known = [(fact.account_id, *place, sequence) for place in left if place[2]]
        await tx.execute(apply.depart, *columns(known, 5))
        rows = await tx.fetch(apply.apply_removal, *columns(left, 3))
        gone = {(row["mailbox_id"], row["generation"], row["uid"]): row["flags"] for row in rows}
        await _arrive(fact, moved, waiting, gone, sequence=sequence, tx=tx)
    elif results:
        await _flag(results, waiting, sequence, tx)


def _place(result: Applied) -> Place:
    return result.mailbox_id, result.generation, result.uid


def _kind(result: Applied, waiting: Mapping[UUID, asyncpg.Record]) -> str:
    return waiting[result.message_id]["kind"] if result.message_id in waiting else ""


async def _flag(
    results: Sequence[Applied], waiting: Mapping[UUID, asyncpg.Record], sequence: int, tx: Transaction
) -> None:
    """Where the server did not tell, it has what was asked for."""
    untold = [_place(one) for one in results if one.flags is None and one.message_id in waiting]
    rows = await tx.fetch(apply.flags_of, *columns(untold, 3)) if untold else []
    before = {(row["mailbox_id"], row["generation"], row["uid"]): row["flags"] for row in rows}
    changes = []
    for one in results:
        flags = one.flags
        if flags is None and _place(one) in before and one.message_id in waiting:
            asked = waiting[one.message_id]
            flags = pending.flagged(before[_place(one)], pending.Request("flags", asked["add"], asked["remove"]))
        if flags is not None:
            changes.append((*_place(one), array(sorted(set(flags))), one.modseq, sequence))
    await tx.execute(apply.apply_flags, *columns(changes, 6))


async def _arrive(
    fact: RequestApplied,
    moved: Sequence[Applied],
    waiting: Container[UUID],
    gone: Mapping[Place, Sequence[str]],
    *,
    sequence: int,
    tx: Transaction,
) -> None:
    """Provisional placements where messages went; sync confirms them, or sees that they are gone again."""
    went = list(dict.fromkeys((one.message_id, one.moved_to) for one in moved))
    rows = await tx.fetch(apply.forget_unnumbered, *columns(went, 2))
    stood = {(row["message_id"], row["mailbox_id"]): row["flags"] for row in rows}
    there = {(row["message_id"], row["mailbox_id"]) for row in await tx.fetch(apply.placed, *columns(went, 2))}
    mailboxes = {row["id"]: row for row in await tx.fetch(apply.mailboxes)}
    arriving = []
    for one in moved:
        key = one.message_id, one.moved_to
        held = gone.get(_place(one), stood.get(key))
        if (held is None and one.message_id not in waiting) or key in there:
            continue
        if one.moved_to not in mailboxes or mailboxes[one.moved_to]["shown"] is None:
            continue
        there.add(key)
        flags = pending.unmarked(one.flags if one.flags is not None else held or ())
        where = (one.moved_to, *_numbered(one, mailboxes[one.moved_to]))
        arriving.append((fact.account_id, one.message_id, *where, array(flags), one.moved_to, one.modseq, sequence))
    await tx.execute(apply.apply_move, *columns(arriving, 9))


def _numbered(one: Applied, mailbox: asyncpg.Record) -> tuple[int, int | None]:
    """The generation and uid that it has where it went, as far as the server told."""
    found: tuple[int, int | None] = mailbox["shown"], None
    if one.copy_uid:
        for listing in ("shown", "staged"):
            if mailbox[f"{listing}_validity"] == one.copy_uidvalidity:
                found = mailbox[listing], one.copy_uid
    return found


async def _show(messages: set[UUID], flagged: set[UUID], tx: Transaction) -> None:
    if messages:
        threads = await shown.show(messages, tx, flagged=flagged, moved=messages - flagged)
        await shown.recount(threads, tx)
