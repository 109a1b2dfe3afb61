-- name: post
INSERT INTO system_mails (user_id, sealed) VALUES ($1, $2)

-- name: claim
-- Of all users, for one sender at a time; who dies while sending is followed by another after a while.
UPDATE system_mails SET attempts = attempts + 1, due_at = now() + interval '1 minute' * (attempts + 1)
WHERE id = (SELECT id FROM system_mails WHERE due_at <= now() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING user_id, id, sealed, attempts

-- name: finish
DELETE FROM system_mails WHERE user_id = $1 AND id = $2
