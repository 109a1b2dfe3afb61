-- name: keep
-- Nothing for an account that is removed meanwhile.
INSERT INTO account_quotas (user_id, account_id, used, allowed)
SELECT user_id, id, $3, $4 FROM accounts WHERE user_id = $1 AND id = $2 AND status = 'active'
ON CONFLICT (account_id) DO UPDATE SET used = excluded.used, allowed = excluded.allowed

-- name: forget
DELETE FROM account_quotas WHERE user_id = $1 AND account_id = $2
