-- How full an account's server is, as the server said last; it is asked again by itself.
CREATE TABLE account_quotas (
  account_id uuid   PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  user_id    uuid   NOT NULL,
  used       bigint NOT NULL,                   -- bytes
  allowed    bigint NOT NULL
);
ALTER TABLE account_quotas ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON account_quotas FOR SELECT TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON account_quotas TO webmail_sync USING (true);
GRANT SELECT ON account_quotas TO webmail_gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON account_quotas TO webmail_sync;
