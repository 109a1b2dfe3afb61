-- name: add_link
INSERT INTO links (user_id, token_hash, expires_at, email) VALUES ($1, $2, now() + $3, $4)

-- name: forget_resets
-- Only the newest one works.
DELETE FROM links WHERE (user_id = $1 AND email IS NULL) OR expires_at <= now()

-- name: forget_verifications
DELETE FROM links WHERE (user_id = $1 AND email IS NOT NULL) OR expires_at <= now()

-- name: use_invitation
DELETE FROM links WHERE token_hash = $1 AND user_id IS NULL AND expires_at > now() RETURNING token_hash

-- name: is_invitation
SELECT EXISTS (SELECT FROM links WHERE token_hash = $1 AND user_id IS NULL AND expires_at > now())

-- name: use_reset
DELETE FROM links WHERE token_hash = $1 AND user_id IS NOT NULL AND email IS NULL AND expires_at > now()
RETURNING user_id

-- name: whose_reset
SELECT u.id, u.handle::text FROM links l JOIN users u ON u.id = l.user_id
WHERE l.token_hash = $1 AND l.email IS NULL AND l.expires_at > now() AND u.removed_at IS NULL

-- name: verify
-- By the token alone: whose address it is, is what it says.
WITH opened AS (
  DELETE FROM links WHERE token_hash = $1 AND user_id IS NOT NULL AND email IS NOT NULL AND expires_at > now()
  RETURNING user_id, email
)
UPDATE users u SET recovery_email = opened.email FROM opened
WHERE u.id = opened.user_id AND u.removed_at IS NULL
RETURNING u.id
