"""When a message was sent, as every projection has it."""

from datetime import UTC, datetime, timedelta

from projections.documents.document import Document

EARLIEST = datetime(1971, 1, 1, tzinfo=UTC)
EARLY = timedelta(days=1)


def sent_at(document: Document, internal_date: datetime) -> datetime:
    """What its Date says; but nothing is sent after it was received, nor before there was mail."""
    date = document.date
    if date is None or date < EARLIEST or date > internal_date + EARLY:
        return internal_date
    return date
