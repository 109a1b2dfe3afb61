-- The memo of documents: what parsing one blob gave, by parser version. A cache beside the projections: a missing row is
-- made again from its blob.
CREATE SCHEMA IF NOT EXISTS documents;

CREATE TABLE IF NOT EXISTS documents.memo (
    user_id   uuid   NOT NULL,
    blob      text   NOT NULL,  -- SHA-256 of the raw bytes, hex
    parser    int    NOT NULL,
    envelope  bytea  NOT NULL,  -- the document without its text, JSON
    body_text text   STORAGE EXTERNAL NOT NULL,  -- not compressed: half of the cost of a row for a fifth of its size
    PRIMARY KEY (blob, parser, user_id)
) WITH (toast_tuple_target = 8160);  -- a page holds a row of most mail, which is cheaper than to keep its text apart

-- HTML is cleaned from the blob when it is opened, since parser 2.
ALTER TABLE documents.memo DROP COLUMN IF EXISTS body_html;
