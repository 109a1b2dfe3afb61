-- name: forget_old
DELETE FROM actions WHERE user_id = $1 AND (created_at < now() - $2::interval
    OR (key = $3 AND position IS NULL AND created_at < now() - $4::interval))

-- name: begin
INSERT INTO actions (user_id, key, asked, requests) VALUES ($1, $2, $3, $4::jsonb) ON CONFLICT DO NOTHING

-- name: made
SELECT asked, requests::text AS requests, position FROM actions WHERE user_id = $1 AND key = $2

-- name: settle
UPDATE actions SET position = $3 WHERE user_id = $1 AND key = $2
