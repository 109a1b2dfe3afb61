-- Accounts that are entered by OAuth: sign-ins on their way, and who refreshes which account's tokens (design §7).

-- A person at a provider's page; what comes back is taken once.
CREATE TABLE sign_ins (
  state_hash   bytea PRIMARY KEY,              -- SHA-256 of the state that the provider brings back
  session_id   uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  provider     text NOT NULL,
  email        text NOT NULL,
  display_name text NOT NULL,
  redirect_uri text NOT NULL,
  verifier     bytea NOT NULL,                 -- of PKCE, sealed to sync's key
  expires_at   timestamptz NOT NULL
);
CREATE INDEX sign_ins_of_session ON sign_ins (session_id);
CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at);
GRANT SELECT, INSERT, DELETE ON sign_ins TO webmail_gateway;

-- A secret that is lost is empty, and of another version. Tokens that follow each other are of one version.
ALTER TABLE account_secrets
  ADD COLUMN fresh_until     timestamptz,      -- of the access token; null: none is in there
  ADD COLUMN revision        int NOT NULL DEFAULT 1,  -- raised by each refresh
  ADD COLUMN refresher       uuid,             -- the refresh that is under way; null: none
  ADD COLUMN refresher_until timestamptz,      -- after that nobody knows any more what came of it
  ADD COLUMN refresh_after   timestamptz;      -- not before, since the provider was not to be had
CREATE INDEX account_secrets_by_freshness ON account_secrets (fresh_until) WHERE fresh_until IS NOT NULL;
