-- name: ask
INSERT INTO requests (user_id, account_id, id, sequence, at, by, undoes, kind, add, remove, source, target, asked, state, code)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', '')
ON CONFLICT DO NOTHING

-- name: touch
INSERT INTO touched (user_id, account_id, request_id, message_id, sources, done)
SELECT $1, $2, $3, m, $5, false FROM unnest($4::uuid[]) AS m
ON CONFLICT DO NOTHING

-- name: settle
-- The first outcome counts.
UPDATE requests SET state = $3, code = $4, settled_at = $5 WHERE id = $2 AND user_id = $1 AND state = 'pending'
RETURNING id

-- name: done
UPDATE touched t SET done = true, sources = CASE WHEN d.sources = '{}' THEN t.sources ELSE d.sources::uuid[] END
FROM unnest($3::uuid[], $4::text[]) AS d (message_id, sources)
WHERE t.request_id = $2 AND t.message_id = d.message_id AND t.user_id = $1

-- name: forget
DELETE FROM requests WHERE account_id = $2 AND user_id = $1

-- name: forget_touched
DELETE FROM touched WHERE account_id = $2 AND user_id = $1
