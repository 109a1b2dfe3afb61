-- name: propose
UPDATE users SET totp_proposed = $2 WHERE id = $1 AND totp_secret IS NULL RETURNING id

-- name: proposed
SELECT totp_proposed FROM users WHERE id = $1 AND totp_secret IS NULL

-- name: enable
UPDATE users SET totp_secret = totp_proposed, totp_proposed = NULL, totp_step = $2
WHERE id = $1 AND totp_secret IS NULL AND totp_proposed = $3
RETURNING id

-- name: disable
UPDATE users SET totp_secret = NULL, totp_proposed = NULL WHERE id = $1

-- name: take_step
-- A code is good once, also when it comes twice at the same moment; and none before it is good any more (RFC 6238 §5.2).
UPDATE users SET totp_step = $2 WHERE id = $1 AND totp_step < $2 RETURNING id

-- name: forget_recovery_codes
DELETE FROM recovery_codes WHERE user_id = $1

-- name: add_recovery_codes
INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])

-- name: use_recovery_code
DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2 RETURNING user_id

-- name: count_recovery_codes
SELECT count(*) FROM recovery_codes WHERE user_id = $1
