-- What proves who somebody is beside a password, links that do one thing once, and users who are leaving.

ALTER TABLE users
  ADD COLUMN is_admin      boolean NOT NULL DEFAULT false,
  ADD COLUMN totp_proposed bytea,                      -- shown to the user, who has not yet given a code of it
  ADD COLUMN totp_secret   bytea,                      -- in the envelope of services.vault under IDENTITY_KEY; null: off
  ADD COLUMN totp_step     bigint NOT NULL DEFAULT 0,  -- of the last code that was taken: each is good once
  ADD COLUMN removed_at    timestamptz;                -- may not sign in; gone with the last account that is erased
GRANT UPDATE (password_hash, totp_proposed, totp_secret, totp_step, removed_at) ON users TO webmail_gateway;

UPDATE users SET is_admin = true WHERE id = (SELECT id FROM users ORDER BY created_at, id LIMIT 1);

-- Two who are the first at once are not both the first.
CREATE FUNCTION first_user_is_administrator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('first_user_is_administrator'));
  NEW.is_admin := NEW.is_admin OR NOT EXISTS (SELECT FROM users);
  RETURN NEW;
END $$;
CREATE TRIGGER first_user BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION first_user_is_administrator();

ALTER TABLE sessions ADD COLUMN network text NOT NULL DEFAULT '';  -- where it was last used from
GRANT UPDATE (network) ON sessions TO webmail_gateway;

CREATE TABLE recovery_codes (
  user_id   uuid  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash bytea NOT NULL,                            -- SHA-256 of 80 random bits
  PRIMARY KEY (user_id, code_hash)
);
GRANT SELECT, INSERT, DELETE ON recovery_codes TO webmail_gateway;

CREATE TABLE passkeys (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id       uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id bytea UNIQUE NOT NULL,                 -- the authenticator's own name for it
  public_key    bytea NOT NULL,                        -- COSE (RFC 9052)
  sign_count    bigint NOT NULL,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);
GRANT SELECT, INSERT, DELETE ON passkeys TO webmail_gateway;
GRANT UPDATE (name, sign_count, last_used_at) ON passkeys TO webmail_gateway;

-- What an authenticator is asked to sign, once; may be lost.
CREATE UNLOGGED TABLE challenges (
  holder     bytea PRIMARY KEY,                        -- SHA-256 of what only this browser has
  challenge  bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON challenges TO webmail_gateway;

-- Links that an operator hands out: to sign up, or to choose a new password.
CREATE TABLE links (
  token_hash bytea PRIMARY KEY,                        -- SHA-256 of the link's token; the token itself is nowhere
  user_id    uuid REFERENCES users (id) ON DELETE CASCADE,  -- whose password; null: an invitation
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX links_of_user ON links (user_id);
GRANT SELECT, INSERT, DELETE ON links TO webmail_gateway;
