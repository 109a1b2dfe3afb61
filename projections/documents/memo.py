"""The memo of documents in Postgres: `(user, blob, parser version)` to what parsing gave."""

from collections.abc import Iterable, Mapping
from uuid import UUID

import msgspec

from projections import sql
from projections.documents.document import VERSION, Document
from projections.sql import Connection, Pool

query = sql.Statements("projections.documents", "memo.sql")


class Encoded(msgspec.Struct, frozen=True, array_like=True):
    """A document as the memo keeps it: made where the parser runs, decoded only where it is read."""

    envelope: bytes
    text: str
    html: str | None

    @property
    def document(self) -> Document:
        return _document(self.envelope, self.text, self.html)


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Document)


async def prepare(db: Connection) -> None:
    """Make the memo where it is missing. Run by the schemas' owner; the role that fills it reads it too."""
    await db.execute(sql.text("projections.documents", "schema.sql"))
    await db.execute(
        """GRANT USAGE ON SCHEMA documents TO webmail_gateway, webmail_sync, webmail_projector;
           GRANT SELECT ON documents.memo TO webmail_gateway;
           GRANT SELECT, INSERT ON documents.memo TO webmail_sync, webmail_projector;
           ALTER TABLE documents.memo ENABLE ROW LEVEL SECURITY;
           DROP POLICY IF EXISTS own ON documents.memo;
           CREATE POLICY own ON documents.memo FOR SELECT TO webmail_gateway
               USING (user_id = nullif(current_setting('app.user_id', true), '')::uuid);
           DROP POLICY IF EXISTS fill ON documents.memo;
           CREATE POLICY fill ON documents.memo TO webmail_sync, webmail_projector USING (true) WITH CHECK (true)"""
    )


def encode(document: Document) -> Encoded:
    bare = msgspec.structs.replace(document, text="", html=None)
    return Encoded(_encoder.encode(bare), document.text, document.html)


async def put(db: Connection | Pool, user_id: UUID, documents: Mapping[str, Encoded]) -> None:
    """Remember documents by their blob; one that is known already stays as it is."""
    blobs = list(documents)
    envelopes = [encoded.envelope for encoded in documents.values()]
    texts = [encoded.text for encoded in documents.values()]
    htmls = [encoded.html for encoded in documents.values()]
    await db.execute(query.put, user_id, VERSION, blobs, envelopes, texts, htmls)


async def get(db: Connection | Pool, user_id: UUID, blobs: Iterable[str], *, texts: bool) -> dict[str, Document]:
    """The documents that are known, of this parser version: envelopes, or envelopes and texts; never the HTML."""
    return await _read(db, query.texts if texts else query.envelopes, user_id, blobs)


async def whole(db: Connection | Pool, user_id: UUID, blobs: Iterable[str]) -> dict[str, Document]:
    """The documents that are known, of this parser version, with text and HTML."""
    return await _read(db, query.whole, user_id, blobs)


async def _read(db: Connection | Pool, statement: str, user_id: UUID, blobs: Iterable[str]) -> dict[str, Document]:
    rows = await db.fetch(statement, user_id, VERSION, list(blobs))
    return {row["blob"]: _document(row["envelope"], row["body_text"], row["body_html"]) for row in rows}


def _document(envelope: bytes, text: str, html: str | None) -> Document:
    document = _decoder.decode(envelope)
    return msgspec.structs.replace(document, text=text, html=html) if text or html else document
