-- name: start_session
INSERT INTO sessions (user_id, token_hash, user_agent, expires_at) VALUES ($1, $2, $3, now() + $4) RETURNING id

-- name: forget_expired_sessions
DELETE FROM sessions WHERE user_id = $1 AND expires_at <= now()

-- name: find_session
-- By the token alone: who the user is, is what it says.
SELECT s.id, s.user_id, u.handle, u.settings, s.last_seen_at < now() - interval '5 minutes' AS stale
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.token_hash = $1 AND s.expires_at > now()

-- name: prolong_session
UPDATE sessions SET last_seen_at = now(), expires_at = now() + $3 WHERE user_id = $1 AND id = $2

-- name: end_session
DELETE FROM sessions WHERE user_id = $1 AND id = $2

-- name: alive_sessions
-- For the sockets of one gateway, of all its users at once.
SELECT id FROM sessions WHERE id = ANY ($1::uuid[]) AND expires_at > now()
