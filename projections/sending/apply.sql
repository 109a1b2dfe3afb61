-- name: queue
INSERT INTO outbox (user_id, account_id, id, draft_id, revision, due, state, attempts, refused, code, queued_at, sequence)
VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, 0, '', $7, $8)
ON CONFLICT DO NOTHING
RETURNING id

-- name: edit
UPDATE outbox SET draft_id = $4, revision = $5, due = $6, sequence = $3 WHERE id = $2 AND user_id = $1 AND sequence < $3
RETURNING id

-- name: attempt
UPDATE outbox SET state = 'attempted', attempts = $4, sequence = $3 WHERE id = $2 AND user_id = $1 AND sequence < $3
RETURNING id

-- name: settle
UPDATE outbox SET state = $4, refused = $5, code = $6, settled_at = $7, sequence = $3
WHERE id = $2 AND user_id = $1 AND sequence < $3
RETURNING id

-- name: file
UPDATE outbox SET copy = $4, sequence = $3 WHERE id = $2 AND user_id = $1 AND sequence < $3

-- name: forget
DELETE FROM outbox WHERE account_id = $2 AND user_id = $1
