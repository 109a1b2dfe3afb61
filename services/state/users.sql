-- name: register
INSERT INTO users (handle, password_hash, settings) VALUES ($1, $2, $3::jsonb) RETURNING id, is_admin

-- name: find_login
SELECT id, password_hash, settings, is_admin, totp_secret FROM users WHERE handle = $1 AND removed_at IS NULL

-- name: find_user
SELECT id, handle::text, password_hash, settings, is_admin, totp_secret FROM users WHERE id = $1 AND removed_at IS NULL

-- name: change_password
UPDATE users SET password_hash = $2 WHERE id = $1 AND removed_at IS NULL RETURNING handle::text

-- name: remove_user
UPDATE users SET removed_at = now(), totp_secret = NULL, totp_proposed = NULL, recovery_email = NULL
WHERE id = $1 AND removed_at IS NULL

-- name: forget_passkeys
DELETE FROM passkeys WHERE user_id = $1

-- name: recovery_email
SELECT recovery_email::text FROM users WHERE id = $1

-- name: forget_recovery_email
UPDATE users SET recovery_email = NULL WHERE id = $1

-- name: recoverable
-- By the handle, before the user is known.
SELECT id, recovery_email::text AS email, settings FROM users
WHERE handle = $1 AND recovery_email IS NOT NULL AND removed_at IS NULL
