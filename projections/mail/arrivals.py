"""Folds of messages that arrive or change their content."""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from uuid import UUID

from contracts import ids
from contracts.events import MessageNew
from contracts.facts import ContentChanged, MessageArrived
from projections.documents.document import Document
from projections.engine.log import Recorded
from projections.engine.transaction import Transaction
from projections.mail import joining, shown, threads
from projections.mail.statements import apply, array, columns, plain
from projections.mail.threads import Letter
from projections.sent import sent_at


async def arrive(run: Sequence[Recorded[MessageArrived]], tx: Transaction) -> None:
    """Placements of known messages and of new ones, which join their conversations."""
    told = list({(r.fact.mailbox_id, r.fact.generation, r.fact.uid): r for r in reversed(run)}.values())[::-1]
    told = await still_there(told, tx)
    visible = await shown_at_once(told, tx)
    messages = list(dict.fromkeys(r.fact.message_id for r in told))
    known = {row["id"] for row in await tx.fetch(apply.known, messages)}
    new = {r.fact.message_id: r for r in reversed(told) if r.fact.message_id not in known}
    places = {r.fact.message_id: r.fact.mailbox_id for r in reversed(told) if r.sequence in visible}
    arriving = [(recorded, letter(recorded, tx)) for recorded in reversed(new.values())]
    joined, stale = await settle_in(arriving, places, tx)
    placed = await place(told, visible, tx)
    asked = await shown.ask(messages, tx)
    surfaced = await shown.surface([one for one in messages if one in known or one in asked], tx)
    changed = list(placed & known & places.keys())
    now = await tx.fetch(apply.threads_of, changed) if changed else []
    shown.tell_changed([row for row in now if row["shown"] and row["id"] not in surfaced], tx)
    touched = {*joined.values(), *stale, *(row["thread_id"] for row in now)}
    await shown.recount(touched, tx, tell=touched - {one.thread for _, one in arriving})


async def still_there(told: list[Recorded[MessageArrived]], tx: Transaction) -> list[Recorded[MessageArrived]]:
    """Without what an outcome took away after sync had seen it."""
    rows = await tx.fetch(apply.departed, list({r.fact.mailbox_id for r in told}))
    gone = {(row["mailbox_id"], row["generation"], row["uid"]) for row in rows}
    return [r for r in told if (r.fact.mailbox_id, r.fact.generation, r.fact.uid) not in gone] if gone else told


async def shown_at_once(told: Sequence[Recorded[MessageArrived]], tx: Transaction) -> set[int]:
    """The facts whose placement readers see: of the shown generation, or arrivals beside a listing that still fills."""
    rows = {row["id"]: row for row in await tx.fetch(apply.mailboxes)}
    found = set()
    for sequence, fact in told:
        row = rows.get(fact.mailbox_id)
        if row is None:
            continue
        if fact.generation == row["shown"] or (fact.generation == row["staged"] and fact.uid >= row["staged_uidnext"]):
            found.add(sequence)
    return found


async def settle_in(
    arriving: Sequence[tuple[Recorded[MessageArrived], Letter]], places: Mapping[UUID, UUID], tx: Transaction
) -> tuple[Mapping[UUID, UUID], set[UUID]]:
    """Rows of new messages in their conversations; the threads by message, and those that are stale besides."""
    if not arriving:
        return {}, set()
    joined = await joining.join([one for _, one in arriving], tx)
    rows = []
    for (sequence, fact), one in arriving:
        document = tx.document(fact.blob)
        rows.append(
            (
                one.message_id,
                fact.account_id,
                joined.threads[one.message_id],
                sequence,
                one.sent_at,
                fact.internal_date,
                fact.size,
                fact.blob,
                *envelope(document),
                plain(joined.keys[one.message_id]),
                one.base,
                plain(sorted(one.people)),
                one.answering,
                True if one.message_id in places else None,
            )
        )
    await tx.execute(apply.insert_messages, *columns(rows, 19))
    await attach(((fact.account_id, fact.message_id, tx.document(fact.blob)) for (_, fact), _ in arriving), tx)
    stale = await joining.store(joined, tx)
    current = (
        {row["id"]: row["thread_id"] for row in await tx.fetch(apply.known, list(joined.threads))}
        if joined.loosened
        else joined.threads
    )
    for (_, fact), _ in arriving:
        if fact.message_id in places:
            tx.announce(
                MessageNew(
                    user_id=tx.user_id,
                    account_id=fact.account_id,
                    mailbox_id=places[fact.message_id],
                    message_id=fact.message_id,
                    thread_id=current[fact.message_id],
                )
            )
    return current, stale


def letter(recorded: Recorded[MessageArrived], tx: Transaction) -> Letter:
    sequence, fact = recorded
    document = tx.document(fact.blob)
    at = sent_at(document, fact.internal_date)
    return threads.letter(tx.user_id, fact.message_id, document, sequence=sequence, sent_at=at)


def envelope(document: Document) -> tuple[str | None, str, str, str, str, bool]:
    """message_id, subject, snippet, from_name, from_email, has_attachments."""
    sender = document.from_[0] if document.from_ else None
    return (
        document.message_id,
        document.subject,
        document.snippet,
        sender.name if sender else "",
        sender.email if sender else "",
        any(not one.inline for one in document.attachments),
    )


async def attach(messages: Iterable[tuple[UUID, UUID, Document]], tx: Transaction) -> None:
    """Rows of the attachments, by account, message and document."""
    rows = [
        (
            account,
            message,
            ids.attachment_id(message, one.index),
            one.index,
            one.filename,
            one.mime,
            one.size,
            one.inline,
            one.content_id,
            one.offset,
            one.length,
            one.encoding,
            one.charset,
        )
        for account, message, document in messages
        for one in document.attachments
    ]
    if rows:
        await tx.execute(apply.insert_attachments, *columns(rows, 13))


async def place(told: Sequence[Recorded[MessageArrived]], visible: Container[int], tx: Transaction) -> set[UUID]:
    """Rows of placements; the messages that have a new one."""
    rows = [
        (
            fact.account_id,
            fact.message_id,
            fact.mailbox_id,
            fact.generation,
            fact.uid,
            _flags(tuple(fact.flags)),
            fact.mailbox_id if sequence in visible else None,
            fact.modseq,
            fact.as_of,
        )
        for sequence, fact in told
    ]
    mailboxes = [row[2] for row in rows]
    await tx.execute(apply.confirm_unnumbered, list(set(mailboxes)), mailboxes, [row[1] for row in rows])
    return {row["message_id"] for row in await tx.fetch(apply.place, *columns(rows, 9))}


@lru_cache(maxsize=1_000)
def _flags(flags: tuple[str, ...]) -> str:
    """A few combinations are all that most mail has."""
    return array(sorted(set(flags)))


async def change(run: Sequence[Recorded[ContentChanged]], tx: Transaction) -> None:
    """Other bytes for a message: what is shown of it is new, its conversation stays."""
    threads_: set[UUID] = set()
    for _, fact in run:
        document = tx.document(fact.blob)
        shown_ = (fact.message_id, fact.size, fact.blob, *envelope(document))
        rows = await tx.fetch(apply.change_content, *shown_, document.date)
        await tx.execute(apply.delete_attachments, fact.message_id)
        for row in rows:
            await attach([(row["account_id"], fact.message_id, document)], tx)
            threads_.add(row["thread_id"])
            if row["shown"]:
                shown.tell_changed([row], tx)
    if threads_:
        await shown.recount(threads_, tx)
