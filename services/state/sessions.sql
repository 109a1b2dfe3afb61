-- name: start_session
INSERT INTO sessions (user_id, token_hash, user_agent, network, expires_at) VALUES ($1, $2, $3, $4, now() + $5)
RETURNING id

-- name: forget_expired_sessions
DELETE FROM sessions WHERE user_id = $1 AND expires_at <= now()

-- name: find_session
-- By the token alone: who the user is, is what it says.
SELECT s.id, s.user_id, u.handle, u.settings, u.is_admin,
       s.last_seen_at < now() - interval '5 minutes' OR (s.network <> $2 AND $2 <> '') AS stale
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.token_hash = $1 AND s.expires_at > now() AND u.removed_at IS NULL

-- name: prolong_session
UPDATE sessions SET last_seen_at = now(), expires_at = now() + $3, network = coalesce(nullif($4, ''), network)
WHERE user_id = $1 AND id = $2

-- name: end_session
DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id

-- name: end_other_sessions
DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2

-- name: list_sessions
SELECT id, user_agent, network, created_at, last_seen_at FROM sessions
WHERE user_id = $1 AND expires_at > now()
ORDER BY last_seen_at DESC, id

-- name: alive_sessions
-- For the sockets of one gateway, of all its users at once.
SELECT id FROM sessions WHERE id = ANY ($1::uuid[]) AND expires_at > now()
