-- What is sent: the content of each send, whom servers refused, and what they said. The log has only what became of it.

CREATE TABLE sends (
  user_id           uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  outbox_id         uuid NOT NULL,
  revision          int NOT NULL,                   -- of the draft: a send that is edited has several contents
  draft_id          uuid NOT NULL,                  -- which is gone once it is delivered
  account_id        uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  raw               text NOT NULL,                  -- SHA-256 of the message, in the user's blobs
  size              bigint NOT NULL,
  message_id_header text NOT NULL,                  -- `<…>`, the draft's
  envelope_from     text NOT NULL,
  envelope_to       jsonb NOT NULL,                 -- [{name, email}], of to, cc and bcc
  source_message_id uuid,                           -- what it answers or forwards
  kind              text NOT NULL CHECK (kind IN ('new', 'reply', 'reply_all', 'forward')),
  subject           text NOT NULL,
  due               timestamptz NOT NULL,           -- as it was asked for with this content
  settled           boolean NOT NULL DEFAULT false, -- the fact that names this content is in the log
  created_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, outbox_id, revision)
);
CREATE INDEX sends_of_account ON sends (account_id);
CREATE INDEX sends_of_draft ON sends (draft_id);
CREATE INDEX sends_by_blob ON sends (user_id, raw);
CREATE INDEX sends_unsettled ON sends (created_at) WHERE NOT settled;

-- Recipients that the server did not take, with its words.
CREATE TABLE send_refusals (
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  outbox_id  uuid NOT NULL,
  email      text NOT NULL,
  code       int NOT NULL,                          -- RFC 5321 §4.2
  text       text NOT NULL,
  PRIMARY KEY (user_id, outbox_id, email)
);
CREATE INDEX send_refusals_of_account ON send_refusals (account_id);

-- What the server said last of a send as a whole.
CREATE TABLE send_words (
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  outbox_id  uuid NOT NULL,
  text       text NOT NULL,
  attempted  bigint NOT NULL DEFAULT 0,             -- sequence of the attempt whose content it refused for now; 0: none
  PRIMARY KEY (user_id, outbox_id)
);
CREATE INDEX send_words_of_account ON send_words (account_id);

ALTER TABLE sends ENABLE ROW LEVEL SECURITY;
ALTER TABLE send_refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE send_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sends TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY own ON send_refusals TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY own ON send_words TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON sends FOR SELECT TO webmail_outbound USING (true);
CREATE POLICY every ON send_refusals TO webmail_outbound USING (true);
CREATE POLICY every ON send_words TO webmail_outbound USING (true);
GRANT SELECT, INSERT, DELETE ON sends TO webmail_gateway;
GRANT UPDATE (settled) ON sends TO webmail_gateway;
GRANT SELECT ON send_refusals, send_words TO webmail_gateway;
GRANT SELECT ON sends TO webmail_outbound;
GRANT SELECT, INSERT, UPDATE, DELETE ON send_refusals, send_words TO webmail_outbound;

CREATE OR REPLACE VIEW named_blobs AS
SELECT user_id, blob FROM uploads WHERE blob IS NOT NULL
UNION ALL SELECT user_id, raw FROM sends;
CREATE TRIGGER blob_loosened AFTER DELETE ON sends FOR EACH ROW EXECUTE FUNCTION loosen_blob('raw');

-- What a gateway that died has left half done, of all users.
CREATE FUNCTION unsettled_sends(older_than interval) RETURNS TABLE (user_id uuid, outbox_id uuid, revision int)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT s.user_id, s.outbox_id, s.revision FROM sends s WHERE NOT s.settled AND s.created_at < now() - older_than;
END;
REVOKE EXECUTE ON FUNCTION unsettled_sends FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unsettled_sends TO webmail_gateway;
