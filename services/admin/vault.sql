-- name: after
-- Secrets in the order of their accounts; a lost one is empty.
SELECT account_id, sealed FROM account_secrets
WHERE sealed <> '' AND ($1::uuid IS NULL OR account_id > $1) ORDER BY account_id LIMIT $2

-- name: rewrap
-- Only what was read: a secret that was given anew meanwhile stays. Its version stays too, since it is the same secret.
UPDATE account_secrets SET sealed = $3 WHERE account_id = $1 AND sealed = $2
RETURNING account_id
