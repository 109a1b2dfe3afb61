"""The words of every message, for searching."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
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

LAST = 16_383  # a tsvector knows no position beyond,
MOST_PLACES = 256  # no more of one word,
LARGEST = (1 << 20) - 1  # and no more bytes of words and places
GAP = 16  # between fields, so that no phrase runs from one into the next
_PLACES = [place.to_bytes(2, "big") for place in range(1, LAST + 1)]
_COUNTS = [b"\0" + count.to_bytes(2, "big") for count in range(MOST_PLACES + 1)]

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
            await asyncio.sleep(0)  # words take long, and the lists, folded beside them, are not to wait
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


def vector(user_id: UUID, document: Document) -> bytes:
    """A tsvector as Postgres receives it: subject, people, attachments' names, body. Words are letters and digits only.

    That is the number of words, then each with a NUL, the number of its places and the places (tsvectorrecv).
    """
    found: dict[bytes, bytes] = {}
    before, start = found.get, 0
    for field in (document.subject, people(document), names(document), document.text):
        said = words(field)[: max(0, LAST - start)]
        for word, place in zip(said, _PLACES[start : start + len(said)], strict=True):
            places = before(word)
            found[word] = places + place if places else place
        start += len(said) + GAP
    if max(map(len, found.values()), default=0) > 2 * MOST_PLACES:
        found = {word: places[: 2 * MOST_PLACES] for word, places in found.items()}
    written = _written(salt(user_id).encode(), found)
    while len(written) > LARGEST:
        found = dict(islice(found.items(), len(found) * 9 // 10))
        written = _written(salt(user_id).encode(), found)
    return len(found).to_bytes(4, "big") + written


def _written(code: bytes, found: Mapping[bytes, bytes]) -> bytes:
    """By columns, since a step of the interpreter for each word costs more than all else."""
    pieces = [code] * (4 * len(found))
    pieces[1::4] = found
    pieces[2::4] = [_COUNTS[length // 2] for length in map(len, found.values())]
    pieces[3::4] = found.values()
    return b"".join(pieces)


def people(document: Document) -> str:
    groups: Iterable[list[Address]] = (document.from_, document.to, document.cc, document.bcc)
    return " ".join(f"{one.name} {one.email}" for group in groups for one in group)


def names(document: Document) -> str:
    return " ".join(one.filename for one in document.attachments)
