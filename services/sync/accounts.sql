-- name: active
-- Every account that is to be synced, and those that are paused, since somebody has to say so: where its mail is, when its user
-- was last there, and a stamp that changes with whatever a runner must begin anew for.
SELECT a.id, a.user_id, a.authorization_epoch || '/' || md5(a.special_uses::text) AS stamp, coalesce(a.imap ->> 'host', ''),
       extract(epoch FROM u.seen_at)::float8
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id JOIN users u ON u.id = a.user_id
WHERE a.status = 'active' ORDER BY a.created_at, a.id

-- name: authority
SELECT a.authorization_epoch, s.version
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id
WHERE a.user_id = $1 AND a.id = $2 AND a.status = 'active' AND NOT a.paused

-- name: keep_servers
-- Whether somebody may be at work with earlier ones; nothing for an account that is gone, or another user's.
UPDATE accounts SET imap = $3::jsonb, smtp = $4::jsonb WHERE user_id = $1 AND id = $2 AND status <> 'removed'
RETURNING status = 'active'

-- name: keep_secret
INSERT INTO account_secrets (user_id, account_id, sealed, fresh_until) VALUES ($1, $2, $3, to_timestamp($4))
ON CONFLICT (account_id) DO UPDATE SET sealed = excluded.sealed, version = account_secrets.version + 1, changed_at = now(),
  fresh_until = excluded.fresh_until, refresher = NULL, refresher_until = NULL, refresh_after = NULL
