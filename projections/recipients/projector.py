"""Known recipients: everyone the user wrote to or heard from, with how much and when last (§6.3)."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from contracts.facts import MailboxFound, MessageArrived, SpecialUse
from projections import sql
from projections.documents.addresses import Address
from projections.documents.document import Document
from projections.engine.log import Recorded
from projections.engine.projection import Projection
from projections.engine.transaction import Transaction
from projections.recipients.words import words

RECEIVED, SENT = 1, 3
LONGEST = 254  # of an address (RFC 5321 §4.5.3.1.3)

recipients = Projection(
    "recipients",
    version=2,
    schema=sql.text("projections.recipients", "schema.sql"),
    indexes=sql.text("projections.recipients", "indexes.sql"),
    documents=True,
    patience=0.2,
)
apply = sql.Statements("projections.recipients", "apply.sql")


class Known(NamedTuple):
    name: str
    weight: int
    last_used_at: datetime


@recipients.on(MailboxFound)
async def find(run: Sequence[Recorded[MailboxFound]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.find_mailbox, fact.mailbox_id, fact.special_use)


@recipients.on(MessageArrived)
async def meet(run: Sequence[Recorded[MessageArrived]], tx: Transaction) -> None:
    """Each letter counts once, in the first mailbox that is not for junk. A draft was written to nobody yet."""
    uses = {row["id"]: row["special_use"] for row in await tx.fetch(apply.mailboxes)}
    told: dict[object, MessageArrived] = {}
    for _, fact in run:
        if uses.get(fact.mailbox_id) not in (SpecialUse.JUNK, SpecialUse.DRAFTS) and "\\Draft" not in fact.flags:
            told.setdefault(fact.message_id, fact)
    new = {row["message_id"] for row in await tx.fetch(apply.count, list(told))}
    known: dict[str, Known] = {}
    for message, fact in told.items():
        if message in new:
            sent = uses.get(fact.mailbox_id) == SpecialUse.SENT
            for person in people(tx.document(fact.blob), sent=sent):
                merge(known, person, SENT if sent else RECEIVED, fact.internal_date)
    found = {email: words(email, one.name) for email, one in sorted(known.items())}
    rows = [(email, *known[email], "".join(f" {word}" for word in named)) for email, named in found.items()]
    called = await tx.fetch(apply.know, *map(list, zip(*rows, strict=True))) if rows else []
    if renamed := [row["email"] for row in called if not row["new"]]:
        await tx.execute(apply.forget_words, renamed)
    if pairs := [(row["email"], word) for row in called for word in found[row["email"]]]:
        await tx.execute(apply.find_by, *map(list, zip(*pairs, strict=True)))


def people(document: Document, *, sent: bool) -> Iterator[Address]:
    for person in (*document.to, *document.cc, *document.bcc) if sent else document.from_:
        if "@" in person.email and len(person.email) <= LONGEST:
            yield person


def merge(known: dict[str, Known], person: Address, weight: int, at: datetime) -> None:
    email = person.email.lower()
    before = known.get(email, Known("", 0, at))
    known[email] = Known(person.name or before.name, before.weight + weight, max(before.last_used_at, at))
