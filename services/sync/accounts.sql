-- name: active
-- Every account that is to be synced, and a stamp that changes with its settings or its secret.
SELECT a.id, a.user_id, extract(epoch FROM a.changed_at)::text || '/' || s.version AS stamp
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id
WHERE a.status = 'active' ORDER BY a.created_at, a.id

-- name: settings
SELECT a.imap::text AS imap, s.sealed
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id
WHERE a.user_id = $1 AND a.id = $2 AND a.status = 'active'

-- name: keep_secret
INSERT INTO account_secrets (user_id, account_id, sealed) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET sealed = excluded.sealed, version = account_secrets.version + 1, changed_at = now()
WHERE account_secrets.user_id = excluded.user_id
