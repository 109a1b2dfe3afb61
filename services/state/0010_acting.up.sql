-- Acting on mail: what a repeated request is answered with, and how far outbound is.

CREATE TABLE actions (
  user_id    uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key        bytea       NOT NULL,               -- SHA-256 of the Idempotency-Key
  asked      bytea       NOT NULL,               -- SHA-256 of what was asked
  requests   jsonb       NOT NULL,               -- the facts that were made of it
  position   bigint,                             -- of the last of them; null until all are in the log
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
ALTER TABLE actions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON actions TO webmail_gateway USING (user_id = current_user_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON actions TO webmail_gateway;

-- Every request of a partition up to here has its outcome. 0 is always right.
CREATE TABLE outbound_marks (
  partition int    PRIMARY KEY,
  sequence  bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON outbound_marks TO webmail_outbound;
