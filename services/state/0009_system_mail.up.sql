-- A user's own way back in: an address that was shown to be theirs, and the few mails that the service itself sends.

ALTER TABLE users ADD COLUMN recovery_email citext;  -- only once its owner has opened the link that was sent there
GRANT UPDATE (recovery_email) ON users TO webmail_gateway;

ALTER TABLE links ADD COLUMN email citext;  -- with a user: opening it shows that this address is theirs

-- What outbound has to send. Sealed to the key that sync and outbound hold: nobody else can read address and link.
CREATE TABLE system_mails (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed     bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at     timestamptz NOT NULL DEFAULT now(),
  attempts   int NOT NULL DEFAULT 0
);
CREATE INDEX system_mails_due ON system_mails (due_at);
CREATE INDEX system_mails_of_user ON system_mails (user_id);
GRANT INSERT ON system_mails TO webmail_gateway;
GRANT SELECT, UPDATE, DELETE ON system_mails TO webmail_outbound;
