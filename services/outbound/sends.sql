-- name: folded
SELECT sequence FROM control.positions WHERE schema = 'sending' AND partition = $1

-- name: open
-- Of all users, in the order in which they are due.
SELECT user_id, account_id, id, draft_id, revision, due, state, attempts, sequence, settled_at FROM sending.outbox
WHERE state IN ('queued', 'attempted') OR state = 'delivered' AND copy IS NULL ORDER BY due, id
