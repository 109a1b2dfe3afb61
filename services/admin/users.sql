-- name: list_users
-- Of all users: what an operator needs to help them, and nothing of what they read.
SELECT u.handle::text, u.is_admin, u.totp_secret IS NOT NULL AS has_code, u.created_at, u.seen_at,
       u.removed_at IS NOT NULL AS leaving,
       (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
       (SELECT count(*) FROM accounts a WHERE a.user_id = u.id AND a.status = 'active') AS accounts
FROM users u ORDER BY u.created_at, u.id

-- name: find_handle
SELECT id FROM users WHERE handle = $1 AND removed_at IS NULL

-- name: appoint
UPDATE users SET is_admin = $2 WHERE id = $1
