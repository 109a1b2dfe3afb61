-- name: active
-- Every account that is to be synced, where its mail is, when its user was last there, and a stamp that changes with whatever
-- a runner must begin anew for.
SELECT a.id, a.user_id, a.authorization_epoch || '/' || md5(a.special_uses::text) AS stamp, coalesce(a.imap ->> 'host', ''),
       extract(epoch FROM u.seen_at)::float8
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id JOIN users u ON u.id = a.user_id
WHERE a.status = 'active' ORDER BY a.created_at, a.id

-- name: authority
SELECT a.authorization_epoch, s.version
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id
WHERE a.user_id = $1 AND a.id = $2 AND a.status = 'active'

-- name: keep_secret
-- Whether somebody may be at work with an earlier one.
INSERT INTO account_secrets (user_id, account_id, sealed) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET sealed = excluded.sealed, version = account_secrets.version + 1, changed_at = now()
WHERE account_secrets.user_id = excluded.user_id
RETURNING (SELECT a.status = 'active' FROM accounts a WHERE a.id = account_secrets.account_id)
