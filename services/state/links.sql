-- name: add_link
INSERT INTO links (user_id, token_hash, expires_at) VALUES ($1, $2, now() + $3)

-- name: forget_links
-- Only the newest one for a password works.
DELETE FROM links WHERE user_id = $1 OR expires_at <= now()

-- name: use_invitation
DELETE FROM links WHERE token_hash = $1 AND user_id IS NULL AND expires_at > now() RETURNING token_hash

-- name: is_invitation
SELECT EXISTS (SELECT FROM links WHERE token_hash = $1 AND user_id IS NULL AND expires_at > now())

-- name: use_reset
DELETE FROM links WHERE token_hash = $1 AND user_id IS NOT NULL AND expires_at > now() RETURNING user_id

-- name: whose_reset
SELECT u.id, u.handle::text FROM links l JOIN users u ON u.id = l.user_id
WHERE l.token_hash = $1 AND l.expires_at > now() AND u.removed_at IS NULL
