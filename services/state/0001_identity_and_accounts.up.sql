-- Identity, sessions, accounts and the user's allowances. Processes are roles; each gets only what its row in design §5 names.

DO $$
DECLARE role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['webmail_gateway', 'webmail_sync', 'webmail_outbound', 'webmail_projector', 'webmail_plugins']
  LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster was faster
      END;
    END IF;
  END LOOP;
END $$;

CREATE EXTENSION IF NOT EXISTS citext;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public, control
  TO webmail_gateway, webmail_sync, webmail_outbound, webmail_projector, webmail_plugins;

-- Whose rows this transaction may see; null shows none.
CREATE FUNCTION current_user_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.user_id', true), '')::uuid;

CREATE TABLE users (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  handle        citext UNIQUE NOT NULL,       -- localpart@APP_DOMAIN
  password_hash text NOT NULL,                -- argon2id, encoded with its parameters
  settings      jsonb NOT NULL DEFAULT '{}',  -- what differs from the defaults of services.state.settings
  created_at    timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON users TO webmail_gateway;
GRANT UPDATE (settings) ON users TO webmail_gateway;

CREATE TABLE sessions (
  token_hash   bytea PRIMARY KEY,             -- SHA-256 of the cookie; the cookie itself is nowhere
  id           uuid UNIQUE NOT NULL DEFAULT gen_random_uuid(),
  user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent   text NOT NULL DEFAULT '',
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
GRANT SELECT, INSERT, DELETE ON sessions TO webmail_gateway;
GRANT UPDATE (last_seen_at, expires_at) ON sessions TO webmail_gateway;

-- Every gateway closes the sockets of a session that ends, whoever ended it.
CREATE FUNCTION announce_revoked_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('session_revoked', OLD.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER session_revoked AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION announce_revoked_session();

-- Counters of attempts in a window that the first one opens; may be lost.
CREATE UNLOGGED TABLE attempts (
  key       bytea PRIMARY KEY,                -- SHA-256 of what is limited: a handle or an address
  count     int NOT NULL,
  opened_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON attempts TO webmail_gateway;

CREATE TABLE accounts (
  id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email        citext NOT NULL,
  display_name text NOT NULL DEFAULT '',
  color        text NOT NULL DEFAULT '',
  imap         jsonb NOT NULL,                -- {host, port, tls, username}
  smtp         jsonb,                         -- the same, or null: mail is only read
  status       text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'removed')),
  settled      boolean NOT NULL DEFAULT false, -- the fact that the status stands for is in the log
  created_at   timestamptz NOT NULL DEFAULT now(),
  changed_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_by_email ON accounts (user_id, email) WHERE status <> 'removed';
CREATE INDEX accounts_unsettled ON accounts (changed_at) WHERE NOT settled;

CREATE TABLE account_secrets (
  account_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed     bytea NOT NULL,                  -- the vault's envelope (§10.2); nobody but sync and outbound may read it
  version    int NOT NULL DEFAULT 1,
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX account_secrets_of_user ON account_secrets (user_id);

ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON accounts TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY every ON accounts FOR SELECT TO webmail_sync, webmail_outbound USING (true);
GRANT SELECT, INSERT, DELETE ON accounts TO webmail_gateway;
GRANT UPDATE (display_name, color, imap, smtp, status, settled, changed_at) ON accounts TO webmail_gateway;
GRANT SELECT ON accounts TO webmail_sync, webmail_outbound;
GRANT SELECT, INSERT, UPDATE, DELETE ON account_secrets TO webmail_sync;
GRANT SELECT ON account_secrets TO webmail_outbound;

-- What a gateway that died has left half done; the only look across users that the gateway has.
CREATE FUNCTION unsettled_accounts(older_than interval) RETURNS TABLE (user_id uuid, id uuid, status text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  SELECT a.user_id, a.id, a.status FROM accounts a WHERE NOT a.settled AND a.changed_at < now() - older_than;
END;
REVOKE EXECUTE ON FUNCTION unsettled_accounts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unsettled_accounts TO webmail_gateway;

CREATE TABLE image_senders (
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sender     citext NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, sender)
);
CREATE TABLE image_grants (
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  message_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, message_id)
);
ALTER TABLE image_senders ENABLE ROW LEVEL SECURITY;
ALTER TABLE image_grants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON image_senders TO webmail_gateway USING (user_id = current_user_id());
CREATE POLICY own ON image_grants TO webmail_gateway USING (user_id = current_user_id());
GRANT SELECT, INSERT, DELETE ON image_senders TO webmail_gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON image_grants TO webmail_gateway;
