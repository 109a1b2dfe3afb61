-- name: settings
SELECT a.imap::text AS imap, a.smtp::text AS smtp, a.special_uses::text AS special_uses, a.authorization_epoch, a.paused, s.sealed, s.version
FROM accounts a JOIN account_secrets s ON s.account_id = a.id AND s.user_id = a.user_id
WHERE a.user_id = $1 AND a.id = $2 AND a.status = 'active'
