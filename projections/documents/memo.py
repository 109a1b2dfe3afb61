"""The memo of documents in Postgres: `(user, blob, parser version)` to what parsing gave."""

from collections.abc import Iterable, Mapping
from uuid import UUID

import msgspec

from projections import sql
from projections.documents.document import VERSION, Document
from projections.sql import Connection, Pool

query = sql.Statements("projections.documents", "memo.sql")


class Encoded(msgspec.Struct, frozen=True, array_like=True):
    """A document as it is kept and sent between processes: made where the parser runs, decoded only where it is read."""

    envelope: bytes
    text: str

    @property
    def document(self) -> Document:
        return _document(self.envelope, self.text)


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
    return Encoded(_encoder.encode(msgspec.structs.replace(document, text="")), document.text)


async def put(db: Connection | Pool, user_id: UUID, documents: Mapping[str, Encoded]) -> None:
    """Remember documents by their blob, which were read without HTML; one that is known already stays as it is."""
    blobs = list(documents)
    envelopes = [encoded.envelope for encoded in documents.values()]
    texts = [encoded.text for encoded in documents.values()]
    await db.execute(query.put, user_id, VERSION, blobs, envelopes, texts)


async def get(db: Connection | Pool, user_id: UUID, blobs: Iterable[str], *, texts: bool) -> dict[str, Document]:
    """The documents that are known, of this parser version: envelopes, or envelopes and texts."""
    rows = await db.fetch(query.texts if texts else query.envelopes, user_id, VERSION, list(blobs))
    return {row["blob"]: _document(row["envelope"], row["body_text"]) for row in rows}


def _document(envelope: bytes, text: str) -> Document:
    document = _decoder.decode(envelope)
    return msgspec.structs.replace(document, text=text) if text else document
