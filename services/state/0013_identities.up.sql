-- Who mail is from: every account has a default identity, and may have more.

CREATE TABLE identities (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email      citext NOT NULL,
  name       text NOT NULL,
  reply_to   text NOT NULL DEFAULT '',         -- empty: none
  signature  text NOT NULL DEFAULT '',         -- HTML, cleaned; empty: none
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX identities_default ON identities (account_id) WHERE is_default;
CREATE INDEX identities_of_account ON identities (account_id);
CREATE INDEX identities_of_user ON identities (user_id);

ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON identities TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON identities FOR SELECT TO webmail_sync, webmail_outbound USING (true);
GRANT SELECT, INSERT, DELETE ON identities TO webmail_gateway;
GRANT UPDATE (email, name, reply_to, signature, is_default) ON identities TO webmail_gateway;
GRANT SELECT ON identities TO webmail_sync, webmail_outbound;

CREATE FUNCTION add_default_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO identities (user_id, account_id, email, name, is_default)
  VALUES (NEW.user_id, NEW.id, NEW.email, NEW.display_name, true);
  RETURN NULL;
END $$;
CREATE TRIGGER default_identity AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION add_default_identity();

INSERT INTO identities (user_id, account_id, email, name, is_default)
SELECT user_id, id, email, display_name, true FROM accounts;
