-- A draft's conversation, and the original below it, are its own from the beginning: its copy on the server has them as the mail
-- that is sent, and so it keeps them when what it answers is not here.

ALTER TABLE drafts
  ADD in_reply_to   text[] NOT NULL DEFAULT '{}',     -- Message-IDs without brackets, as their mailers wrote them
  ADD reference_ids text[] NOT NULL DEFAULT '{}',
  ADD copies        text[] NOT NULL DEFAULT '{}';     -- SHA-256 of what was put on the server, the last ones

-- The original as it goes out below the draft, in the language and time zone of when the draft was begun.
CREATE TABLE draft_quotes (
  draft_id   uuid PRIMARY KEY REFERENCES drafts (id) ON DELETE CASCADE,
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- of the original, with which it goes
  blob       text NOT NULL,                           -- the original's bytes, which the images are parts of
  html       text NOT NULL,                           -- clean
  text       text NOT NULL,
  images     jsonb NOT NULL                           -- compose.QuotedImage
);
CREATE INDEX draft_quotes_of_user ON draft_quotes (user_id);
CREATE INDEX draft_quotes_of_account ON draft_quotes (account_id);
ALTER TABLE draft_quotes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON draft_quotes TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON draft_quotes TO webmail_outbound USING (true);
GRANT SELECT, INSERT, DELETE ON draft_quotes TO webmail_gateway;
GRANT SELECT, DELETE ON draft_quotes TO webmail_outbound;

-- What another mail program made of a copy becomes the draft's next revision.
GRANT UPDATE (continued_id, mirrored_edition, mirror_account_id, mirror_mailbox_id, mirror_uidvalidity, mirror_uid, copies)
  ON drafts TO webmail_gateway;
GRANT UPDATE (copies) ON drafts TO webmail_outbound;

CREATE OR REPLACE VIEW open_drafts WITH (security_invoker = true) AS
SELECT d.id, d.user_id, d.account_id, coalesce(d.identity_id, i.id) AS identity_id, d.message_id_header, d.kind,
  d.source_message_id, d.continued_id, d.recipients::text AS recipients, d.subject, d.html, d.plain, d.quote, d.revision,
  d.edition, d.outbox_id, d.updated_at, d.mirrored_edition, d.mirror_account_id, d.mirror_mailbox_id, d.mirror_uidvalidity,
  d.mirror_uid, d.in_reply_to, d.reference_ids, d.copies
FROM drafts d
JOIN accounts a ON a.id = d.account_id AND a.user_id = d.user_id AND a.status = 'active'
JOIN identities i ON i.account_id = d.account_id AND i.user_id = d.user_id AND i.is_default
WHERE d.deleted_at IS NULL;
