-- Drafts and their files. They are the user's own until they are sent, and hold content: none of it is in the log.

CREATE TABLE drafts (
  id                uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id           uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id        uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  identity_id       uuid REFERENCES identities (id) ON DELETE SET NULL, -- null: the account's default one
  message_id_header text NOT NULL,                    -- `<…>`, for life: of the copy in Drafts and of the mail that is sent
  kind              text NOT NULL CHECK (kind IN ('new', 'reply', 'reply_all', 'forward')),
  source_message_id uuid,                             -- what is answered or forwarded
  continued_id      uuid,                             -- the message of a Drafts mailbox that this draft goes on from
  recipients        jsonb NOT NULL DEFAULT '{}',      -- {to, cc, bcc}, each [{name, email}]
  subject           text NOT NULL DEFAULT '',
  html              text NOT NULL DEFAULT '',         -- cleaned; inline images are `cid:`
  plain             boolean NOT NULL DEFAULT false,   -- sent as text alone
  quote             text NOT NULL DEFAULT 'none' CHECK (quote IN ('full', 'none')),
  revision          int NOT NULL DEFAULT 0,           -- counts saves; 0: nobody wrote anything yet, so it is not mirrored or listed
  edition           int NOT NULL DEFAULT 0,           -- counts saves, and files that came or went: what is mirrored
  outbox_id         uuid,                             -- its send that is not done with: queued, failed, unconfirmed
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now(),
  deleted_at        timestamptz,                      -- shown no more; outbound removes the server's copy and then the row
  -- The copy in a Drafts mailbox of the server. Null places: there is none.
  mirrored_edition  int NOT NULL DEFAULT 0,
  mirrored_at       timestamptz,
  mirror_account_id uuid,                             -- another than account_id when the draft changed to another identity
  mirror_mailbox_id uuid,
  mirror_uidvalidity bigint,
  mirror_uid        bigint
);
CREATE UNIQUE INDEX drafts_by_message_id ON drafts (user_id, message_id_header);
CREATE UNIQUE INDEX drafts_by_continued ON drafts (user_id, continued_id) WHERE continued_id IS NOT NULL;
CREATE INDEX drafts_newest ON drafts (user_id, updated_at DESC);
CREATE INDEX drafts_of_account ON drafts (account_id);
CREATE INDEX drafts_of_identity ON drafts (identity_id);
CREATE INDEX drafts_to_mirror ON drafts (updated_at) WHERE deleted_at IS NOT NULL OR mirrored_edition < edition;

CREATE TABLE uploads (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  draft_id   uuid NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
  filename   text NOT NULL,
  mime       text NOT NULL DEFAULT 'application/octet-stream', -- by its bytes and name, once it is complete
  size       bigint NOT NULL,
  received   bigint NOT NULL DEFAULT 0,
  inline     boolean NOT NULL DEFAULT false,
  content_id text,
  blob       text,                                    -- SHA-256 of the bytes, once it is complete
  created_at timestamptz NOT NULL DEFAULT now(),
  touched_at timestamptz NOT NULL DEFAULT now(),      -- when the last piece came
  CHECK (received BETWEEN 0 AND size AND (blob IS NULL OR received = size))
);
CREATE INDEX uploads_of_draft ON uploads (draft_id, created_at);
CREATE INDEX uploads_by_blob ON uploads (user_id, blob) WHERE blob IS NOT NULL;
CREATE INDEX uploads_unfinished ON uploads (touched_at) WHERE blob IS NULL;

-- The pieces of an upload until it is complete: any gateway goes on with what another was sent.
CREATE TABLE upload_pieces (
  upload_id uuid NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  start     bigint NOT NULL,
  user_id   uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  bytes     bytea NOT NULL,
  PRIMARY KEY (upload_id, start)
);
ALTER TABLE upload_pieces ALTER bytes SET STORAGE EXTERNAL; -- most files are compressed already
CREATE INDEX upload_pieces_of_user ON upload_pieces (user_id);

ALTER TABLE drafts ENABLE ROW LEVEL SECURITY;
ALTER TABLE uploads ENABLE ROW LEVEL SECURITY;
ALTER TABLE upload_pieces ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON drafts TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY own ON uploads TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY own ON upload_pieces TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON drafts TO webmail_outbound USING (true);
CREATE POLICY every ON uploads TO webmail_outbound USING (true);
GRANT SELECT, INSERT, DELETE ON drafts, uploads, upload_pieces TO webmail_gateway;
GRANT UPDATE (account_id, identity_id, recipients, subject, html, plain, quote, revision, edition, outbox_id, updated_at, deleted_at)
  ON drafts TO webmail_gateway;
GRANT UPDATE (mime, received, blob, touched_at) ON uploads TO webmail_gateway;
GRANT SELECT, DELETE ON drafts, uploads TO webmail_outbound;
GRANT UPDATE (mirrored_edition, mirrored_at, mirror_account_id, mirror_mailbox_id, mirror_uidvalidity, mirror_uid, deleted_at)
  ON drafts TO webmail_outbound;

-- What their owner may still work on: of an account that is there, and from its default identity when their own is gone.
CREATE VIEW open_drafts WITH (security_invoker = true) AS
SELECT d.id, d.user_id, d.account_id, coalesce(d.identity_id, i.id) AS identity_id, d.message_id_header, d.kind,
  d.source_message_id, d.continued_id, d.recipients::text AS recipients, d.subject, d.html, d.plain, d.quote, d.revision,
  d.edition, d.outbox_id, d.updated_at, d.mirrored_edition, d.mirror_account_id, d.mirror_mailbox_id, d.mirror_uidvalidity,
  d.mirror_uid
FROM drafts d
JOIN accounts a ON a.id = d.account_id AND a.user_id = d.user_id AND a.status = 'active'
JOIN identities i ON i.account_id = d.account_id AND i.user_id = d.user_id AND i.is_default
WHERE d.deleted_at IS NULL;
GRANT SELECT ON open_drafts TO webmail_gateway, webmail_outbound;

-- Blobs that rows name, beside those that facts name.
CREATE VIEW named_blobs AS SELECT user_id, blob FROM uploads WHERE blob IS NOT NULL;

-- Blobs that a row no longer names. The eraser removes those that nothing else names.
CREATE TABLE loose_blobs (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  blob    text NOT NULL,
  since   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, blob)
);

-- For any table with a user_id; its argument is the column that names a blob.
CREATE FUNCTION loosen_blob() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO loose_blobs (user_id, blob)
  SELECT u.id, to_jsonb(OLD)->>TG_ARGV[0] FROM users u WHERE u.id = OLD.user_id AND to_jsonb(OLD)->>TG_ARGV[0] IS NOT NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER blob_loosened AFTER DELETE ON uploads FOR EACH ROW EXECUTE FUNCTION loosen_blob('blob');

-- What nobody goes on with, of all users: drafts in which nobody wrote anything, uploads that never became complete.
CREATE FUNCTION forget_abandoned(older_than interval) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  DELETE FROM uploads WHERE blob IS NULL AND touched_at < now() - older_than;
  DELETE FROM drafts d WHERE d.revision = 0 AND d.edition = 0 AND d.outbox_id IS NULL AND d.deleted_at IS NULL
    AND d.updated_at < now() - older_than;
END;
REVOKE EXECUTE ON FUNCTION forget_abandoned FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_abandoned TO webmail_gateway;
