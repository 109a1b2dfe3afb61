-- name: removed_accounts
-- Of all users: the removal is in the log, the erasure is not done.
SELECT user_id, id FROM accounts WHERE status = 'removed' AND settled ORDER BY changed_at

-- name: forget_credentials
DELETE FROM account_secrets WHERE user_id = $1 AND account_id = $2

-- name: begin
-- Again after a death in the middle: what was found then is remembered.
INSERT INTO erasures (user_id, account_id, blobs) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET blobs = array(SELECT DISTINCT unnest(erasures.blobs || excluded.blobs))

-- name: begun
SELECT blobs FROM erasures WHERE user_id = $1 AND account_id = $2

-- name: other_accounts
-- Whoever syncs them may be putting a blob that is about to go.
SELECT id FROM accounts WHERE user_id = $1 AND id <> $2 ORDER BY id

-- name: finish
WITH row AS (DELETE FROM accounts WHERE user_id = $1 AND id = $2)
DELETE FROM erasures WHERE user_id = $1 AND account_id = $2
