-- name: tokens
-- Of a secret of that version. `spare`: so much sooner than it ends an access token is not used any more.
SELECT sealed, revision, coalesce(fresh_until > now() + $4, false) AS fresh, refresher IS NULL AS free,
       coalesce(refresher_until <= now(), false) AS abandoned, coalesce(refresh_after > now(), false) AS later
FROM account_secrets WHERE user_id = $1 AND account_id = $2 AND version = $3

-- name: due
-- Of accounts that are at work; whoever else refreshes one is waited for.
SELECT s.user_id, s.account_id, s.version FROM account_secrets s JOIN accounts a ON a.id = s.account_id AND a.user_id = s.user_id
WHERE s.fresh_until <= now() + $1 AND coalesce(s.refresh_after <= now(), true) AND coalesce(s.refresher_until <= now(), true)
  AND a.status = 'active' AND NOT a.paused
ORDER BY s.fresh_until LIMIT $2

-- name: take_refresh
UPDATE account_secrets SET refresher = $5, refresher_until = now() + $6
WHERE user_id = $1 AND account_id = $2 AND version = $3 AND revision = $4 AND refresher IS NULL
  AND coalesce(refresh_after <= now(), true)
RETURNING revision

-- name: keep_tokens
UPDATE account_secrets
SET sealed = $6, fresh_until = to_timestamp($7), revision = revision + 1, changed_at = now(),
    refresher = NULL, refresher_until = NULL, refresh_after = NULL
WHERE user_id = $1 AND account_id = $2 AND version = $3 AND revision = $4 AND refresher = $5
RETURNING revision

-- name: put_off
UPDATE account_secrets SET refresher = NULL, refresher_until = NULL, refresh_after = now() + $6
WHERE user_id = $1 AND account_id = $2 AND version = $3 AND revision = $4 AND refresher = $5

-- name: lose
-- The secret is no more, and whoever works with it has no authority any more. An owner who was faster has another one by now.
UPDATE account_secrets
SET sealed = '', version = version + 1, changed_at = now(), fresh_until = NULL, refresher = NULL, refresher_until = NULL
WHERE user_id = $1 AND account_id = $2 AND version = $3 AND revision = $4 AND (refresher = $5 OR refresher_until <= now())
RETURNING version
