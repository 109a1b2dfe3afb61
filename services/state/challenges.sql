-- name: pose
INSERT INTO challenges (holder, challenge, expires_at) VALUES ($1, $2, now() + $3)
ON CONFLICT (holder) DO UPDATE SET challenge = excluded.challenge, expires_at = excluded.expires_at

-- name: take_challenge
DELETE FROM challenges WHERE holder = $1 RETURNING challenge, expires_at > now() AS live

-- name: forget_expired_challenges
DELETE FROM challenges WHERE expires_at <= now()
