DROP TABLE sync_checks, sync_placements;
UPDATE sync_mailboxes SET generation = 0, sequence = 0;
ALTER TABLE sync_mailboxes DROP COLUMN remote_id;
CREATE TABLE sync_placements (
  account_id uuid   NOT NULL,
  mailbox_id uuid   NOT NULL,
  user_id    uuid   NOT NULL,
  uid        bigint NOT NULL,
  flags      text[] NOT NULL,
  PRIMARY KEY (mailbox_id, uid),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES sync_mailboxes ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sync_placements TO webmail_sync;
