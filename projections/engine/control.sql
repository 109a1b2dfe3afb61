-- The control schema: what is never rebuilt. Idempotent, so that every start may run it.

CREATE SCHEMA IF NOT EXISTS control;

-- Which version of a projection's code made the live rows, and with which parser.
CREATE TABLE IF NOT EXISTS control.projections (
    name    text PRIMARY KEY,
    version int NOT NULL,
    parser  int NOT NULL
);

-- How far a schema has folded a partition; moved by compare-and-set in the transaction of its rows.
CREATE TABLE IF NOT EXISTS control.positions (
    schema    text   NOT NULL,
    partition int    NOT NULL,
    sequence  bigint NOT NULL,
    PRIMARY KEY (schema, partition)
);

-- Events that are committed and not yet published.
CREATE TABLE IF NOT EXISTS control.outbox (
    partition  int    NOT NULL,
    sequence   bigint NOT NULL,
    projection text   NOT NULL,
    n          int    NOT NULL,
    subject    text   NOT NULL,
    payload    bytea  NOT NULL,
    PRIMARY KEY (partition, sequence, projection, n)
);
