-- name: connect
INSERT INTO accounts (user_id, account_id, state, code, epoch, worker, repaired, repaired_by)
VALUES ($1, $2, 'connecting', '', 0, '', 0, 0)
ON CONFLICT DO NOTHING

-- name: remove
DELETE FROM accounts WHERE account_id = $2 AND user_id = $1

-- name: remove_progress
DELETE FROM progress WHERE account_id = $2 AND user_id = $1

-- name: lease
UPDATE accounts SET epoch = $3, worker = $4 WHERE account_id = $2 AND user_id = $1

-- name: states
SELECT account_id, state, code FROM accounts WHERE account_id = ANY($2::uuid[]) AND user_id = $1 ORDER BY account_id

-- name: change_state
-- Nothing for an account that is removed.
UPDATE accounts SET state = $3, code = $4, retry_at = $5 WHERE account_id = $2 AND user_id = $1 RETURNING state

-- name: mark
INSERT INTO progress (user_id, account_id, mailbox_id, generation, synced, total, done, marked_at)
SELECT $1, account_id, mailbox_id, generation, synced, total, done, marked_at
FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::bigint[], $6::bigint[], $7::boolean[], $8::timestamptz[])
    AS m (account_id, mailbox_id, generation, synced, total, done, marked_at)
WHERE EXISTS (SELECT FROM accounts a WHERE a.account_id = m.account_id AND a.user_id = $1)
ON CONFLICT (mailbox_id, user_id) DO UPDATE SET generation = excluded.generation, synced = excluded.synced,
    total = excluded.total, done = excluded.done, marked_at = excluded.marked_at
RETURNING mailbox_id

-- name: synced
UPDATE accounts a SET last_sync_at = greatest(a.last_sync_at, m.at)
FROM (SELECT account_id, max(at) AS at FROM unnest($2::uuid[], $3::timestamptz[]) AS m (account_id, at) GROUP BY account_id) m
WHERE a.account_id = m.account_id AND a.user_id = $1

-- name: lose
DELETE FROM progress WHERE mailbox_id = ANY($2::uuid[]) AND user_id = $1

-- name: repair
-- A sum, so each fact counts once.
UPDATE accounts SET repaired = repaired + $4, repaired_at = $5, repaired_by = $3
WHERE account_id = $2 AND user_id = $1 AND repaired_by < $3
