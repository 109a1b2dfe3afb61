-- name: identities
SELECT i.id, i.account_id, i.name, i.email::text, i.reply_to, i.signature, i.is_default
FROM identities i JOIN accounts a ON a.id = i.account_id AND a.user_id = $1 AND a.status = 'active'
WHERE i.user_id = $1
ORDER BY a.created_at, a.id, i.is_default DESC, i.created_at, i.id

-- name: add_identity
-- At most $7 of an account.
INSERT INTO identities (user_id, account_id, name, email, reply_to, signature)
SELECT a.user_id, a.id, $3, $4, $5, $6 FROM accounts a
WHERE a.user_id = $1 AND a.id = $2 AND a.status = 'active'
    AND (SELECT count(*) FROM identities i WHERE i.user_id = $1 AND i.account_id = a.id) < $7
RETURNING id, account_id, name, email::text, reply_to, signature, is_default

-- name: change_identity
-- Null: it stays.
UPDATE identities SET name = coalesce($3, name), email = coalesce($4, email::text), reply_to = coalesce($5, reply_to),
    signature = coalesce($6, signature)
WHERE user_id = $1 AND id = $2
    AND EXISTS (SELECT FROM accounts a WHERE a.user_id = $1 AND a.id = account_id AND a.status = 'active')
RETURNING id, account_id, name, email::text, reply_to, signature, is_default

-- name: no_default
-- Who makes two of them the default at once waits here for the other.
UPDATE identities SET is_default = false WHERE user_id = $1 AND account_id = $2 AND is_default AND id <> $3

-- name: make_default
UPDATE identities SET is_default = true WHERE user_id = $1 AND id = $2

-- name: remove_identity
DELETE FROM identities WHERE user_id = $1 AND id = $2 AND NOT is_default RETURNING id
