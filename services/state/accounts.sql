-- name: add_account
INSERT INTO accounts (user_id, email, display_name, color, imap, smtp)
VALUES ($1, $2, $3,
        coalesce($4, (SELECT c FROM unnest($7::text[]) WITH ORDINALITY palette (c, n)
                      ORDER BY (SELECT count(*) FROM accounts a WHERE a.user_id = $1 AND a.color = c AND a.status <> 'removed'), n
                      LIMIT 1)),
        $5::jsonb, $6::jsonb)
RETURNING id

-- name: forget_pending_account
DELETE FROM accounts WHERE user_id = $1 AND id = $2 AND status = 'pending'

-- name: settle_account
UPDATE accounts SET settled = true, changed_at = now(), status = CASE status WHEN 'pending' THEN 'active' ELSE status END
WHERE user_id = $1 AND id = $2 AND status <> 'active'

-- name: change_account
-- Null: it stays. What changed is noted by a trigger.
UPDATE accounts SET display_name = coalesce($3, display_name), color = coalesce($4, color), paused = coalesce($5, paused)
WHERE user_id = $1 AND id = $2 AND status = 'active'
RETURNING id

-- name: untold_changes
SELECT revision, untold FROM accounts WHERE user_id = $1 AND id = $2 AND status = 'active' AND untold <> '{}'

-- name: changes_told
UPDATE accounts SET settled = true, untold = '{}' WHERE user_id = $1 AND id = $2 AND status = 'active' AND revision = $3

-- name: remove_account
UPDATE accounts SET status = 'removed', settled = false, changed_at = now()
WHERE user_id = $1 AND id = $2 AND status = 'active'
RETURNING id

-- name: hosts
SELECT id, imap->>'host' AS host FROM accounts WHERE user_id = $1 AND status = $2 ORDER BY created_at, id

-- name: active_accounts
SELECT id, email::text, display_name, color, special_uses::text, imap::text, smtp::text, paused FROM accounts
WHERE user_id = $1 AND status = 'active'
ORDER BY created_at, id

-- name: choose_mailboxes
UPDATE accounts SET special_uses = $3::jsonb, changed_at = now() WHERE user_id = $1 AND id = $2 AND status = 'active'

-- name: unsettled
-- The one look across users: a function of the owner's that gives ids only.
SELECT user_id, id, status FROM unsettled_accounts($1)
