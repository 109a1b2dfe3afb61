-- name: begin
INSERT INTO sign_ins (state_hash, session_id, provider, email, display_name, redirect_uri, verifier, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8)

-- name: take_sign_in
DELETE FROM sign_ins WHERE state_hash = $1 AND session_id = $2
RETURNING provider, email, display_name, redirect_uri, verifier, expires_at > now() AS live

-- name: forget_expired_sign_ins
DELETE FROM sign_ins WHERE expires_at <= now()
