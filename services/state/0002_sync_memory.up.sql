-- What sync remembers of an account so that it need not read the log: all of it is folded again when it is missing or old.

CREATE TABLE sync_memory (
  account_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  user_id    uuid   NOT NULL,
  sequence   bigint NOT NULL                    -- mailboxes stand for the account's facts up to here
);

CREATE TABLE sync_mailboxes (
  account_id  uuid    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  mailbox_id  uuid    NOT NULL,
  user_id     uuid    NOT NULL,
  path        text    NOT NULL,
  delimiter   text,
  special_use text,
  selectable  boolean NOT NULL,
  lost        boolean NOT NULL,
  generation  int     NOT NULL DEFAULT 0,       -- of the placements below
  sequence    bigint  NOT NULL DEFAULT 0,       -- placements stand for the mailbox' facts up to here
  PRIMARY KEY (account_id, mailbox_id)
);

-- Only for servers that keep no record of changes themselves.
CREATE TABLE sync_placements (
  account_id uuid   NOT NULL,
  mailbox_id uuid   NOT NULL,
  user_id    uuid   NOT NULL,
  uid        bigint NOT NULL,
  flags      text[] NOT NULL,
  PRIMARY KEY (mailbox_id, uid),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES sync_mailboxes ON DELETE CASCADE
);

GRANT SELECT, INSERT, UPDATE, DELETE ON sync_memory, sync_mailboxes, sync_placements TO webmail_sync;
