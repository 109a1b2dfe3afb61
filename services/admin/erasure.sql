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

-- name: remove_what_leavers_left
-- An account that was being connected while its user left, or whose removal was never told: the gateway settles it.
UPDATE accounts a SET status = 'removed', settled = false, changed_at = now()
FROM users u WHERE u.id = a.user_id AND u.removed_at IS NOT NULL AND a.status = 'active'

-- name: leavers
-- Of all users: whoever left and has no account any more.
SELECT u.id FROM users u WHERE u.removed_at IS NOT NULL AND NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = u.id)

-- name: forget_user
-- All that is in plain tables goes with the row.
DELETE FROM users WHERE id = $1 AND removed_at IS NOT NULL
