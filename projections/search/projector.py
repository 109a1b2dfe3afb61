"""The words of every message, for searching."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from contracts.facts import AccountRemoved, ContentChanged, MessageArrived
from projections import sql
from projections.documents.addresses import Address
from projections.documents.document import Document
from projections.engine.log import Recorded
from projections.engine.projection import Projection
from projections.engine.transaction import Transaction
from projections.search.words import salt, words
from projections.sent import sent_at

LAST = 16_383  # a tsvector knows no position beyond
GAP = 16  # between fields, so that no phrase runs from one into the next
_FIRST = [f"':{place}" for place in range(1, LAST + 1)]  # how a word's places are written: the first, and all others
_LATER = [f",{place}" for place in range(1, LAST + 1)]

search = Projection(
    "search",
    version=1,
    schema=sql.text("projections.search", "schema.sql"),
    indexes=sql.text("projections.search", "indexes.sql"),
    texts=True,
)
apply = sql.Statements("projections.search", "apply.sql")


@search.on(MessageArrived)
async def index(run: Sequence[Recorded[MessageArrived]], tx: Transaction) -> None:
    """New messages; other placements of known ones change nothing here."""
    told = {fact.message_id: fact for _, fact in reversed(run)}
    known = {row["message_id"] for row in await tx.fetch(apply.known, list(told))}
    rows = []
    for message, fact in told.items():
        if message not in known:
            document = tx.document(fact.blob)
            at = sent_at(document, fact.internal_date)
            rows.append((message, fact.account_id, at, vector(tx.user_id, document)))
    if rows:
        await tx.execute(apply.index, *map(list, zip(*rows, strict=True)))


@search.on(ContentChanged)
async def reindex(run: Sequence[Recorded[ContentChanged]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.reindex, fact.message_id, vector(tx.user_id, tx.document(fact.blob)))


@search.on(AccountRemoved)
async def remove(run: Sequence[Recorded[AccountRemoved]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.remove_account, fact.account_id)


def vector(user_id: UUID, document: Document) -> str:
    """A tsvector as Postgres reads it: subject, people, attachments' names, body. Words are letters and digits only."""
    found: dict[str, str] = {}
    start = 0
    for field in (document.subject, people(document), names(document), document.text):
        said = words(field)[: max(0, LAST - start)]
        place = slice(start, start + len(said))
        for word, first, later in zip(said, _FIRST[place], _LATER[place], strict=True):
            before = found.get(word)
            found[word] = before + later if before else word + first
        start += len(said) + GAP
    opening = f"'{salt(user_id)}"
    return opening + f" {opening}".join(found.values()) if found else ""


def people(document: Document) -> str:
    groups: Iterable[list[Address]] = (document.from_, document.to, document.cc, document.bcc)
    return " ".join(f"{one.name} {one.email}" for group in groups for one in group)


def names(document: Document) -> str:
    return " ".join(one.filename for one in document.attachments)
