-- Everything that matches a list or a search, acted on as one job: a snapshot in pieces, each to be one request.

CREATE TABLE bulk_jobs (
  user_id     uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  id          uuid        PRIMARY KEY,
  key         bytea,                              -- SHA-256 of the Idempotency-Key; null: there was none
  asked       bytea       NOT NULL,               -- SHA-256 of what was asked
  action      text        NOT NULL,
  undoes      uuid,                               -- the job that this one takes back
  cancelled   boolean     NOT NULL DEFAULT false, -- nothing more of it is begun
  created_at  timestamptz NOT NULL DEFAULT now(),
  settled_at  timestamptz,                        -- all that was begun has its outcome
  worker      text,                               -- which process sees to it
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  UNIQUE (user_id, key)
);
CREATE INDEX bulk_jobs_of_user ON bulk_jobs (user_id, created_at);
CREATE INDEX bulk_jobs_open ON bulk_jobs (lease_until) WHERE settled_at IS NULL;
ALTER TABLE bulk_jobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bulk_jobs TO webmail_gateway USING (user_id = current_user_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON bulk_jobs TO webmail_gateway;

CREATE TABLE bulk_chunks (
  user_id    uuid        NOT NULL,
  job_id     uuid        NOT NULL REFERENCES bulk_jobs (id) ON DELETE CASCADE,
  n          int         NOT NULL,
  account_id uuid        NOT NULL,
  request_id uuid        NOT NULL,
  request    jsonb       NOT NULL,                -- the fact; its time is that of the beginning
  messages   int         NOT NULL,
  begun_at   timestamptz,                         -- from here on it is asked for, whatever comes
  position   bigint,                              -- in the log
  settled_at timestamptz,
  done       int         NOT NULL DEFAULT 0,      -- messages that the server changed
  code       text        NOT NULL DEFAULT '',     -- why it did not change any
  PRIMARY KEY (job_id, n)
);
ALTER TABLE bulk_chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bulk_chunks TO webmail_gateway USING (user_id = current_user_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON bulk_chunks TO webmail_gateway;

-- The jobs of whomever that nobody sees to now; the one look across users, which gives ids only.
CREATE FUNCTION claim_bulk_jobs(who text, lease interval, most int) RETURNS TABLE (user_id uuid, id uuid)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  UPDATE bulk_jobs b SET worker = who, lease_until = now() + lease
  WHERE b.id IN (
    SELECT o.id FROM bulk_jobs o WHERE o.settled_at IS NULL AND (o.worker = who OR o.lease_until < now())
    ORDER BY o.lease_until LIMIT most FOR UPDATE SKIP LOCKED)
  RETURNING b.user_id, b.id;
END;
REVOKE EXECUTE ON FUNCTION claim_bulk_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_bulk_jobs TO webmail_gateway;
