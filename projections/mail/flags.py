"""Folds of what sync observes of placements: flags and expunges."""

from collections.abc import Sequence
from uuid import UUID

from contracts import uidset
from contracts.facts import FlagsChanged, MailboxMarked, MessagesExpunged
from projections.engine.log import Recorded
from projections.engine.transaction import Transaction
from projections.mail import pending, shown
from projections.mail.statements import apply, array, columns, pieces


async def flag(run: Sequence[Recorded[FlagsChanged]], tx: Transaction) -> None:
    """Flags as observed; what outcomes newer than the observation say stays."""
    changed: set[UUID] = set()
    for _, fact in run:
        for group in fact.groups:
            bounds = columns(uidset.ranges(group.uids), 2)
            flags = sorted(set(group.flags))
            rows = await tx.fetch(apply.flag, fact.mailbox_id, fact.generation, *bounds, flags, fact.modseq, fact.as_of)
            changed |= {row["message_id"] for row in rows}
    threads: set[UUID] = set()
    for piece in pieces(changed):
        await shown.ask(piece, tx)
        rows = await tx.fetch(apply.threads_of, piece)
        shown.tell_flagged([row for row in rows if row["shown"]], tx)
        threads |= {row["thread_id"] for row in rows}
    if threads:
        await shown.recount(threads, tx)


async def expunge(run: Sequence[Recorded[MessagesExpunged]], tx: Transaction) -> None:
    """Placements are gone; a message that a request is moving is shown where it goes until the outcome is known."""
    gone: set[UUID] = set()
    for _, fact in run:
        bounds = columns(uidset.ranges(fact.uids), 2)
        rows = await tx.fetch(apply.expunge, fact.mailbox_id, fact.generation, *bounds)
        moving = [
            (row["account_id"], row["message_id"], row["place"], array(pending.unmarked(row["flags"])))
            for row in rows
            if row["place"] not in (None, row["mailbox_id"])
        ]
        if moving:
            await tx.execute(apply.keep_moving, *columns(moving, 4))
        gone |= {row["message_id"] for row in rows}
    await again(gone, tx)


async def observe(run: Sequence[Recorded[MailboxMarked]], tx: Transaction) -> None:
    """Where sync's listing includes an outcome and not what it put here, that is gone again."""
    seen: dict[UUID, int] = {}
    for _, fact in run:
        seen[fact.mailbox_id] = max(seen.get(fact.mailbox_id, 0), fact.outcomes_seen)
    rows = await tx.fetch(apply.seen_outcomes, list(seen), list(seen.values()))
    await tx.execute(apply.looked_since, list(seen), list(seen.values()))
    await again({row["message_id"] for row in rows}, tx)


async def again(messages: set[UUID], tx: Transaction) -> None:
    """Show what remains of messages that lost a placement."""
    if messages:
        await shown.recount(await shown.show(messages, tx, moved=messages), tx)
