-- What sync remembers of a placement is enough to tell it again without a download; and what it found when it last looked
-- whether a mailbox is held as the server has it.

ALTER TABLE sync_mailboxes ADD COLUMN remote_id text NOT NULL DEFAULT '';
UPDATE sync_mailboxes SET generation = 0, sequence = 0;  -- placements are folded again

DROP TABLE sync_placements;
CREATE TABLE sync_placements (
  account_id    uuid        NOT NULL,
  mailbox_id    uuid        NOT NULL,
  user_id       uuid        NOT NULL,
  generation    int         NOT NULL,           -- the newest, and those before it until it is committed
  uid           bigint      NOT NULL,
  flags         text[]      NOT NULL,
  message_id    uuid        NOT NULL,
  blob          text        NOT NULL,
  size          bigint      NOT NULL,
  internal_date timestamptz NOT NULL,
  evidence      text        NOT NULL,
  unreadable    text        NOT NULL,
  email_id      text        NOT NULL,
  remote_thread text        NOT NULL,
  PRIMARY KEY (mailbox_id, generation, uid),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES sync_mailboxes ON DELETE CASCADE
);
CREATE INDEX sync_placements_by_evidence ON sync_placements (account_id, evidence, size);
CREATE INDEX sync_placements_by_email_id ON sync_placements (account_id, email_id) WHERE email_id <> '';
GRANT SELECT, INSERT, UPDATE, DELETE ON sync_placements TO webmail_sync;

CREATE TABLE sync_checks (
  account_id uuid        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  mailbox_id uuid        NOT NULL,
  user_id    uuid        NOT NULL,
  held       bigint      NOT NULL,              -- placements that the log tells of
  on_server  bigint      NOT NULL,
  equal      boolean     NOT NULL,              -- not only in number
  checked_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, mailbox_id)
);
ALTER TABLE sync_checks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sync_checks FOR SELECT TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON sync_checks TO webmail_sync USING (true);
GRANT SELECT ON sync_checks TO webmail_gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON sync_checks TO webmail_sync;
