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

-- name: forget_writing
-- Drafts and sends of the account; the blobs that they named are loose from here on.
WITH drafted AS (DELETE FROM drafts WHERE user_id = $1 AND account_id = $2)
DELETE FROM sends WHERE user_id = $1 AND account_id = $2

-- name: long_loose
-- Of all users.
SELECT user_id, array_agg(blob ORDER BY blob) AS blobs FROM loose_blobs WHERE since < now() - $1::interval GROUP BY user_id

-- name: decide
-- Alone: whoever puts a blob that a row will name has the same lock together with others (services.state.uploads).
SELECT pg_advisory_xact_lock(hashtextextended('blobs of ' || $1::uuid, 0))

-- name: named
-- By rows, beside those that facts name.
SELECT blob FROM named_blobs WHERE user_id = $1

-- name: decided
DELETE FROM loose_blobs WHERE user_id = $1 AND blob = ANY($2::text[])

-- name: accounts
-- Whoever syncs them may be putting a blob that is about to go.
SELECT id FROM accounts WHERE user_id = $1 ORDER BY id

-- name: told
-- Whether whatever the log says of a partition up to there is folded, and what was announced of it published.
SELECT NOT EXISTS (SELECT FROM control.positions WHERE partition = $1 AND sequence < $2 AND schema NOT LIKE '%\_next')
    AND NOT EXISTS (SELECT FROM control.outbox WHERE partition = $1 AND sequence <= $2)

-- name: finish
-- With what the user did to its mail. Allowances for pictures, which soon end, name only the message.
WITH row AS (DELETE FROM accounts WHERE user_id = $1 AND id = $2),
     asked AS (DELETE FROM actions WHERE user_id = $1 AND position($2::text IN requests::text) > 0),
     allowed AS (DELETE FROM image_grants WHERE user_id = $1),
     pieces AS (DELETE FROM bulk_chunks WHERE user_id = $1 AND account_id = $2),
     copies AS (UPDATE drafts SET mirror_account_id = NULL, mirror_mailbox_id = NULL, mirror_uidvalidity = NULL, mirror_uid = NULL
                WHERE user_id = $1 AND mirror_account_id = $2 AND account_id <> $2)
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
