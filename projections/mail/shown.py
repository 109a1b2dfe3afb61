"""What is shown: placements as the server has them with pending requests applied, and all that is counted from them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

import asyncpg

from contracts.events import Event, FlagsChangedEvent, MessageChanged, MessageDeleted, MessageNew, ThreadUpdated
from projections.engine.transaction import Transaction
from projections.mail import pending, scopes
from projections.mail.statements import apply, array, columns, pieces

MOST_UPDATES = 200  # thread.updated of one run; the other events name their threads too
MOST_NAMED = 500  # messages in one flags.changed

Message = asyncpg.Record
"""id, account_id, thread_id."""


async def show(
    messages: Iterable[UUID], tx: Transaction, *, flagged: Collection[UUID] = (), moved: Collection[UUID] = ()
) -> set[UUID]:
    """Placements of these messages as they are shown; their threads, to be recounted.

    Tells who appeared and disappeared, and of those that were and are shown the `flagged` and the `moved`.
    """
    threads: set[UUID] = set()
    for piece in pieces(messages):
        await tx.execute(apply.show, piece)
        await ask(piece, tx)
        surfaced = await surface(piece, tx)
        rows = await tx.fetch(apply.threads_of, piece)
        threads |= {row["thread_id"] for row in rows}
        staying = [row for row in rows if row["shown"] and row["id"] not in surfaced]
        tell_flagged([row for row in staying if row["id"] in flagged], tx)
        tell_changed([row for row in staying if row["id"] in moved], tx)
    return threads


async def ask(messages: Collection[UUID], tx: Transaction) -> set[UUID]:
    """Apply the requests that wait for these messages to their placements; which have any."""
    requests: dict[UUID, list[pending.Request]] = defaultdict(list)
    for row in await tx.fetch(apply.pending, messages):
        request = pending.Request(row["kind"], row["add"], row["remove"], row["source"], row["target"])
        requests[row["message_id"]].append(request)
    if not requests:
        return set()
    await tx.execute(apply.show, list(requests))
    mailboxes = {row["id"] for row in await tx.fetch(apply.mailboxes)}
    wants = []
    for row in await tx.fetch(apply.placements_of, list(requests)):
        wanted, place = pending.effect(row["flags"], row["place"], requests[row["message_id"]], mailboxes)
        key = (row["message_id"], row["mailbox_id"], row["generation"], row["uid"])
        wants.append((*key, None if wanted is None else array(wanted), place))
    await tx.execute(apply.want, *columns(wants, 6))
    return set(requests)


async def surface(messages: Collection[UUID], tx: Transaction) -> set[UUID]:
    """Tell of messages that are shown now and were not, or no more; which they are."""
    rows = await tx.fetch(apply.surface, messages) if messages else []
    for row in sorted(rows, key=lambda row: row["id"]):
        named = {"user_id": tx.user_id, "account_id": row["account_id"], "message_id": row["id"]}
        event: Event
        if not row["shown"]:
            event = MessageDeleted(**named, thread_id=row["thread_id"])
        elif row["before"] is None:
            event = MessageNew(**named, thread_id=row["thread_id"], mailbox_id=row["place"])
        else:
            event = MessageChanged(**named, thread_id=row["thread_id"])
        tx.announce(event)
    return {row["id"] for row in rows}


async def recount(threads: Iterable[UUID], tx: Transaction, *, tell: Collection[UUID] | None = None) -> None:
    """Denormalized columns always come from the placements. Tells of `tell`, of all of them by default."""
    distinct = set(threads)
    starred = scopes.special(tx.user_id, "starred")
    for piece in pieces(distinct):
        await tx.execute(apply.recount, piece, starred)
    await tx.execute(apply.drop_empty_scopes)
    stale = sorted(distinct if tell is None else tell)
    tx.announce(*(ThreadUpdated(user_id=tx.user_id, thread_id=thread) for thread in stale[:MOST_UPDATES]))


def tell_changed(messages: Iterable[Message], tx: Transaction) -> None:
    for row in sorted(messages, key=lambda row: row["id"]):
        named = {"account_id": row["account_id"], "message_id": row["id"], "thread_id": row["thread_id"]}
        tx.announce(MessageChanged(user_id=tx.user_id, **named))


def tell_flagged(messages: Iterable[Message], tx: Transaction) -> None:
    """One flags.changed an account, or a few when it is very many messages."""
    by_account: dict[UUID, dict[UUID, UUID]] = defaultdict(dict)
    for row in messages:
        by_account[row["account_id"]][row["id"]] = row["thread_id"]
    for account, named in sorted(by_account.items()):
        for piece in pieces(named, MOST_NAMED):
            threads = sorted({named[message] for message in piece})
            tx.announce(
                FlagsChangedEvent(user_id=tx.user_id, account_id=account, message_ids=piece, thread_ids=threads)
            )
