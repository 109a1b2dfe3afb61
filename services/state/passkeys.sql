-- name: add_passkey
INSERT INTO passkeys (user_id, credential_id, public_key, sign_count, name) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (credential_id) DO NOTHING
RETURNING id, name, created_at, last_used_at

-- name: list_passkeys
SELECT id, name, created_at, last_used_at FROM passkeys WHERE user_id = $1 ORDER BY created_at, id

-- name: credentials_of
SELECT credential_id FROM passkeys WHERE user_id = $1

-- name: rename_passkey
UPDATE passkeys SET name = $3 WHERE user_id = $1 AND id = $2 RETURNING id, name, created_at, last_used_at

-- name: remove_passkey
DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING id

-- name: find_passkey
-- By the credential alone: who the user is, is what it says.
SELECT user_id, public_key, sign_count FROM passkeys WHERE credential_id = $1

-- name: use_passkey
-- A counter that does not grow is a copied key (WebAuthn §6.1.1); zero: this one does not count.
UPDATE passkeys SET sign_count = $3, last_used_at = now()
WHERE user_id = $1 AND credential_id = $2 AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))
RETURNING id
